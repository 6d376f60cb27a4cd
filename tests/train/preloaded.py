"""What processes of tests need, imported once by the server that they are copies of."""

import torch._dynamo  # optimisers import it at their first step, which takes a second

import tests.train.test_processes
import tests.train.workers

__all__ = ["tests", "torch"]

"""What processes of tests need, imported once by the server that they are copies of."""

import torch._dynamo  # optimisers import it at their first step, which takes a second

import saccade.train.shard_files
import saccade.train.shards
import tests.train.test_processes
import tests.train.test_shards
import tests.train.workers

__all__ = ["saccade", "tests", "torch"]

"""A model that was opened before a fork, and is used behind it."""

import os

import torch

from saccade.errors import WorkerError


class Origin:
    """Remembers the process that a model was opened in."""

    def __init__(self) -> None:
        self._process = os.getpid()

    def check(self) -> None:
        """Refuse to compute with several threads in a fork of that process.

        Torch's threads do not survive a fork, and it would wait for them for ever.
        """
        n = torch.get_num_threads()
        if n > 1 and os.getpid() != self._process:
            raise WorkerError(
                f"this process, {os.getpid()}, is a fork of {self._process}, which opened the"
                f" model, and is to compute with {n} threads; they do not survive a fork. Call"
                " torch.set_num_threads(1) first, or start processes by spawn and open the model"
                " in each: docs/faq.md has an example."
            )

"""Build the kernels now, and tell where they are or why there are none."""

from saccade.kernels.library import found

print(found().told)  # noqa: T201 - this is what the command is for

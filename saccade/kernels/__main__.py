"""Build the kernels now, and tell where they are or why there are none.

`--again` builds them though that was done, or failed, before.
"""

import argparse

from saccade.kernels import build

_parser = argparse.ArgumentParser(prog="python -m saccade.kernels", description=__doc__)
_parser.add_argument("--again", action="store_true", help="compile even if that was done or failed")
print(build.find(wait=True, again=_parser.parse_args().again).told)  # noqa: T201 - its purpose

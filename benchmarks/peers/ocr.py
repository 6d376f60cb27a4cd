"""ddddocr or rapidocr: pictures of one line each in, texts and seconds out.

    python -m benchmarks.peers.ocr ddddocr|rapidocr FILE.json

The file holds a list of names. Printed is a line of JSON: `texts`, and `seconds` of the processor
for reading files and recognising; opening the models does not count. Both run on onnxruntime with
as many threads as they choose. rapidocr recognises only: each picture is one line.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path


def opened(kind: str) -> Callable[[str], str]:
    """Open a recogniser."""
    if kind == "ddddocr":
        import ddddocr  # noqa: PLC0415 - only one of them is timed

        reader = ddddocr.DdddOcr(show_ad=False)
        return lambda name: str(reader.classification(Path(name).read_bytes()))
    from rapidocr_onnxruntime import RapidOCR  # noqa: PLC0415 - only one of them is timed

    engine = RapidOCR()

    def read(name: str) -> str:
        found, _ = engine(name, use_det=False, use_cls=False)
        return str(found[0][0]) if found else ""

    return read


def main() -> None:
    """Read all files."""
    names = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    read = opened(sys.argv[1])
    read(names[0])  # warms up
    start = time.process_time()
    texts = [read(name) for name in names]
    print(json.dumps({"texts": texts, "seconds": time.process_time() - start}))


if __name__ == "__main__":
    main()

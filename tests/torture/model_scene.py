"""What works with trained models begin with: two of them, inputs, shards, a table of n-grams."""

import gzip
from pathlib import Path
from typing import Any

from tests.torture.scenes import Scene, set_home
from tests.train import small

MODEL, OTHER = "model", "other"
INPUTS, SHARDS, ARPA = "inputs.txt", "shards", "words.arpa"
LINES = [source for source, _ in small.pairs(0, 12)]
_TABLE = """\\data\\
ngram 1=4
ngram 2=2

\\1-grams:
-99\t<s>\t-0.3
-1\t</s>
-0.5\ta\t-0.2
-0.6\tb

\\2-grams:
-0.2\t<s> a
-0.4\ta b

\\end\\
"""


class ModelScene(Scene):
    """Work with trained models, which are made once for all such scenes: they share a desk."""

    def furnish(self) -> None:
        """Train two small models, with three checkpoints that are kept; write the files."""
        set_home(self.desk)
        steps: dict[str, Any] = {"max_steps": 6, "validate_every": 2, "keep_last": 3}
        for name, seed in ((MODEL, 1), (OTHER, 2)):
            small.run(self.desk / name, seed=seed, threads=1, **steps)
        text = "".join(f"{line}\n" for line in LINES)
        (self.desk / INPUTS).write_text(text, encoding="utf-8")
        (self.desk / ARPA).write_text(_TABLE, encoding="utf-8")
        self._write_shards(self.desk / SHARDS, text)

    def _write_shards(self, shards: Path, text: str) -> None:
        """Write four, one of them packed, one with a line that is no text."""
        shards.mkdir()
        (shards / "a.txt").write_text(text, encoding="utf-8")
        (shards / "b.txt").write_bytes(b"12\n\xff\n34\n")
        (shards / "c.tsv").write_text(text, encoding="utf-8")
        with gzip.GzipFile(shards / "d.txt.gz", "wb", mtime=0) as packed:
            packed.write(text.encode())

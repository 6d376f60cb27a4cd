"""pocketsphinx with a grammar of digits: WAVE files at 16 kHz in, texts and seconds out.

    python -m benchmarks.peers.pocketsphinx FILE.json [+]

The file holds a list of names; with + a file may have several digits. Printed is a line of JSON:
`texts`, digits without spaces, and `seconds` of the processor for decoding alone; opening the
decoder and reading files do not count.
"""

import json
import sys
import tempfile
import time
import wave
from pathlib import Path

from pocketsphinx import Decoder

WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
DIGITS = {word: str(n) for n, word in enumerate(WORDS)}
GRAMMAR = "#JSGF V1.0;\ngrammar digits;\npublic <digits> = ({words}){several};\n"


def main() -> None:
    """Decode all files."""
    names = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        grammar = Path(folder) / "digits.gram"
        text = GRAMMAR.format(words=" | ".join(WORDS), several="".join(sys.argv[2:]))
        grammar.write_text(text, encoding="utf-8")
        decoder = Decoder(jsgf=str(grammar), lm=None, loglevel="FATAL")
    texts, seconds = [], 0.0
    for name in names:
        with wave.open(name) as file:
            samples = file.readframes(file.getnframes())
        start = time.process_time()
        decoder.start_utt()
        decoder.process_raw(samples, no_search=False, full_utt=True)
        decoder.end_utt()
        found = decoder.hyp()
        seconds += time.process_time() - start
        words = found.hypstr.split() if found else []
        texts.append("".join(DIGITS.get(word.partition("(")[0], "") for word in words))
    print(json.dumps({"texts": texts, "seconds": seconds}))


if __name__ == "__main__":
    main()

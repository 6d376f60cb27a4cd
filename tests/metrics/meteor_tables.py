"""Tables of METEOR in small, in the form of the real ones."""

import gzip
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

SETS = {"dog": "1 2", "hound": "2", "man": "3", "guy": "3", "run": "4", "jog": "4", "woman": "5"}
PARAPHRASES = [("next to", "beside"), ("in front of", "before"), ("big", "very large")]


def write_tables(
    folder: Path,
    sets: Mapping[str, str] = SETS,
    paraphrases: Sequence[tuple[str, str]] = PARAPHRASES,
) -> Path:
    """Write a jar and a table of paraphrases; return their folder."""
    (folder / "data").mkdir(parents=True)
    with zipfile.ZipFile(folder / "meteor-1.5.jar", "w") as jar:
        jar.writestr("function/english.words", "a\nthe\nis\n,\n.\n")
        jar.writestr("nonbreaking/english.prefixes", "#Anything\n\nMr\nNo #NUMERIC_ONLY#\n")
        jar.writestr("synonym/english.exceptions", "man\nmen\nrun\nran\n")
        lines = (f"{word}\n{names}\n" for word, names in sets.items())
        jar.writestr("synonym/english.synsets", "".join(lines))
    with gzip.open(folder / "data" / "paraphrase-en.gz", "wt", encoding="utf-8") as file:
        file.writelines(f"0.5\n{one}\n{other}\n" for one, other in paraphrases)
    return folder

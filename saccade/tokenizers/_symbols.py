"""The four symbols of every vocabulary, and the marks of pieces."""

from typing import Final

PAD, UNK, START, END = 0, 1, 2, 3
SYMBOLS: Final = ("<pad>", "<unk>", "<s>", "</s>")
MARK: Final = "▁"  # U+2581, stands before the first piece of a word
UNKNOWN: Final = "⁇"  # how UNK looks in text

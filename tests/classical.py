"""A small recipe for every model without a network, and their finished runs, for tests of verbs."""

from pathlib import Path

from rich.console import Console

from saccade import recipe as recipes
from saccade import run

SOURCES = ["un chat dort", "un chien dort", "un chat court", "un chien court"]
TARGETS = ["a cat sleeps", "a dog sleeps", "a cat runs", "a dog runs"]

PAIRS = """
name: {name}
data:
  train: {{kind: text, source: {place}/train.source, target: {place}/train.target}}
  valid: {{kind: text, source: {place}/train.source, target: {place}/train.target}}
  {joint}source: {{tokenizer: {tokenizer}}}
  target: {{tokenizer: {tokenizer}}}
model: {{kind: {name}{options}}}
training: {{threads: 1, metrics: []}}
decoding: {{search: {search}, metrics: [exact_match]}}
"""
BLOCKS = """
name: ngram
data:
  train: {{kind: blocks, path: {place}/train.target, size: 16}}
  valid: {{kind: blocks, path: {place}/train.target, size: 16}}
  target: {{tokenizer: character}}
model: {{kind: ngram, order: 3}}
training: {{threads: 1}}
decoding: {{search: {{kind: sample, temperature: 0.8}}, max_extra: 20, metrics: []}}
"""
NUMBERS = """
name: kalman
data:
  train: {{kind: tsv, path: {place}/train.tsv}}
  valid: {{kind: tsv, path: {place}/train.tsv}}
  source: {{kind: numbers}}
  target: {{kind: numbers}}
model: {{kind: kalman, structure: trend, iterations: 2}}
training: {{threads: 1}}
decoding: {{metrics: [mae]}}
"""
RULES = """
classes: {determiner: {}, noun: {}, verb: {}}
words:
  un: {to: a, class: determiner}
  chat: {to: cat, class: noun}
  chien: {to: dog, class: noun}
  dort: {to: sleeps, class: verb}
  court: {to: runs, class: verb}
"""
SEARCHES = {  # of models of pairs; True if a beam can stand for it
    "ibm1": ("greedy", True),
    "ibm2": ("greedy", True),
    "ibm3": ("greedy", True),
    "hmm_alignment": ("beam", True),
    "hmm": ("viterbi", False),
    "phrase_based": ("stack", True),
    "noisy_channel": ("beam", True),
    "rules": ("greedy", True),
}
KINDS = ("ngram", "kalman", *SEARCHES)
SERIES = "0 1 2 3 0 1 2 3"


def asked(kind: str) -> str:
    """What such a model can read."""
    return SERIES if kind == "kalman" else SOURCES[1]


def wanted(kind: str) -> str:
    """What such a model may be asked to write."""
    return "1 2 3" if kind == "kalman" else TARGETS[1]


def text_of(kind: str, place: Path) -> str:
    """A recipe whose data are in a folder."""
    if kind in ("ngram", "kalman"):
        return {"ngram": BLOCKS, "kalman": NUMBERS}[kind].format(place=place)
    letters = kind == "noisy_channel"
    return PAIRS.format(
        name=kind,
        place=place,
        search=SEARCHES[kind][0],
        tokenizer="character" if letters else "word",
        joint="joint: true\n  " if letters else "",
        options=f", rules: {place}/rules.yaml" if kind == "rules" else "",
    )


def lay(place: Path) -> None:
    """Write the data and the rules of all recipes."""
    (place / "train.source").write_text("".join(f"{one}\n" for one in SOURCES * 2))
    (place / "train.target").write_text("".join(f"{one}\n" for one in TARGETS * 2))
    waves = [" ".join(str((k + n) % 4) for n in range(12)) for k in range(4)]
    (place / "train.tsv").write_text("".join(f"{one}\t1 2 3\n" for one in waves))
    (place / "rules.yaml").write_text(RULES)


def train_all(place: Path) -> Path:
    """Train all of them; their folders are named after their kinds."""
    lay(place)
    for kind in KINDS:
        recipe = recipes.parse(text_of(kind, place))
        run.train(recipe, place / kind, console=Console(quiet=True))
    return place

"""A recipe for recordings that somebody has: rate, sizes and splits that suit them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from saccade.errors import DataError, RecipeError
from saccade.modalities._hearing import decode
from saccade.modalities._sound import read_bytes
from saccade.readers._utterances import Utterance
from saccade.readers.sounds import Sounds

_LOOKED_AT = 50  # recordings, from all over
_HELD_OUT = 0.1  # of the recordings, to validate and to test on each
_RATES = (8000, 16_000)  # what models of speech listen at
_WORDS, _SIZE = 200, 20  # different texts of labels, and their characters at most
_EPOCHS, _LEAST, _MOST = 40, 500, 20_000  # passes over the data, and updates
_BATCH = 12_000  # frames: two minutes of sound

_RECIPE = """\
# What is said in the recordings of {place}: {count:,} of them, about {hours:.1f} hours{speakers}.
# {splits}
# Command: saccade train {recipe}        Look at the data first: saccade doctor {recipe}
name: {name}
data:
{readers}
  source: {{kind: sound, rate: {rate}, max_seconds: {seconds}, silence: 0.05, random_speed: 0.1, random_noise: 0.1, random_masks: {masks}}}
  target: {target}
model:
  kind: ctc
  embedding: {width}
  dropout: 0.2
  embedder: {{kind: spectrogram, width: 32, stride: 4}}
  encoder: {{kind: rnn, cell: lstm, hidden: {width}, layers: {layers}, dropout: 0.2}}
training:
  objective: ctc
  learning_rate: 0.002
  schedule: {{kind: cosine, warmup: {warmup}, steps: {steps}}}
  batch_tokens: {batch}
  max_steps: {steps}
  validate_every: {validate_every}
  metrics: [{metric}]
  select: {metric}
  ema: 0.99
decoding:
  search: ctc_prefix
  metrics: [{metrics}]
"""  # noqa: E501


@dataclass(frozen=True, slots=True)
class Recordings:
    """Recordings and their texts, as far as a recipe must know them.

    place: where they are.  reader: as a recipe writes it, without its kind.  n_lost: files that are
    named and not there.  rate: the lowest.  mean, longest: seconds.
    """

    place: Path
    reader: Mapping[str, str]
    count: int
    n_lost: int
    n_speakers: int
    texts: frozenset[str]
    rate: int
    mean: float
    longest: float


def look_at_recordings(folder: Path | None, manifest: Path | None, names: str) -> Recordings:
    """Read what is said, look for the files, and listen to some of them.

    Args:
        folder: where the files are, if they do not lie beside the manifest.
        manifest: a list of them, if there is one.
        names: how the files are called, if there is none.
    """
    given = {"files": folder, "manifest": manifest, "names": names}
    about = {key: str(value) for key, value in given.items() if value}
    reader = Sounds(Path(), **about)  # type: ignore[arg-type]
    known = reader.utterances()
    whole = [one for one in known if not reader.problem(one.file, decode=False)]
    place = folder or manifest or Path()
    if not whole:
        raise RecipeError(
            f"{place}: none of the {len(known):,} recordings is there, as {known[0].file.path};"
            " expected files. Name the folder that they are in with --folder."
        )
    if len(whole) < len(known):
        about["missing"] = "skip"
    heard = [_heard(one) for one in whole[:: -(-len(whole) // _LOOKED_AT)]]
    return Recordings(
        place,
        about,
        len(whole),
        len(known) - len(whole),
        len({one.file.speaker for one in whole} - {""}),
        frozenset(one.text for one in whole),
        min(rate for rate, _ in heard),
        fmean(seconds for _, seconds in heard),
        max(seconds for _, seconds in heard),
    )


def _heard(one: Utterance) -> tuple[int, float]:
    """Return the rate of a recording, and how long it is."""
    try:
        data = read_bytes(one.file.path, str(one.file.path))
        found = decode(data, str(one.file.path), one.file.start, one.file.seconds or 3600.0)
    except DataError as error:
        raise RecipeError(f"init: {error}") from None
    return found.rate, len(found.samples) / found.rate


def speech_recipe(found: Recordings, path: Path) -> str:
    """Write the recipe, which is to stand at `path`."""
    labels = len(found.texts) <= _WORDS and all(len(text) <= _SIZE for text in found.texts)
    frames = 100 * found.mean * found.count * (1 - 2 * _HELD_OUT)
    batch = _BATCH if found.mean > 2 else _BATCH // 4
    steps = int(round(min(max(frames * _EPOCHS / batch, _LEAST), _MOST), -2))
    shares = f"valid: {_HELD_OUT}, test: {_HELD_OUT}"
    corpus = f"{{kind: sounds, {_flow(found.reader)}}}"
    readers = (
        f"  {part}: {{kind: split, corpus: {corpus}, part: {part}, {shares}}}"
        for part in ("train", "valid", "test")
    )
    lower = "normalise: [nfc, strip, squeeze, lowercase]"
    tokenizer = "{kind: line}" if labels else "character"
    return _RECIPE.format(
        place=" ".join(str(found.place).split()),
        count=found.count,
        hours=found.mean * found.count / 3600,
        speakers=f" by {found.n_speakers:,} speakers" if found.n_speakers else "",
        splits=f"Held out: {_HELD_OUT:.0%} of the recordings each to validate and to test on.",
        recipe=" ".join(str(path).split()),
        name=json.dumps(path.stem),
        readers="\n".join(readers),
        rate=_RATES[0] if found.rate < _RATES[1] else _RATES[1],
        seconds=max(10, int(2 * found.longest)),
        masks=2 if found.mean > 2 else 1,
        target=f"{{tokenizer: {tokenizer}}}" if labels else f"{{tokenizer: {tokenizer}, {lower}}}",
        width=128 if labels else 192,
        layers=1 if labels else 2,
        steps=steps,
        warmup=min(200, steps // 10),
        batch=batch,
        validate_every=max(steps // 10, 50),
        metric="error_rate" if labels else "wer",
        metrics="error_rate" if labels else "wer, cer",
    )


def _flow(options: Mapping[str, str]) -> str:
    """Write options for a line of YAML; JSON's quotes are YAML's."""
    return ", ".join(f"{key}: {json.dumps(value)}" for key, value in options.items())

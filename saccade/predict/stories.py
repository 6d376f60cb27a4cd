"""Predictions about a story: where each hop looked, and what was not read of it."""

from dataclasses import replace
from typing import TYPE_CHECKING

from saccade.guards.flag import Flag
from saccade.guards.unknown import unknown
from saccade.views.drawing import AttentionMap, Drawing

if TYPE_CHECKING:
    from saccade.predict.prediction import Prediction


def story_in(prediction: "Prediction") -> str:
    """Return the name of the source that is a story; nothing if none is."""
    views = ((name, notation.view) for name, notation in prediction.looker.sources.items())
    return next((name for name, view in views if view == "story"), "")


def story_drawing(prediction: "Prediction", one: AttentionMap) -> Drawing:
    """Draw all hops over the sentences of a story, or only the one that is asked for."""
    from saccade.views.story import StoryMaps, draw_story  # noqa: PLC0415 - numpy is slow to import

    name, maps, looker = story_in(prediction), prediction.attention_maps, prediction.looker
    chosen = {one.title: maps[one.title]} if one.title in maps else maps
    names, sentences = list(prediction.arrays), prediction.labels(name)
    start = sum(len(prediction.labels(before)) for before in names[: names.index(name)])
    asked = [looker.sources[n].write(raw) for n, raw in prediction.sources.items() if n != name]
    told = StoryMaps(
        sentences,
        {hop: found[0, start : start + len(sentences)] for hop, found in chosen.items()},
        " ".join(asked),
        prediction.text,
        looker.sources[name].skipped(prediction.sources[name]) + 1,
        tuple(number + 1 for number in prediction.supporting),
    )
    return draw_story(told, said=one.said)


def flags_of_several(prediction: "Prediction") -> tuple[Flag, ...]:
    """Tell of unknown words in texts, and of the beginning of a story that was not read."""
    flags: list[Flag] = []
    for name, notation in prediction.looker.sources.items():
        raw, cut = prediction.sources[name], notation.skipped(prediction.sources[name])
        texts = notation.vocabulary.unknown(str(raw)) if notation.vocabulary else ()
        n_words = len(str(raw).split())
        flags += [replace(one, places=()) for one in unknown(n_words, range(len(texts)), texts)]
        if cut:
            kept = len(prediction.labels(name))
            told = f"The {name} has {cut + kept} sentences; the model reads the last {kept}."
            flags.append(Flag("coverage", told, "note", side="source"))
    return tuple(flags)

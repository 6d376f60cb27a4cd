"""Small clips of shapes and digits that move, with what happens in them."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from saccade.corpora._plays import STEP, Play, play_of
from saccade.corpora.base import Corpus, Split, check_size
from saccade.modalities._clip import Clip, to_text

_HELD_OUT = 1000

Task = Literal["description", "labels"]


class Moving(Corpus):
    """Clips of two things that act in turn, with `a 3 moves left, then a red square falls`.

    Digits and coloured shapes on grainy paper, 24 x 24 pixels, 7 to 12 frames, ten a second. One
    thing moves left or right, rises, falls, grows, shrinks, appears, vanishes or blinks; then the
    other does. Nothing but time tells who acts first. Shown backwards a clip is another one with
    other words, so frames without their order cannot tell them apart. No caption of one split is in
    another. The frames of each action go with the clip.

    With `task: labels` the target is a word for every frame: what has changed since the one before
    it, as `still left left left left still down down down down`.
    """

    def __init__(self, *, seed: int = 1, size: int = 4000, task: Task = "description") -> None:
        check_size("moving", size)
        self._seed, self._size, self._task = seed, size, task

    def pairs(self, split: Split) -> Iterator[tuple[str, str]]:
        """Yield (clip as text, what happens)."""
        for number in range(self._size if split == "train" else _HELD_OUT):
            found = play_of(split, number, self._seed)
            said = found.caption if self._task == "description" else " ".join(found.labels)
            yield _drawn(split, number, self._seed), said


@lru_cache(maxsize=1 << 14)  # a corpus is read several times before training begins
def _drawn(split: Split, number: int, seed: int) -> str:
    return to_text(clip_of(play_of(split, number, seed)))


def clip_of(play: Play) -> Clip:
    """Draw a play as a clip."""
    return Clip(play.draw(), tuple(STEP * i for i in range(play.n_frames)), play.events)

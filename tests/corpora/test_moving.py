"""Clips of things that act in turn."""

from collections import Counter
from dataclasses import replace
from itertools import islice

import numpy as np

from saccade.corpora._plays import BACKWARDS, STILL, VERBS, Actor, Play, play_of
from saccade.corpora.moving import Moving, clip_of
from saccade.modalities.video import Video

CODEC = Video(frames=12, size=24).fit([])
MIRROR = {**BACKWARDS, **{there: back for back, there in BACKWARDS.items()}}


def backwards(play: Play) -> Play:
    """Return the play of the same frames in the other order."""

    def turned(actor: Actor) -> Actor:
        x, y = actor.middle(actor.steps)
        start = play.n_frames - 1 - actor.end
        return replace(actor, verb=MIRROR[actor.verb], start=start, x=x, y=y)

    return Play(turned(play.second), turned(play.first), play.n_frames, play.paper)


def test_a_pair_is_the_clip_of_a_play_and_its_words() -> None:
    for number, (text, said) in enumerate(islice(Moving(seed=3).pairs("valid"), 5)):
        play = play_of("valid", number, 3)
        found = CODEC.read(text)
        assert np.array_equal(found.frames, play.draw())
        assert found.times == tuple(100 * i for i in range(play.n_frames))
        assert found.events == play.events
        assert said == play.caption


def test_there_is_a_label_for_every_frame() -> None:
    several = zip(Moving(task="labels").pairs("test"), Moving().pairs("test"), strict=True)
    for number, ((text, labels), (same, _)) in enumerate(islice(several, 40)):
        play = play_of("test", number)
        assert text == same
        frames, named = play.draw().astype(int), labels.split()
        assert len(named) == len(frames) == play.n_frames
        changed = abs(np.diff(frames, axis=0)).max(axis=(1, 2, 3)) > 0
        assert [name != STILL for name in named] == [False, *changed.tolist()]


def test_a_play_backwards_is_another_play() -> None:
    for number in range(200):
        play = play_of("train", number)
        other = backwards(play)
        assert np.array_equal(other.draw(), play.draw()[::-1])
        assert other.caption != play.caption
        assert backwards(other) == play


def test_things_stay_in_sight_and_apart() -> None:
    for number in range(200):
        play = play_of("train", number)
        boxes = [one.swept for one in play.actors]
        assert min(min(box) for box in boxes) >= 0
        assert max(max(box) for box in boxes) <= 24 * 4
        (a, b, c, d), (e, f, g, h) = boxes
        assert c <= e or g <= a or d <= f or h <= b


def test_actions_and_things_are_balanced() -> None:
    plays = [play_of("train", number) for number in range(1500)]
    actors = [actor for play in plays for actor in play.actors]
    verbs = Counter(actor.verb for actor in actors)
    assert set(verbs) == set(VERBS)
    assert min(verbs.values()) > 0.8 * len(actors) / len(VERBS)
    digits = sum(actor.shape.isdigit() for actor in actors)
    assert abs(digits / len(actors) - 0.5) < 0.05
    assert all(play.first.end <= play.second.start for play in plays)
    assert {play.n_frames for play in plays} == set(range(7, 13))


def test_no_caption_of_the_test_clips_is_in_training() -> None:
    train, test = (
        {play_of(split, number).caption for number in range(1000)} for split in ("train", "test")
    )
    assert len(train) > 900
    assert not train & test


def test_the_frames_of_an_action_are_those_of_its_words() -> None:
    for number in range(50):
        play = play_of("test", number)
        words = play.caption.replace(",", " ,").split()
        spans = clip_of(play).spans(words)
        assert {words[i] for i in range(len(words)) if i not in spans} == {",", "then"}
        labels = play.labels
        for first, behind in play.events.values():
            assert STILL not in labels[first + 1 : behind]

"""Many trials: which work comes next, which faults, how far all is, and what was found."""

import argparse
import fnmatch
import gc
import importlib
import re
import shutil
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tests.torture.faults import Blow, Call, Fault, draw
from tests.torture.marks import differences
from tests.torture.scenes import PlainTraining, Scene, shipped
from tests.torture.tally import Tally
from tests.torture.trial import Life, live
from tests.torture.works import CarelessScene, works
from tests.train import small

_EVERY = 30.0  # seconds between two lines
_OUTSIDE = 0.15  # share of the faults that come from outside, by the clock
_USUAL = 1.0  # seconds of a work; one that takes longer is chosen as much more seldom
_MOST_LIVES = 4  # with a fault, in a trial
_SMALL: dict[str, dict[str, Any]] = {
    "brief": {"max_steps": 4, "validate_every": 2},
    "small": {"max_steps": 12, "validate_every": 3, "keep_last": 2},
    "small, mean of checkpoints": {"max_steps": 9, "validate_every": 3, "average": 2, "ema": 0.9},
    "small, plateau": {
        "max_steps": 8,
        "schedule": {"kind": "plateau", "patience": 1},
        "validate_every": 2,
        "metrics": ["exact_match"],
        "select": "exact_match",
        "keep_best": 2,
    },
}
_IMPORTED = ("saccade", "torch", "numpy", "matplotlib", "sacrebleu", "rapidfuzz")
_GONE = ("remove",)  # where leftovers cannot be removed, they stay


@dataclass(slots=True)
class Known:
    """A scene, and the run of it that was never touched."""

    scene: Scene
    seconds: float
    work: float
    counts: dict[Call, int]
    marks: dict[str, str]


@dataclass(slots=True)
class Campaign:
    """Trials one after the other."""

    folder: Path
    options: argparse.Namespace
    scenes: dict[str, Scene]
    tally: Tally = field(default_factory=Tally)
    known: dict[str, Known] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    furnished: set[Path] = field(default_factory=set)

    def trial(self, number: int) -> None:
        """Do one piece of work under faults, and compare; if it goes wrong, do the same again."""
        chance = Random(f"{self.options.seed}-{number}")
        known = self._chosen(chance, number)
        if known is None:
            return
        state = chance.getstate()
        if not (steps := self._tried(known, chance, number)):
            return
        chance.setstate(state)
        again = self._tried(known, chance, number, counted=False)
        seed = f"--seed {self.options.seed} --trial {number}"
        steps.append("It comes again." if again else "It does not come again.")
        told = "\n    ".join(steps)
        self.tally.problems.append(f"{known.scene.name} ({seed}):\n    {told}")
        print(self.tally.problems[-1], flush=True)  # noqa: T201 - what this program is for

    def _tried(
        self, known: Known, chance: Random, number: int, *, counted: bool = True
    ) -> list[str]:
        """Do a trial; return what happened if something went wrong."""
        place = self._place(known.scene, f"trial-{number}")
        said: list[str] = []
        for _ in range(chance.randint(1, _MOST_LIVES)):
            trouble = _drawn(chance, known)
            before = set(place.rglob("*.part"))
            life = live(known.scene, place, trouble)
            self._note(trouble, life, said, counted=counted)
            said += _refused(set(place.rglob("*.part")) - before, trouble, life)
        last = live(known.scene, place)
        said.append(f"then untouched: {last.word} {last.said}")
        wrong = differences(known.marks, last.marks) if last.word == "done" else [last.said]
        self.tally.trials[known.scene.name] += counted
        shutil.rmtree(place, ignore_errors=True)
        return [*said, *wrong[:8]] if wrong or any("WRONG" in one for one in said) else []

    def _chosen(self, chance: Random, number: int) -> Known | None:
        """Choose a scene: first every one in turn, then one that takes long more seldom."""
        names = list(self.scenes)
        name, luck = chance.choice(names), chance.random()
        if number <= len(names):
            name, luck = names[number - 1], 0.0
        if name in self.left_out:
            return None
        if name not in self.known and not self._begin(name):
            return None
        known = self.known[name]
        return known if self.options.trial or luck < _USUAL / known.work else None

    def _begin(self, name: str) -> bool:
        scene = self.scenes[name]
        _import(scene.imports)
        furnishing = Life("done")
        if scene.desk not in self.furnished:
            self.furnished.add(scene.desk)
            scene.desk.mkdir(parents=True, exist_ok=True)
            furnishing = live(_Furnishing(scene), self._place(scene, "furnished", empty=True))
            _import(furnishing.modules)
        place = self._place(scene, f"untouched-{len(self.known)}")
        first = live(scene, place)
        _import(first.modules)
        if furnishing.word != "done" or first.word != "done" or first.work > self.options.most:
            self.left_out[name] = (
                f"{first.word} with {first.work:.0f} s of work {first.said[-400:]}"
            )
            print(f"{name} is left out: {self.left_out[name]}", flush=True)  # noqa: T201
            return False
        self.known[name] = Known(scene, first.seconds, first.work, first.counts, first.marks)
        shutil.rmtree(place)
        return True

    def _place(self, scene: Scene, name: str, *, empty: bool = False) -> Path:
        place = self.folder / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        if not empty:
            scene.prepare(place)
        return place

    def _note(self, trouble: Fault | Blow, life: Life, said: list[str], *, counted: bool) -> None:
        named = _named(trouble)
        came = life.hit or (isinstance(trouble, Blow) and life.word in ("killed", "stopped"))
        if came and counted:
            self.tally.note(named, _where(life.hit), life.word)
        said.append(f"{named}, {life.hit or 'no call'}: {life.word} {life.said}")


class _Furnishing(Scene):
    """What a scene makes once, made in a process of its own."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene.name, scene.desk)
        self._scene = scene

    def work(self, place: Path) -> None:
        self._scene.furnish()

    def check(self, place: Path) -> None:
        pass


def run(folder: Path, options: argparse.Namespace) -> int:
    """Make trials until there were enough faults; tell; return 1 if something was lost."""
    scenes = _scenes(folder / "desk", options.only)
    if options.list:
        print("\n".join(scenes))  # noqa: T201
        return 0
    campaign = Campaign(folder, options, scenes)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # told as Ctrl-C is
    began = told = time.monotonic()
    number = options.trial
    try:
        while campaign.tally.faults < options.faults:
            campaign.trial(number := number if options.trial else number + 1)
            if options.trial:
                break
            if time.monotonic() - told > _EVERY:
                told = time.monotonic()
                print(_progress(campaign, told - began), flush=True)  # noqa: T201
    except KeyboardInterrupt:
        for one in (signal.SIGTERM, signal.SIGINT):  # `timeout` sends two
            signal.signal(one, signal.SIG_IGN)
        print("Stopped. So far:", flush=True)  # noqa: T201
    for line in campaign.tally.lines():
        print(line)  # noqa: T201
    for name, why in campaign.left_out.items():
        print(f"Left out: {name}: {why}")  # noqa: T201
    return 1 if campaign.tally.problems else 0


def _import(modules: Sequence[str]) -> None:
    """Import what a work needed, so that the next copies of this process have it."""
    for name in sorted(modules):
        if name.partition(".")[0] in _IMPORTED and name not in sys.modules:
            with suppress(ImportError):
                importlib.import_module(name)
    gc.freeze()  # a collection in a copy would write to every page


def _scenes(desk: Path, only: str) -> dict[str, Scene]:
    plain = [
        PlainTraining(name, desk / "small", small.recipe(**options, threads=1))
        for name, options in _SMALL.items()
    ]
    groups: dict[str, list[Scene]] = {"works": [*plain, *works(desk)], "models": [*shipped(desk)]}
    every = {one.name: one for group in groups.values() for one in group}
    careless = CarelessScene("careless", desk / "careless")
    known = {**every, careless.name: careless}
    if not only:
        return every
    named = [_named_by(pattern, known, groups) for pattern in only.split(";") if pattern]
    return {one.name: one for several in named for one in several}


def _named_by(
    pattern: str, known: Mapping[str, Scene], groups: Mapping[str, Sequence[Scene]]
) -> list[Scene]:
    """Return the scenes of a group, or those whose names fit a pattern."""
    found = groups.get(pattern) or [known[name] for name in fnmatch.filter(known, pattern)]
    if not found:
        raise SystemExit(f"--only: no work is called {pattern}. See --list.")
    return list(found)


def _progress(campaign: Campaign, spent: float) -> str:
    done, all_of = campaign.tally.faults, campaign.options.faults
    left = spent * (all_of - done) / max(done, 1)
    return (
        f"{done} of {all_of} faults, {campaign.tally.trials.total()} trials,"
        f" {len(campaign.tally.problems)} problems, {left / 60:.0f} min left"
    )


def _refused(left: set[Path], trouble: Fault | Blow, life: Life) -> list[str]:
    """Say what may not be: a crash, a hang, something half written behind an error in words."""
    wrong = [f"WRONG: it {life.word}"] if life.word in ("crashed", "hung") else []
    error = life.word in ("told", "system") and life.hit.split(" ")[0] not in _GONE
    if error and isinstance(trouble, Fault) and not trouble.kind.lasts:
        wrong += [f"WRONG: {one} is left" for one in sorted(left)]
    return wrong


def _drawn(chance: Random, known: Known) -> Fault | Blow:
    if chance.random() < _OUTSIDE:
        blow = chance.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT))
        return Blow(blow, chance.uniform(0.0, 1.1 * known.seconds))
    return draw(chance, known.counts)


def _named(trouble: Fault | Blow) -> str:
    if isinstance(trouble, Fault):
        return trouble.kind.name
    names = {signal.SIGKILL: "killed", signal.SIGTERM: "SIGTERM", signal.SIGINT: "Ctrl-C"}
    return f"{names[signal.Signals(trouble.signal)]} at a random moment"


def _where(hit: str) -> str:
    """Say which file a fault hit, by what it is for."""
    _, _, path = hit.partition(" ")
    parts = Path(path).parts
    rooms = {
        "checkpoints": "checkpoints",
        "store": "stored ids",
        "out": "outputs of shards",
        "shards": "inputs",
    }
    found = next((rooms[part] for part in reversed(parts) if part in rooms), "")
    if found or not path:
        return found or "(by the clock)"
    name = re.split(r"\.\d+@|\.part", parts[-1].lstrip("."))[0]
    known = (
        *("recipe.yaml", "saccade.json", "model.safetensors", "metrics.jsonl", "train.log"),
        *("report.html", "README.md", "examples.json", "rivals.json", "profile.json", "lock"),
    )
    return name if name in known else "codecs" if "json" in name else "other files"

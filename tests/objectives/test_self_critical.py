"""Self-critical training: its estimate, over all that can be drawn, is the exact gradient."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.testing import assert_close

from saccade.errors import RecipeError
from saccade.flow import Batch
from saccade.objectives import self_critical
from saccade.objectives._outputs import greedy, log_probs_of
from saccade.objectives.cross_entropy import cross_entropy
from saccade.objectives.self_critical import SelfCritical
from saccade.tokenizers._vocabulary import END, UNK
from tests.objectives import small
from tests.train import small as runs

STUDIED = [["a b", "b a"], ["b"], ["a a b"]]
REFERENCES = (((4, 5), (5, 4)), ((5,), (5, 5)))


def critic(**options: float) -> SelfCritical:
    objective = SelfCritical(small.letters, **options)  # type: ignore[arg-type]
    objective.study(STUDIED)
    return objective


def batch() -> Batch:
    return replace(small.batch(), references=REFERENCES)


@pytest.mark.parametrize("kind", ["bahdanau", "post"])
def test_unbiased(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over all captions, each as often as it comes, it is the gradient of the mean reward."""
    model, objective, drawn = small.model(kind), critic(), small.outputs(2)
    everything = [drawn] * 2
    log_probs = log_probs_of(model, batch().sources, everything)  # [2, N]
    rewards = objective.rewards(everything, REFERENCES)  # [2, N]
    assert len(set(rewards.flatten().tolist())) > 3
    exact = small.gradient(-(log_probs.exp() * rewards).sum(), model)
    # One caption is drawn for each of the two examples; their gradients add up.
    total = torch.zeros((), dtype=torch.float64)
    for n, output in enumerate(drawn):
        monkeypatch.setattr(self_critical, "sampled", lambda *_, o=output: [[o], [o]])
        for row in range(2):
            p = log_probs[row, n].exp().detach()
            loss = objective(model, _only(batch(), row), small.moment())
            total = total + p * loss.total
    for one, two in zip(small.gradient(total, model), exact, strict=True):
        assert_close(one, two)


def _only(whole: Batch, row: int) -> Batch:
    """Take the batch with the other example's reward held at nought, by naming it unknown."""
    other = tuple(r if i == row else ((UNK,),) for i, r in enumerate(whole.references))
    return replace(whole, references=other)


def test_all_references_count() -> None:
    """The mean over references: what is like both earns more than what is like one."""
    objective = critic()
    written = [[(4, 5, END)]]
    one = objective.rewards(written, [[(4, 5)]])
    both = objective.rewards(written, [[(4, 5), (5, 5)]])
    apart = objective.rewards(written, [[(5, 5)]])
    assert_close(both, (one + apart) / 2)
    assert one > both > apart


def test_a_caption_that_does_not_end_earns_less() -> None:
    objective = critic()
    ended, cut = objective.rewards([[(4, 5, END), (4, 5)]], [[(4, 5)]])[0]
    assert ended > cut


def test_an_unknown_word_is_never_right() -> None:
    """It earns what any other wrong word does."""

    def letters(ids: object) -> str:
        assert isinstance(ids, list | tuple)
        return " ".join({UNK: "⁇", 4: "a", 5: "new"}[i] for i in ids if i in (UNK, 4, 5))

    objective = SelfCritical(letters)
    objective.study(STUDIED)
    known = [[(4, UNK)]]
    unknown, wrong = objective.rewards([[(4, UNK, END), (4, 5, END)]], known)[0]
    right = objective.rewards([[(4, 5, END)]], [[(4, 5)]])[0, 0]
    assert_close(unknown, wrong)
    assert right > unknown


def test_silent_where_sampling_is_no_better(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written greedily has no advantage over itself."""
    model, objective = small.model(), critic()
    own = greedy(model, batch())
    monkeypatch.setattr(self_critical, "sampled", lambda *_: own)
    loss = objective(model, batch(), small.moment())
    assert all(g.abs().max() < 1e-12 for g in small.gradient(loss.total, model))
    assert_close(loss.total, (1 - objective.rewards(own, REFERENCES)).sum())


def test_the_likelihood_is_added() -> None:
    model = small.model()
    plain, mixed = (
        critic(likelihood=weight)(model, batch(), small.moment()) for weight in (0.0, 0.5)
    )
    assert_close(mixed.total - plain.total, 0.5 * cross_entropy(model, batch()).total)
    assert mixed.parts["risk"] == pytest.approx(plain.total.item())
    assert mixed.count == 5


def test_a_run_asks_for_all_references_and_resumes_bit_for_bit(tmp_path: Path) -> None:
    seen: list[int] = []
    lines = [{"source": n, "target": [t, t[::-1], t + "z"]} for n, t in runs.pairs(0, 40)]
    path = tmp_path / "train.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    valid = {"kind": "pairs", "pairs": runs.pairs(100, 108)}
    side = {"tokenizer": "character"}
    train = {"kind": "jsonl", "path": str(path)}
    data = {"train": train, "valid": valid, "source": side, "target": side}
    options: dict[str, Any] = {"data": data, "objective": {"kind": "self_critical"}}
    whole = runs.run(tmp_path / "whole", **options, max_steps=4)
    runs.run(tmp_path / "parts", **options, max_steps=2)
    runs.run(tmp_path / "parts", resume=True, **options, max_steps=4)
    runs.assert_same(tmp_path / "whole", tmp_path / "parts")
    batches, decode = whole.bench.batches, whole.bench.codecs.target.decode
    for row in batches.references([0, 4, 119]):
        seen.append(len(row))
        texts = [decode(ids) for ids in row]
        assert texts[1:] == [texts[0][::-1], texts[0] + "z"]
    assert seen == [3, 3, 3]
    assert len(list(batches.all_references())) == 40


def test_what_it_refuses() -> None:
    with pytest.raises(RecipeError, match="self_critical weighs words by how many training examp"):
        SelfCritical(small.letters)(small.model(), batch(), small.moment())
    with pytest.raises(RecipeError, match=r"self_critical.samples: 0 is below 1; draw 1 outputs"):
        SelfCritical(small.letters, samples=0)
    with pytest.raises(RecipeError, match=r"self_critical.likelihood: -1 is below 0; 0 leaves"):
        SelfCritical(small.letters, likelihood=-1)

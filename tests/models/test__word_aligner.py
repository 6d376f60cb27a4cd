"""Models of word alignment: exact against listing all alignments, and what they refuse."""

from math import exp

import pytest
import torch

from saccade.errors import CheckpointError, DataError, RecipeError
from saccade.folders.model import put_weights
from saccade.models._aligner import REACH
from saccade.models._word_aligner import WordAligner, hazard
from saccade.models.base import LaidPairs
from saccade.models.ibm1 import Ibm1
from saccade.train import weights
from tests.models.aligning import SIZE, TEXT, Prior, corpus, counted, laid, listed
from tests.samples import batch_of, sides

KINDS = ("ibm1", "ibm2", "hmm_alignment")
NEW = [([5, 4], [7, 6]), ([4], [9, 6, 6]), ([6, 6, 4], [10])]


def prior_of(model: WordAligner, kind: str) -> Prior:
    null = model.settings.null

    def prior(path: tuple[int, ...], S: int) -> float:
        p, last = 1.0, 0
        for j, i in enumerate(path, start=1):
            if kind == "ibm1":
                p /= S + 1
            elif i == 0:
                p *= null
            else:
                if kind == "ibm2":
                    pull = float(model.tension[0])
                    each = [exp(-pull * abs(k / S - j / len(path))) for k in range(1, S + 1)]
                else:
                    each = [float(model.jumps[k - last + REACH]) for k in range(1, S + 1)]
                p *= (1 - null) * each[i - 1] / sum(each)
                last = i
        return p

    return prior


@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_those_of_all_alignments(kind: str) -> None:
    model = counted(kind)
    for xs, ys in [*TEXT, *NEW]:
        batch = batch_of((xs, ys))
        decoded = model(batch, look=True)
        total, posterior = listed(model, xs, ys, prior_of(model, kind))
        nll, _ = model.head.loss(decoded.features[0], batch.target.values[0])
        assert -nll.item() == pytest.approx(total, abs=1e-4)
        there = decoded.weights[0, : len(ys), 0, : len(xs)]
        torch.testing.assert_close(there.double().numpy(), posterior, atol=1e-5, rtol=1e-4)
        assert decoded.weights[0, len(ys), 0].tolist() == [0.0] * len(xs) + [1.0]


@pytest.mark.parametrize("kind", KINDS)
def test_one_look_up_says_what_all_symbols_say(kind: str) -> None:
    model, batch = counted(kind), batch_of(*NEW)
    features, mask = model(batch).features, batch.target.mask
    gold = batch.target.values[mask]
    wanted = -model.head.log_probs(features)[mask].gather(1, gold[:, None])[:, 0]
    torch.testing.assert_close(model.head.loss(features[mask], gold)[1], wanted)


def test_all_lengths_add_up() -> None:
    S, length = torch.tensor(3.0).double(), torch.tensor([1.5, 0.7]).double()
    left, whole = 1.0, 0.0
    for t in range(60):
        going, ending = hazard(S, torch.tensor(float(t)).double(), length)
        whole += left * float(ending.exp())
        left *= float(going.exp())
    assert whole == pytest.approx(1.0, abs=1e-6)


def test_a_pass_tells_what_it_did() -> None:
    model = Ibm1(*sides(SIZE))
    found = model.count(corpus(), 0)
    assert found.told.startswith("ibm1: log-likelihood -")
    assert found.told.endswith("14 pairs of words occur together.")
    assert {"log-likelihood", "perplexity", "linked"} < set(found.figures)
    with pytest.raises(DataError, match="ibm1: there is nothing to align; expected pairs"):
        model.count(LaidPairs({"source": laid([])}, laid([])), 0)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"passes": 0}, "ibm1.passes: 0 is not between 1 and 1000"),
        ({"prior": -1.0}, "ibm1.prior: -1.0 is not between 0 and 100"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, float], told: str) -> None:
    with pytest.raises(RecipeError, match=told):
        Ibm1(*sides(SIZE), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [
        (
            "head.keys",
            lambda x: x.flip(0),
            "its words are not in order; expected translations of 1",
        ),
        ("head.keys", lambda x: x + 1000, "its words are not in order"),
        ("head.keys", lambda x: x.int(), "head.keys is of type int32; expected int64"),
        ("head.rows", lambda x: x * 0, "its rows do not find their words"),
        ("head.t", lambda x: x * float("nan"), "a number is not finite"),
        ("head.floors", lambda x: x - 1, "a probability is not in 0 to 1"),
        ("head.t", lambda x: x[1:], r"its arrays have the shapes \[14\], \[14\], \[13\]"),
        ("jumps", lambda x: x[1:], "jumps is missing or has another size; expected 121 numbers"),
        ("tension", lambda x: -x, "tension has numbers that are not finite or below 0"),
    ],
)
def test_a_damaged_file_is_refused(name: str, change: object, told: str) -> None:
    model = counted("ibm1")
    saved = {key: one.clone() for key, one in weights.of(model).items()}
    assert callable(change)
    with pytest.raises(CheckpointError, match=told):
        put_weights(Ibm1(*sides(SIZE)), {**saved, name: change(saved[name])}, "x")
    saved.pop("head.t")
    with pytest.raises(CheckpointError, match="another model's: t is missing"):
        put_weights(Ibm1(*sides(SIZE)), saved, "x")

import pytest
import torch
from torch.testing import assert_close

from saccade.encoders.base import Encoder
from saccade.errors import RecipeError
from saccade.flow import SOURCE, nested, tensor
from saccade.models.base import Model
from saccade.models.ctc import Ctc
from saccade.objectives.cross_entropy import cross_entropy
from saccade.objectives.ctc import CtcLikelihood, likelihood
from saccade.parts import Part
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from saccade.search._prefix_sums import IMPOSSIBLE
from saccade.search.base import Search, Task
from saccade.search.exhaustive import Exhaustive
from saccade.tokenizers._vocabulary import END, PAD, START
from tests.models.test__lattice import every_path, spelt
from tests.objectives.small import gradient, moment
from tests.samples import (
    CTC,
    PAIRS,
    backward,
    batch_of,
    codecs,
    missing_gradients,
    pairs_batch,
    scramble,
    sides,
    vocabulary,
)

RNN = Part(Encoder, "rnn", {"hidden": 8, "dropout": 0.0})
PYRAMID = Part(Encoder, "pyramid", {"hidden": 8, "layers": 2, "dropout": 0.0})
SIZE = 7
OPTIONS: list[dict[str, object]] = [
    {},
    {"split": 2},
    {"encoder": PYRAMID},
    {"upper": PYRAMID},
    {"encoder": PYRAMID, "upper": PYRAMID},
    {"encoder": Part(Encoder, "none"), "upper": RNN},
]


def build(**options: object) -> Ctc:
    given = {"embedding": 8, "dropout": 0.0, "encoder": RNN, **options}
    model = scramble(Part(Model, "ctc", given).build(*sides(SIZE))).double()
    assert isinstance(model, Ctc)
    return model


def test_label_by_label_multiplies_to_the_sum_of_all_paths() -> None:
    model, batch = build(), batch_of(([4, 5, 6], [4, 4]), ([5], [6]), ([4, 4, 4], []))
    log_probs = model.head.log_probs(model(batch).features)
    frames = model.read_frames(batch.sources)
    for row, target in enumerate([(4, 4), (6,), ()]):
        said = frames.log_probs[row, : int(frames.mask[row].sum())]
        assert_close(said.exp().sum(dim=1), torch.ones(len(said)).double())
        total = torch.tensor([p for path, p in every_path(said) if spelt(path) == target])
        found = sum(log_probs[row, t, v].item() for t, v in enumerate((*target, END)))
        assert found == pytest.approx(total.double().logsumexp(dim=0).item())


def test_search_over_labels_finds_the_likeliest_of_all() -> None:
    model, batch = build(), batch_of(([4, 5], []))
    task = Task(START, END, torch.tensor([3]), (PAD, START))
    with torch.no_grad():
        state = model.start(batch.sources)
        (found,) = Exhaustive(length_penalty=0.0, n_best=200)(model.step, state, task)
    sums: dict[tuple[int, ...], list[float]] = {}
    for path, p in every_path(tensor(nested(state, SOURCE), "frames")[0]):
        if not {START, END} & set(path):
            sums.setdefault(spelt(path), []).append(p)
    right = {labels: torch.tensor(ps).double().logsumexp(0).item() for labels, ps in sums.items()}
    known = {h.tokens: h.score for h in found.hypotheses if h.finished and h.score > IMPOSSIBLE}
    assert known == pytest.approx(right, abs=1e-4)
    assert found.hypotheses[0].tokens == max(right, key=lambda labels: right[labels])


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_looks_at_the_frames_of_each_label(options: dict[str, object]) -> None:
    model, batch = build(**options), batch_of(([4, 5, 6, 4, 5], [4, 5]), ([5, 6, 4], [6]))
    weights = model(batch, look=True).weights
    assert weights is not None
    assert weights.shape == (2, 3, 1, 6)
    assert_close(weights[0].sum(dim=2), torch.ones(3, 1).double())
    assert_close(weights[1, :2].sum(dim=2), torch.ones(2, 1).double())
    _, state = model.step(batch.prefix[:, 0], model.start(batch.sources))
    onset = model.advance(batch.prefix[:, 1], state, look=True).weights
    assert onset is not None
    assert onset.shape == (2, 1, 6)
    assert_close(onset[0].sum(dim=1), torch.ones(1).double())
    assert (onset[1, 0, 4:] == 0).all()


@pytest.mark.parametrize(
    ("options", "n"),
    [
        ({}, 6),
        ({"split": 3}, 18),
        ({"encoder": PYRAMID}, 3),
        ({"encoder": PYRAMID, "upper": PYRAMID, "split": 2}, 4),
    ],
)
def test_knows_how_many_frames_there_are(options: dict[str, object], n: int) -> None:
    model, batch = build(**options), batch_of(([4, 5, 6, 4, 5], []))
    assert model.read_frames(batch.sources).log_probs.shape[1] == n
    assert model.n_frames({"source": (6,)}) == n


def test_cross_entropy_is_the_loss_of_ctc() -> None:
    model, batch = build(), batch_of(([4, 5, 6, 4], [4, 4]), ([5, 6], [6]), ([4], []))
    clear, fast = cross_entropy(model, batch), CtcLikelihood(str)(model, batch, moment())
    assert_close(clear.total, fast.total)
    assert clear.count == fast.count
    assert_close(gradient(fast.total, model), gradient(clear.total, model))


def test_a_split_out_of_range_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"ctc.split: 0 is not in 1 to 16; 1 makes one frame"):
        Ctc(*sides(6), split=0)


@pytest.mark.parametrize("search", ["beam", "ctc_greedy"])
def test_learns_pairs(search: str) -> None:
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model = CTC.build(*sides(len(vocabulary())))
    optimiser = torch.optim.Adam(model.parameters(), lr=2e-2)
    objective = CtcLikelihood(str)
    for step in range(120):
        loss = objective(model, pairs_batch(), moment(step))
        optimiser.zero_grad()
        backward(loss.total / loss.count)
        optimiser.step()
    found = Predictor(model, codecs(), Decoding(search=Part(Search, search)))
    assert [one.text for one in found.translate([s for s, _ in PAIRS])] == [t for _, t in PAIRS]
    alone = [found.translate(s) for s, _ in PAIRS]
    assert [one.text for one in alone] == [t for _, t in PAIRS]
    assert alone[0].attention is not None


def test_lower_layers_have_a_share_of_the_loss() -> None:
    model, batch = build(upper=PYRAMID), batch_of(([4, 5, 6, 4], [4, 5]), ([5, 6], [6]))
    frames = model.read_frames(batch.sources)
    assert frames.early is not None
    assert (frames.log_probs.shape[1], frames.early.log_probs.shape[1]) == (3, 5)
    loss = CtcLikelihood(str, early=0.25)(model, batch, moment())
    main, early = likelihood(frames, batch), likelihood(frames.early, batch)
    assert_close(loss.total, 0.75 * main.total + 0.25 * early.total)
    assert loss.parts == pytest.approx({"nll": main.total.item(), "early": early.total.item()})
    backward(loss.total)
    assert missing_gradients(model) == []

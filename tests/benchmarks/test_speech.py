"""The plain loop of speech is the same model as ours, on the same batches."""

import torch

from benchmarks.reference.ctc import PlainTraining, Shape
from benchmarks.speech import Timed, utterances
from saccade.embedders.base import Embedder
from saccade.encoders.base import Encoder
from saccade.flow import Batch, Padded
from saccade.models.ctc import Ctc
from saccade.nouns import SOURCE_NAME, Side
from saccade.objectives.ctc import likelihood
from saccade.parts import Part

SHAPE = Shape(bands=8, channels=4, width=16, hidden=16, labels=9)
END = 3


def drawn() -> Batch:
    """Three sounds of 24 frames with 2, 1 and 3 labels."""
    torch.manual_seed(1)
    target = torch.tensor([[5, 5, END, 0], [4, END, 0, 0], [8, 4, 6, END]])
    mask = torch.tensor([[1, 1, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1]]).bool()
    source = Padded(torch.randn(3, 24, SHAPE.bands), torch.ones(3, 24, dtype=torch.bool))
    return Batch({SOURCE_NAME: source}, Padded(target, mask), target)


def ours() -> Ctc:
    encoder = {"cell": "lstm", "hidden": SHAPE.hidden, "layers": SHAPE.layers}
    return Ctc(
        {SOURCE_NAME: Side(SHAPE.bands, embedder="spectrogram")},
        Side(SHAPE.labels),
        embedder=Part(Embedder, "spectrogram", {"width": SHAPE.channels, "stride": 4}),
        encoder=Part(Encoder, "rnn", encoder),
        embedding=SHAPE.width,
    )


def copied(model: Ctc) -> PlainTraining:
    """Return the plain loop with our weights."""
    given, plain = model.state_dict(), PlainTraining(SHAPE)
    names = {"first": "stages.0", "second": "stages.1", "project": "output", "norm": "norm"}
    weights = {
        f"{name}.{part}": given[f"reading.embedders.source.{own}.{part}"]
        for name, own in names.items()
        for part in ("weight", "bias")
    }
    bands = weights["project.weight"].unflatten(1, (-1, SHAPE.channels))  # ours: bands, channels
    weights["project.weight"] = bands.transpose(1, 2).flatten(1)
    for layer in range(SHAPE.layers):
        for way, ending in enumerate(("", "_reverse")):
            own = f"reading.encoders.source.layers.{layer}.{way}"
            end = f"l{layer}{ending}"
            weights[f"lstm.weight_ih_{end}"] = given[f"{own}.W"]
            weights[f"lstm.weight_hh_{end}"] = given[f"{own}.U"]
            weights[f"lstm.bias_ih_{end}"] = given[f"{own}.b"]
            weights[f"lstm.bias_hh_{end}"] = torch.zeros_like(given[f"{own}.b"])
    weights |= {f"output.{part}": given[f"output.{part}"] for part in ("weight", "bias")}
    plain.model.load_state_dict(weights)
    return plain


def test_labels_lie_one_behind_the_other_without_end() -> None:
    laid = utterances(drawn())
    assert laid.labels.tolist() == [5, 5, 4, 8, 4, 6]
    assert laid.lengths.tolist() == [2, 1, 3]
    assert laid.frames.tolist() == [24, 24, 24]


def test_both_find_the_same_loss() -> None:
    batch, model = drawn(), ours().eval()
    # No frame is START or END with us; the plain loop has to be told.
    with torch.no_grad():
        model.output.bias[2:4] = -1e4
    plain = copied(model).model.eval()
    laid = utterances(batch)
    said, frames = plain(laid.features, laid.frames)
    total = torch.nn.functional.ctc_loss(said, laid.labels, frames, laid.lengths, reduction="sum")
    wanted = likelihood(model.read_frames(batch.sources), batch).total
    torch.testing.assert_close(total, wanted, rtol=1e-4, atol=1e-4)


def test_updates_of_the_plain_loop_learn() -> None:
    torch.manual_seed(1)
    plain, laid = PlainTraining(SHAPE), utterances(drawn())
    losses = [plain.update(laid) for _ in range(12)]
    assert losses[-1] < losses[0]


def test_the_loader_is_taken_off_both() -> None:
    found = Timed(loader=1.0, ours=3.0, plain=5.0)
    assert (found.whole, found.alone) == (5 / 3, 2.0)

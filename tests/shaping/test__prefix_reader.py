import pytest
import torch
from torch.testing import assert_close

from saccade.flow import Batch, State, Step, padded
from saccade.models.base import Model, Writer, writer
from saccade.parts import Part
from saccade.shaping._prefix_reader import PrefixReader
from saccade.tokenizers._vocabulary import END, START
from tests.samples import scramble, sides, vocabulary

DECODERS = [
    {"kind": "rnn", "hidden": 12, "attention": "none", "wiring": "luong", "input_feeding": False},
    {"kind": "transformer", "layers": 1, "attention": {"kind": "multihead", "heads": 2}},
]


def language_model(decoder: dict[str, object]) -> Writer:
    options = {"embedding": 12, "dropout": 0.0, "decoder": decoder}
    built = Part(Model, "language_model", options).build(*sides(len(vocabulary())))
    return writer(scramble(built, scale=0.2).eval())


def by_heart(model: Writer, prefixes: torch.Tensor) -> torch.Tensor:
    begun = torch.nn.functional.pad(prefixes, (1, 0), value=START)
    nothing = padded([[END]] * len(begun))
    return model.head.log_probs(model(Batch({"source": nothing}, nothing, begun)).features[:, -1])


@pytest.mark.parametrize("decoder", DECODERS, ids=lambda one: str(one["kind"]))
@pytest.mark.parametrize("most", [1 << 24, 0], ids=["kept", "let-go"])
def test_it_says_what_the_whole_prefix_says(decoder: dict[str, object], most: int) -> None:
    model = language_model(decoder)
    reader = PrefixReader(model, most)
    asked = [[[5, 6], [7, 4]], [[5, 6, 4], [5, 6, 7], [5, 6, 4]], [[4, 4, 4, 4]], [[]], [[7, 4]]]
    with torch.no_grad():
        for rows in asked:
            prefixes = torch.tensor(rows, dtype=torch.long)
            assert_close(reader(prefixes), by_heart(model, prefixes))


def test_a_prefix_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model, tokens = language_model(DECODERS[0]), list[list[int]]()
    step = model.step

    def seen(token: torch.Tensor, state: State) -> Step:
        tokens.append(token.tolist())
        return step(token, state)

    monkeypatch.setattr(model, "step", seen)
    reader = PrefixReader(model)
    asked: list[list[list[int]]] = [[[]], [[5], [6], [5]], [[5, 7], [6, 7], [6, 4]], [[5, 7]]]
    for rows in asked:
        reader(torch.tensor(rows, dtype=torch.long))
    assert reader(torch.zeros(0, 2, dtype=torch.long)).shape == (0, len(vocabulary()))
    assert tokens == [[START], [5, 6], [7, 7, 4]]

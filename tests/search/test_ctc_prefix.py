from dataclasses import replace

import pytest
import torch

from saccade.errors import RecipeError
from saccade.flow import SOURCE, nested, tensor
from saccade.search.base import Found, Task
from saccade.search.ctc_prefix import CtcPrefix
from tests.models.test__lattice import every_path, spelt
from tests.samples import kernels_off
from tests.search.toys import chain_step, frame_state, frame_task

KEYS = [3, 9, 24, 31]
NEVER = float("-inf")


def run(search: CtcPrefix, task: Task | None = None) -> list[Found]:
    return search(chain_step, frame_state(KEYS), task or frame_task([9] * 4))


def sums(row: int) -> dict[tuple[int, ...], float]:
    """Log-probabilities of all label sequences, by listing all paths."""
    found: dict[tuple[int, ...], list[float]] = {}
    frames = tensor(nested(frame_state(KEYS[row : row + 1]), SOURCE), "frames")[0]
    for path, log_prob in every_path(frames):
        if not {1, 2} & set(path):
            found.setdefault(spelt(path), []).append(log_prob)
    return {k: torch.tensor(ps).double().logsumexp(0).item() for k, ps in found.items()}


@pytest.mark.usefixtures("each_form")
def test_a_wide_beam_finds_the_best_of_all_with_their_exact_sums() -> None:
    for row, found in enumerate(run(CtcPrefix(width=900, n_best=20))):
        right = sorted(sums(row).items(), key=lambda one: -one[1])[:20]
        assert [h.tokens for h in found.hypotheses] == [labels for labels, _ in right]
        assert [h.score for h in found.hypotheses] == pytest.approx([p for _, p in right])
        assert all(h.finished for h in found.hypotheses)


def test_what_is_found_is_measured_by_all_its_paths() -> None:
    for row, found in enumerate(run(CtcPrefix(width=2))):
        (best,) = found.hypotheses
        assert best.score == pytest.approx(sums(row)[best.tokens])
        assert sum(best.token_scores) == pytest.approx(best.score)


def test_kernels_change_nothing() -> None:
    fast = run(CtcPrefix(width=4, n_best=3))
    with kernels_off():
        assert run(CtcPrefix(width=4, n_best=3)) == fast


def test_only_the_best_symbols_of_each_frame() -> None:
    frames = tensor(nested(frame_state(KEYS), SOURCE), "frames").clone()
    labels = frames[:, :, 3:]
    least = labels.min(dim=2, keepdim=True).values
    frames[:, :, 3:] = labels.masked_fill(labels == least, -1e30)
    few = CtcPrefix(width=5, n_best=5)(
        chain_step, {SOURCE: {"frames": frames}}, frame_task([9] * 4)
    )
    found = run(CtcPrefix(width=5, n_best=5, symbols=2))  # whose scores are by all symbols
    for some, same in zip(found, few, strict=True):
        assert {h.tokens for h in some.hypotheses} == {h.tokens for h in same.hypotheses}


def test_shapers_are_asked_what_they_add() -> None:
    def price(prefixes: torch.Tensor, log_probs: torch.Tensor) -> torch.Tensor:
        added = torch.zeros_like(log_probs)
        added[:, 4] = -0.7
        added[:, 2] = 0.3 * prefixes.shape[1]  # END
        return log_probs + added

    task = replace(frame_task([9] * 4), shapers=(price,))
    for row, found in enumerate(run(CtcPrefix(width=900, n_best=10), task)):
        right = {k: p - 0.7 * k.count(4) + 0.3 * len(k) for k, p in sums(row).items()}
        best = sorted(right, key=lambda labels: -right[labels])[:10]
        assert [h.tokens for h in found.hypotheses] == best
        assert [h.score for h in found.hypotheses] == pytest.approx([right[k] for k in best])


def test_nothing_but_words_of_a_lexicon() -> None:
    words = {(3, 4), (3, 4, 5), (5,)}

    def lexicon(prefixes: torch.Tensor, log_probs: torch.Tensor) -> torch.Tensor:
        edited = torch.full_like(log_probs, NEVER)
        for row, prefix in enumerate(prefixes.tolist()):
            for word in words:
                if list(word[: len(prefix)]) == prefix:
                    following = word[len(prefix)] if len(word) > len(prefix) else 2
                    edited[row, following] = log_probs[row, following]
        return edited

    task = replace(frame_task([9] * 4), shapers=(lexicon,))
    for row, found in enumerate(run(CtcPrefix(width=50, n_best=5), task)):
        known = {k: p for k, p in sums(row).items() if k in words}
        assert {h.tokens: h.score for h in found.hypotheses if h.finished} == pytest.approx(known)


def test_options_out_of_range() -> None:
    with pytest.raises(RecipeError) as error:
        CtcPrefix(width=0, n_best=3, symbols=-1)
    for text in ("width: 0 is below 1", "n_best: 3 is not between 1", "symbols: -1 is below 0"):
        assert f"ctc_prefix.{text}" in str(error.value)


def test_flashlight_text_finds_the_same() -> None:
    decoder = pytest.importorskip("flashlight.lib.text.decoder", reason="an oracle")
    options = decoder.LexiconFreeDecoderOptions(
        beam_size=2000,
        beam_size_token=6,
        beam_threshold=1e9,
        lm_weight=0.0,
        sil_score=0.0,
        log_add=True,
        criterion_type=decoder.CriterionType.CTC,
    )
    search = decoder.LexiconFreeDecoder(options, decoder.ZeroLM(), -1, 0, [])
    found = run(CtcPrefix(width=900, n_best=8))
    for row, key in enumerate(KEYS):
        frames = tensor(nested(frame_state([key]), SOURCE), "frames")[0].contiguous()
        theirs = search.decode(frames.data_ptr(), *frames.shape)
        labels = [spelt([i for i in one.tokens[1:-1] if i >= 0]) for one in theirs]
        first = list(dict.fromkeys(one for one in labels if not {1, 2} & set(one)))
        assert [h.tokens for h in found[row].hypotheses][:3] == first[:3]

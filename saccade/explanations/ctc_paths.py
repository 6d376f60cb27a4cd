"""The paths of frames that spell a word."""

import math
from functools import partial
from itertools import product

import torch
from torch import Tensor

from saccade.errors import RecipeError
from saccade.explanations._toys import FIRST, batch_of
from saccade.explanations.base import Explained, Explanation
from saccade.flow import Frames
from saccade.models._lattice import frames_needed
from saccade.objectives.ctc import likelihood, path_likelihood
from saccade.search._frames import BLANK
from saccade.views import bars
from saccade.views.drawing import Drawing, colourless

_SHOWN = 12  # likeliest paths of the picture
_MOST = 2_000_000  # paths of all kinds that are enumerated
_BLANK = "-"

Path = tuple[int, ...]


class CtcPaths(Explanation):
    """Which paths of CTC spell a word, and why does a doubled letter need a blank?

    Frames say a letter of `word` or the blank `-`, with probabilities of a softmax over N(0, 1)
    numbers. A path spells what is left when repeats are written once and then blanks left out:

        hheel-lo -> hello        hheelloo -> helo

    All (letters + 1)^frames paths are listed, and those that spell the word are summed:

        p(word) = sum over its paths of prod_t y[t, path[t]]

    The same number comes from the forward sums of `objectives/ctc.py`, which list no path, and from
    the loss that a model is trained with. Graves et al. 2006, eqs. 3 and 6.
    """

    def __init__(self, *, seed: int = 1, word: str = "hello", frames: int = 7) -> None:
        self.seed = seed
        self.word = word
        self.frames = frames

    def run(self) -> Explained:
        """List the paths, sum them, and compare with the forward sums and the loss."""
        letters = sorted(set(self.word))
        ids = [FIRST + letters.index(letter) for letter in self.word]
        needed = self._check(len(letters), ids)
        noise = torch.Generator().manual_seed(self.seed)
        logits = torch.randn(self.frames, len(letters) + 1, generator=noise, dtype=torch.float64)
        y = logits.log_softmax(dim=1)  # [S, blank and letters]
        spelt = _paths(y, tuple(1 + letters.index(letter) for letter in self.word))
        total = math.fsum(math.exp(score) for score in spelt.values())
        forward, loss = _known(y, ids)
        gap = max(abs(total - one) / total for one in (forward, loss))
        names = [_BLANK, *letters]
        shown = {"".join(names[i] for i in path): math.exp(spelt[path]) for path in spelt}
        best = dict(sorted(shown.items(), key=lambda item: -item[1])[:_SHOWN])
        likeliest, share = next(iter(best)), next(iter(best.values())) / total
        doubled = needed - len(ids)
        said = (
            f"Of {(len(letters) + 1) ** self.frames:,} paths of {self.frames} frames {len(spelt)}"
            f" spell {self.word}, which needs {needed} frames, {doubled} of them for blanks between"
            f" doubled letters; the likeliest, {likeliest}, has {share:.1%} of their probability."
            f" All of them together have {total:.3g}, and the forward sums and the loss, which list"
            f" none, find the same with a relative difference of {gap:.0e}."
        )
        title = f"Likeliest paths of '{self.word}', % of its probability"
        values = {path: 100 * p / total for path, p in best.items()}
        drawing = Drawing(
            title,
            partial(bars.to_svg, values, title=title),
            colourless(lambda width: bars.to_terminal(values, title=title, width=width)),
            said=said,
        )
        figures = {"paths": len(spelt), "probability": total, "forward": forward, "loss": loss}
        return Explained(said, drawing, {**figures, "frames needed": needed})

    def _check(self, n_letters: int, ids: list[int]) -> int:
        """Return how many frames the word needs; refuse what has too few or too many paths."""
        where = f"explain ctc-paths: word={self.word},frames={self.frames}"
        if not self.word:
            raise RecipeError(f"{where}: the word is empty; expected one letter or more.")
        needed = int(frames_needed(torch.tensor([ids]), torch.tensor([len(ids)])))
        if self.frames < needed:
            raise RecipeError(
                f"{where}: {needed} frames are needed, one for each letter and a blank between"
                f" doubles; expected frames={needed} or more."
            )
        if (n_letters + 1) ** self.frames > _MOST:
            raise RecipeError(
                f"{where}: {(n_letters + 1) ** self.frames:,} paths are too many to list; expected"
                f" {_MOST:,} or fewer. Give fewer frames, or a word of fewer letters."
            )
        return needed


def _paths(y: Tensor, word: Path) -> dict[Path, float]:
    """Return the log-probability of every path that spells the word, by listing all paths."""
    rows = y.tolist()
    return {
        path: math.fsum(row[i] for row, i in zip(rows, path, strict=True))
        for path in product(range(y.shape[1]), repeat=y.shape[0])
        if collapsed(path) == word
    }


def collapsed(path: Path) -> Path:
    """Return what a path of labels spells; 0 is the blank.

    >>> collapsed((1, 1, 0, 1, 2, 2, 0))
    (1, 1, 2)
    """
    kept = [label for t, label in enumerate(path) if t == 0 or label != path[t - 1]]
    return tuple(label for label in kept if label)


def _known(y: Tensor, ids: list[int]) -> tuple[float, float]:
    """Return the probability of the word by the forward sums, and by the loss of training."""
    never = y.new_full((len(y), FIRST), -torch.inf)  # ids that are no letters
    never[:, BLANK] = y[:, 0]
    log_probs = torch.cat([never, y[:, 1:]], dim=1)[None]  # [1, S, V]
    batch = batch_of([ids], [ids])
    frames = Frames(log_probs, torch.ones(1, len(y), dtype=torch.bool))
    sums = path_likelihood(log_probs, torch.tensor([ids]), torch.tensor([len(ids)]))
    return float(sums.exp()), math.exp(-likelihood(frames, batch).total.item())

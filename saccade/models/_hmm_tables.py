"""What a hidden Markov model has learned, as parameters: checked, looked up, laid out."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from saccade.errors import CheckpointError
from saccade.kernels import trellis
from saccade.models._hmm_counts import Emissions, Transitions
from saccade.search._trellis import Trellis
from saccade.tokenizers._vocabulary import END, PAD, UNK

_NAMES = (*Emissions._fields, *Transitions._fields)
_WHOLE = ("keys", "groups", "candidates", "tags", "pair_keys", "triple_keys")


class LaidWords(NamedTuple):
    """What the words of a batch can be, and END behind them.

    groups: `[B, P]`, rows of candidates.  scores: `[B, P, C]`, how well each candidate fits.
    symbols: `[B, P, C]`, what each writes.  lengths: `[B]`, of words.
    """

    groups: Tensor
    scores: Tensor
    symbols: Tensor
    lengths: Tensor


class HmmTables(nn.Module):
    """The parameters of a hidden Markov model: see `Emissions` and `Transitions`.

    Before anything is counted there is one state, which writes UNK.

    Args:
        size: symbols of the words.
        n_tags: symbols of the tags.
        order: states before one that it depends on.
    """

    keys: Tensor
    groups: Tensor
    scores: Tensor
    candidates: Tensor
    tags: Tensor
    shares: Tensor
    ones: Tensor
    pair_keys: Tensor
    pairs: Tensor
    triple_keys: Tensor
    triples: Tensor

    def __init__(self, size: int, n_tags: int, order: int) -> None:
        super().__init__()
        self.size, self.n_tags, self.order = size, n_tags, order
        for name in _NAMES:
            self.register_parameter(name, nn.Parameter(torch.zeros(0), requires_grad=False))
        alone, none = np.array([[0], [1]]), np.zeros(0)
        self.put(
            Emissions(
                np.arange(size), np.zeros(size), np.ones((size, 1)), alone, np.array([UNK, END])
            ),
            Transitions(np.array([1.0, 0, 0]), np.full(2, 0.5), none, none, none, none),
        )

    def put(self, emissions: Emissions, transitions: Transitions) -> None:
        """Hold other numbers."""
        for name, array in {**emissions._asdict(), **transitions._asdict()}.items():
            kind = np.int64 if name in _WHOLE else np.float64
            self.get_parameter(name).data = torch.from_numpy(np.array(array, dtype=kind))

    def accept(self, given: Mapping[str, Tensor], where: str) -> None:
        """Check tables from a file, and make room for them."""
        missing = [name for name in _NAMES if name not in given]
        if missing:
            raise CheckpointError(
                f"{where}: the weights are another model's: {missing[0]} is missing. Use the folder"
                " as it was written."
            )
        arrays = {name: given[name].detach().cpu().numpy() for name in _NAMES}
        problem = _fault(arrays, self.size, self.n_tags)
        if problem:
            raise CheckpointError(
                f"{where}: {problem}; expected the tables of a hidden Markov model of {self.size}"
                f" words and {self.n_tags} tags. The file is damaged or another model's: copy the"
                " model folder again."
            )
        for name in _NAMES:
            own = self.get_parameter(name)
            own.data = given[name].detach().to(own.device)

    def rows(self, words: Tensor, factors: Tensor) -> Tensor:
        """Return the rows of words with their factors: of the factor alone, or of none, if new."""
        found = torch.full_like(words, -1)
        for keys in (
            factors * self.size + words,
            factors * self.size,
            _unknown(factors, self.size),
        ):
            place = torch.searchsorted(self.keys, keys).clamp(max=len(self.keys) - 1)
            found = torch.where((found < 0) & (self.keys[place] == keys), place, found)
        return found

    def follow(self, a: Tensor, b: Tensor, c: Tensor) -> Tensor:
        """Return p(c | a b) of states, which broadcast; a is not read at order 1."""
        return self._joined(self._short(b, c), a, b, c)

    def _short(self, b: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        """Return p(c), and p(c | b) by counts alone."""
        n, ones = len(self.tags), self.ones[c]
        pairs = _found(self.pair_keys, self.pairs, b * n + c)
        return ones, torch.where(_known(self.pair_keys, b * n, n), pairs, ones)

    def _joined(self, short: tuple[Tensor, Tensor], a: Tensor, b: Tensor, c: Tensor) -> Tensor:
        """Return p(c | a b) of what shorter histories say."""
        (ones, pairs), n = short, len(self.tags)
        l1, l2, l3 = self.shares.tolist()
        if self.order == 1:
            short_mix: Tensor = l1 * ones + l2 * pairs
            return short_mix
        history = (a * n + b) * n
        triples = _found(self.triple_keys, self.triples, history + c)
        triples = torch.where(_known(self.triple_keys, history, n), triples, pairs)
        mixed: Tensor = l1 * ones + l2 * pairs + l3 * triples
        return mixed

    def lay(self, words: Tensor, factors: Tensor, lengths: Tensor) -> LaidWords:
        """Find the candidates of words `[B, S]`, and of END behind them."""
        outer = len(self.candidates) - 1
        place = torch.arange(words.shape[1] + 1, device=words.device)
        inside = place < lengths[:, None]  # [B, P]
        rows = nn.functional.pad(self.rows(words, factors), (0, 1)).masked_fill(~inside, 0)
        groups = torch.where(inside, self.groups[rows], outer)
        states = self.candidates[groups]  # [B, P, C]
        states = states[:, :, : int((states >= 0).sum(dim=2).max())]  # as many as any word has
        width = states.shape[2]
        end = nn.functional.pad(torch.ones_like(self.scores[:1, 0]), (0, width - 1))
        scores = torch.where(inside[:, :, None], self.scores[rows, :width], end)
        symbols = self.tags[states.clamp(min=0)].masked_fill(states < 0, PAD)
        return LaidWords(groups, scores, symbols, lengths)

    def extend(self, message: Tensor, groups: Tensor, place: Tensor) -> Tensor:
        """Go one place on with a message `[B, A, C]` about the two before `place [B]`.

        Only what is not 0 in it is followed: one state each, as a rule.
        """
        row, a, b = message.nonzero(as_tuple=True)  # [n]
        of_a, of_b, of_c = (self._candidates(groups, place - back) for back in (2, 1, 0))
        states = of_c[row, : message.shape[2]].clamp(min=0)  # [n, C]
        ways = self.follow(of_a[row, a, None].clamp(min=0), of_b[row, b, None].clamp(min=0), states)
        ways = ways * message[row, a, b][:, None]
        into = row * message.shape[1] + (b if self.order > 1 else 0)
        reached = torch.zeros_like(message).flatten(0, 1).index_add(0, into, ways)
        return reached.reshape(message.shape)

    def _candidates(self, groups: Tensor, place: Tensor) -> Tensor:
        """Return the candidates of a place of each row `[B, C]`; START before the first."""
        found = groups.gather(1, place.clamp(min=0)[:, None])[:, 0]
        return self.candidates[found.masked_fill(place < 0, len(self.candidates) - 1)]

    def trellis(self, laid: LaidWords) -> Trellis:
        """Lay out all ways through the states."""
        outer, width = len(self.candidates) - 1, laid.scores.shape[2]
        tables, index = self._tables(laid.groups, outer, self.candidates[:, :width])
        return Trellis(tables, index, laid.scores, laid.symbols, laid.lengths)

    def _tables(self, groups: Tensor, outer: int, candidates: Tensor) -> tuple[Tensor, Tensor]:
        """Return p(c | a b) for all candidates of groups that follow each other, each once."""
        n, c = len(candidates), groups
        b = nn.functional.pad(c[:, :-1], (1, 0), value=outer)
        a = nn.functional.pad(b[:, :-1], (1, 0), value=outer)
        a = a if self.order > 1 else torch.zeros_like(a)
        names, index = torch.unique((a * n + b) * n + c, return_inverse=True)
        counted = dict(self.named_parameters())
        found = trellis.followers(names, candidates, self.order, counted)
        return self._followers(names, candidates) if found is None else found, index

    def _followers(self, names: Tensor, candidates: Tensor) -> Tensor:
        """Return p(c | a b) for the candidates of groups named (a n + b) n + c."""
        n = len(candidates)
        two, of_two = torch.unique(names % (n * n), return_inverse=True)
        of_b, of_c = candidates[two // n], candidates[two % n]  # [W, C], in all pairs of groups
        both = (of_b >= 0)[:, :, None] & (of_c >= 0)[:, None]  # [W, C, C]
        b, c = of_b.clamp(min=0)[:, :, None], of_c.clamp(min=0)[:, None]
        ones, pairs = self._short(b, c)
        if self.order == 1:
            return (self._joined((ones, pairs), b, b, c) * both)[of_two, None]
        of_a = candidates[names // (n * n)]  # [U, C]
        u, i, j = ((of_a >= 0)[:, :, None] & (of_b >= 0)[of_two, None]).nonzero(as_tuple=True)
        w, first = of_two[u], of_a[u, i, None]
        found = self._joined((ones[w, 0], pairs[w, j]), first, b[w, j], c[w, 0])  # [n, C]
        width = candidates.shape[1]
        tables = self.scores.new_zeros(len(names), width, width, width)
        tables[u, i, j] = found * both[w, j]
        return tables


def _unknown(factors: Tensor, size: int) -> Tensor:
    return torch.where(factors > 0, UNK * size, 0)


def _found(keys: Tensor, values: Tensor, wanted: Tensor) -> Tensor:
    """Look numbers up; 0 where there is none."""
    if not len(keys):
        return torch.zeros_like(wanted, dtype=values.dtype)
    place = torch.searchsorted(keys, wanted).clamp(max=len(keys) - 1)
    return values[place] * (keys[place] == wanted)


def _known(keys: Tensor, first: Tensor, n: int) -> Tensor:
    """Tell which histories were seen: those with a key among the n from `first` on."""
    if not len(keys):
        return torch.zeros_like(first, dtype=torch.bool)
    place = torch.searchsorted(keys, first.contiguous()).clamp(max=len(keys) - 1)
    return (keys[place] >= first) & (keys[place] < first + n)


def _fault(found: Mapping[str, NDArray[Any]], size: int, n_tags: int) -> str:
    """Say what is wrong with tables; nothing if they are whole."""
    kinds = {name: "int64" if name in _WHOLE else "float64" for name in _NAMES}
    odd = [name for name, kind in kinds.items() if str(found[name].dtype) != kind]
    if odd:
        return f"{odd[0]} holds numbers of kind {found[odd[0]].dtype}"
    n_rows, n, shape = len(found["keys"]), len(found["tags"]), found["candidates"].shape
    shapes = {
        "keys": (n_rows,),
        "groups": (n_rows,),
        "scores": (n_rows, *shape[1:]),
        "tags": (n,),
        "ones": (n,),
        "shares": (3,),
        "pair_keys": (found["pair_keys"].size,),
        "pairs": found["pair_keys"].shape,
        "triple_keys": (found["triple_keys"].size,),
        "triples": found["triple_keys"].shape,
    }
    odd = [name for name, shape in shapes.items() if found[name].shape != shape]
    if odd or found["candidates"].ndim != 2 or not n_rows or n < 2:
        name = (odd or ["candidates"])[0]
        return f"{name} has the shape {list(found[name].shape)}"
    real = [name for name in _NAMES if name not in _WHOLE]
    odd = [name for name in real if not np.isfinite(found[name]).all()]
    if odd:
        return f"{odd[0]} has a number that is not finite"
    odd = [name for name in real if (found[name] < 0).any() or (found[name] > 1).any()]
    if odd:
        return f"{odd[0]} has a number that is no probability"
    return _disorder(found, size, n_tags)


def _disorder(found: Mapping[str, NDArray[Any]], size: int, n_tags: int) -> str:
    """Say which numbers lead nowhere."""
    candidates, n, keys = found["candidates"], len(found["tags"]), found["keys"]
    sorted_keys = (keys, found["pair_keys"], found["triple_keys"])
    fits = np.take_along_axis(candidates, candidates.argmax(axis=1)[:, None], 1)
    best = (found["scores"] > 0) & (
        candidates[np.clip(found["groups"], 0, len(candidates) - 1)] >= 0
    )
    faults = {
        "its keys are not in order": any((np.diff(one) <= 0).any() for one in sorted_keys),
        "a key is out of range": any(
            one.size and (one[0] < 0 or one[-1] >= most)
            for one, most in zip(sorted_keys, (size * size, n**2, n**3), strict=True)
        ),
        "a word has no row": not np.isin(_fallbacks(keys, size), keys).all(),
        "a group is out of range": not _within(found["groups"], 0, len(candidates) - 1),
        "a state is out of range": not _within(candidates, -1, n),
        "a group has no state": bool((candidates[:, 0] < 0).any()) or bool((fits < 0).any()),
        "the last group is not END": candidates[-1].tolist()
        != [n - 1] + [-1] * (candidates.shape[1] - 1),
        "a tag is out of range": not _within(found["tags"][:-1], 0, n_tags)
        or found["tags"][-1] != END,
        "a word fits no state": not best.any(axis=1).all(),
        "a probability of a state is 0": bool((found["ones"] <= 0).any()),
    }
    return next((told for told, wrong in faults.items() if wrong), "")


def _fallbacks(keys: NDArray[Any], size: int) -> NDArray[Any]:
    """Return the keys that must be there, so that every word finds a row."""
    return np.array([UNK * size]) if keys[-1] >= size else np.arange(size)


def _within(numbers: NDArray[Any], least: int, most: int) -> bool:
    return bool(((numbers >= least) & (numbers < most)).all())

"""Words that no vocabulary knows, carried from source to target through numbered slots.

    source   ⁇ wrote to ⁇ , and ⁇ came      ─▶   <copy 1> wrote to <copy 2> , and <copy 1> came
    target   ⁇ schrieb ⁇ , und ⁇ kam        ─▶   <copy 1> schrieb <copy 2> , und <copy 1> kam

The k-th distinct unknown word of a source takes slot k, there and wherever it stands in the target;
in an output a slot is written as its word. Luong et al. 2015 (arXiv:1410.8206), section 3.1, "the
copyable model"; for a model that copies, the slots are the extended vocabulary of See, Liu &
Manning 2017 (arXiv:1704.04368), section 2.2, of a fixed size. What comes after the last slot stays
unknown. A vocabulary without slots is left as it is.
"""

from collections.abc import Sequence

from saccade.tokenizers._vocabulary import MARK, UNK, Vocabulary

Ids = list[list[int]]


def encode_sources(source: Vocabulary, texts: Sequence[str]) -> Ids:
    """Encode texts, with slots for unknown words if the vocabulary has any."""
    encoded = source.encode_many(texts)
    if not source.slots:
        return encoded
    return [
        _filled(source, text, ids, _unknown(source, text, ids))
        for text, ids in zip(texts, encoded, strict=True)
    ]


def encode_pairs(
    source: Vocabulary, target: Vocabulary, sources: Sequence[str], targets: Sequence[str]
) -> tuple[Ids, Ids]:
    """Encode both sides; the slots of a target are those of its source."""
    left, right = source.encode_many(sources), target.encode_many(targets)
    if not source.slots:
        return left, right
    for i, (text, ids) in enumerate(zip(sources, left, strict=True)):
        words = _unknown(source, text, ids)
        left[i] = _filled(source, text, ids, words)
        right[i] = _filled(target, targets[i], right[i], words)
    return left, right


def slot_words(source: Vocabulary, text: str) -> list[str]:
    """Return the word of every slot that a source takes, in order."""
    return _unknown(source, text, source.encode(text)) if source.slots else []


def _unknown(vocabulary: Vocabulary, text: str, ids: Sequence[int]) -> list[str]:
    """Return the distinct unknown words in order, as many as there are slots."""
    if UNK not in ids:
        return []
    cuts = zip(ids, vocabulary.cuts(text), strict=True)
    words = dict.fromkeys(cut.removeprefix(MARK) for i, cut in cuts if i == UNK)
    return list(words)[: len(vocabulary.slots)]


def _filled(vocabulary: Vocabulary, text: str, ids: list[int], words: Sequence[str]) -> list[int]:
    """Put slots in the place of unknown words that have one."""
    if UNK not in ids or not words:
        return ids
    slot = dict(zip(words, vocabulary.slots, strict=False))
    cuts = vocabulary.cuts(text)
    return [
        slot.get(cut.removeprefix(MARK), i) if i == UNK else i
        for i, cut in zip(ids, cuts, strict=True)
    ]

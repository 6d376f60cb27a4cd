from saccade.readers._names import PAIRS, find_pair, looks_like_header


def test_every_pair_is_found_whatever_its_case_and_order() -> None:
    for source, target in PAIRS:
        assert find_pair([" Id", target.upper(), f" {source} "]) == (2, 1)
    assert find_pair(["source", "tgt"]) is None


def test_first_pairs_come_first() -> None:
    assert find_pair(["input", "output", "src", "tgt"]) == (2, 3)


def test_a_header_has_two_names() -> None:
    assert looks_like_header(["id", "Deutsch", "German", "English"])
    assert looks_like_header(["lemma", "form", "features"])
    assert not looks_like_header(["question", "what is it"])
    assert not looks_like_header(["text", "text"])
    assert not looks_like_header([])

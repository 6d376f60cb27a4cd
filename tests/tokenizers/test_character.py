from saccade.tokenizers.character import Character


def test_every_character_is_a_piece() -> None:
    vocabulary = Character().fit(["a b\u2581"], [])
    assert vocabulary.decode(vocabulary.encode(" b\u2581a ")) == " b\u2581a "
    assert len(vocabulary) == 4 + 4


def test_rare_characters_are_unknown() -> None:
    vocabulary = Character(min_count=2).fit(["aab"], [])
    assert vocabulary.decode(vocabulary.encode("aba")) == "a⁇a"

from saccade.guards.unknown import unknown


def test_a_few_are_a_note_many_a_warning() -> None:
    (few,) = unknown(9, [2], ["Quux"])
    assert (few.message, few.severity) == ("The model does not know 'Quux'.", "note")
    assert (few.places, few.side) == ((2,), "source")
    (many,) = unknown(6, [0, 1, 2, 3, 4], ["a", "b", "a", "c", "d"])
    assert many.message == "The model does not know 'a', 'b', 'c' and 1 more."
    assert many.severity == "warning"


def test_none_and_nameless() -> None:
    assert unknown(3, [], []) == ()
    assert unknown(0, [], []) == ()
    (flag,) = unknown(3, [1], [""])
    assert flag.message == "The model does not know a part of the source."

import pytest

from saccade.guards.nonsense import nonsense


@pytest.mark.parametrize("sample", ["The cat sleeps.", "Кошка спит.", "猫", "", "a"])
def test_every_probe_has_text_and_is_the_same_each_time(sample: str) -> None:
    probes = nonsense(sample)
    assert probes == nonsense(sample)
    assert all(text.strip() for text in probes.values())
    assert next(iter(probes)) == "repeated"


def test_the_other_script_is_another() -> None:
    assert nonsense("The cat")["another script"].startswith("Съешь")
    assert nonsense("Кошка")["another script"].startswith("Zwölf")
    assert sorted(nonsense("abc def")["shuffled"]) == sorted("abc def")

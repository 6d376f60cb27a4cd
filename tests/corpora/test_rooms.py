"""Stories of rooms: the answer follows from the story."""

import re

from saccade.corpora.rooms import Rooms
from saccade.parts import Part
from saccade.readers.base import Reader


def follow(story: str, question: str) -> str:
    """Answer by keeping book of who is where and who has what."""
    rooms, holder, left = dict[str, str](), dict[str, str](), dict[str, str]()
    for sentence in story.split(". "):
        who, thing = sentence.split()[0], sentence.rstrip(".").split()[-1]
        if re.search(r" (went|walked|hurried|came back) to ", sentence):
            rooms[who] = thing
        elif re.search(r" (took|picked up) ", sentence):
            holder[thing] = who
        else:
            assert holder.pop(thing) == who
            left[thing] = rooms[who]
    asked = question.rstrip("?").split()[-1]
    if asked in rooms:
        return rooms[asked]
    return rooms[holder[asked]] if asked in holder else left[asked]


def test_every_answer_follows() -> None:
    pairs = list(Rooms(size=400).pairs("train"))
    for source, answer in pairs:
        assert follow(*source.split("\t")) == answer
    things = [source for source, _ in pairs if "Where is the" in source]
    assert 100 < len(things) < 300


def test_stories_have_so_many_sentences() -> None:
    lengths = {s.split("\t")[0].count(".") for s, _ in Rooms(size=300, sentences=6).pairs("train")}
    assert lengths == {2, 3, 4, 5, 6}


def test_a_reader_gives_two_sources() -> None:
    reader = Part(Reader, "embedded", {"corpus": "rooms", "split": "test"}).build(None)
    example = next(reader.read())
    assert list(example.sources) == ["story", "question"]
    assert example.origin == "rooms/test:1"

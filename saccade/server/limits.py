"""How much one request may ask for, and how much the server takes on at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from saccade.server.refusal import Refused

Input = str | Mapping[str, str]  # a text, or those of several sources by name


@dataclass(frozen=True, slots=True)
class Limits:
    """What is allowed; every field is an option of `saccade serve`.

    characters: of one text.  items: texts in one request.  beam: width, and outputs kept.
    seconds: from arrival to answer.  queue: texts of one client that a model has accepted and not
    yet answered; of all clients four times as many.  work: pieces of one request, times the lines
    that are written at once for each.
    cells: attention weights, or nodes of a beam, that one request may see or have drawn.
    body: bytes of a request.  batch: padded source pieces computed together.  slice: seconds that a
    batch may take, as far as can be told; what takes longer lets others in between.  wait:
    milliseconds that texts wait for one more to come along.  picture: bytes of one picture.
    upload: bytes of a request to predict, where a model reads pictures.  held: bytes of all
    requests at once.
    streams: sounds that are heard in chunks at once.  heard: seconds that each may last.  idle:
    seconds without a chunk after which it is forgotten.
    connections: at once, and `of_address` from one address.  header: seconds until that of a
    request is there.  linger: seconds that a connection may still bring a request when the server
    ends.
    strokes: characters of what a pen wrote.  points: of it, as the model reads them.
    """

    characters: int = 5_000
    items: int = 64
    beam: int = 16
    seconds: float = 30.0
    queue: int = 512
    work: int = 400_000
    cells: int = 250_000
    body: int = 2_000_000
    batch: int = 4_096
    slice: float = 0.2
    wait: float = 4.0
    picture: int = 8_000_000
    upload: int = 32_000_000
    held: int = 256_000_000
    streams: int = 8
    heard: float = 600.0
    idle: float = 20.0
    connections: int = 1_024
    of_address: int = 128
    header: float = 10.0
    linger: float = 1.0
    strokes: int = 200_000
    points: int = 4_000

    @property
    def queue_of_all(self) -> int:
        """Texts of all clients that a model may have accepted and not yet answered."""
        return 4 * self.queue

    def check_texts(
        self, where: str, texts: Sequence[Input], *, pictures: bool = False, strokes: bool = False
    ) -> None:
        """Refuse too many texts, or one that is too long; pictures among them have a size.

        Strokes of a pen may have more characters.
        """
        most, advice = self.characters, "split it into sentences"
        if strokes:
            most, advice = self.strokes, "send fewer points"
        if len(texts) > self.items:
            raise Refused(
                413,
                f"{where}: {len(texts)} texts; expected at most {self.items} in a request; send"
                " them in several requests.",
            )
        for number, text in enumerate(texts):
            place = f"{where}[{number}]" if len(texts) > 1 else where
            n = n_characters(self._without_pictures(place, text) if pictures else text)
            if n > most:
                raise Refused(
                    413,
                    f"{place}: {n} characters; expected at most {most} in a text; {advice}.",
                )

    def _without_pictures(self, where: str, given: Input) -> Input:
        """Check the size of every picture of an input; return the rest of it."""
        if isinstance(given, str):
            if not is_picture(given):
                return given
            self.check_picture(where, len(given) * 3 // 4)
            return ""
        return {
            name: str(self._without_pictures(f"{where}.{name}", one)) for name, one in given.items()
        }

    def check_picture(self, where: str, size: int) -> None:
        """Refuse a picture of too many bytes."""
        if size > self.picture:
            raise Refused(
                413,
                f"{where}: a picture of {size:,} bytes; expected at most {self.picture:,}; scale it"
                " down.",
            )

    def check_points(self, where: str, n: int) -> None:
        """Refuse strokes of too many points."""
        if n > self.points:
            raise Refused(
                413,
                f"{where}: strokes of {n:,} points as the model reads them; expected at most"
                f" {self.points:,}; write less, or smaller.",
            )

    def check_beam(self, where: str, width: int) -> None:
        """Refuse a beam that is too wide."""
        if width > self.beam:
            raise Refused(
                400,
                f"{where}: {width} is too wide; expected at most {self.beam} here; lower it.",
            )

    def check_cells(self, where: str, n: int) -> None:
        """Refuse to send or draw too much."""
        if n > self.cells:
            raise Refused(
                413,
                f"{where}: {n} weights or nodes to show; expected at most {self.cells} in a"
                " request; send shorter or fewer texts, or ask for less.",
            )

    def too_late(self) -> Refused:
        """Say that the time is up."""
        return Refused(
            504,
            f"server: not done after {self.seconds:g} seconds, the limit; expected a shorter text"
            " or a narrower beam; ask for less, or try again when the server is less busy.",
        )


def is_picture(text: str) -> bool:
    """Tell whether a text is a picture or a sound."""
    return text[:20].lstrip()[:11].lower() in ("data:image/", "data:audio/")


def n_characters(given: Input) -> int:
    """Count the characters of an input, with the names of its sources.

    >>> n_characters("ab"), n_characters({"a": "bc", "d": ""})
    (2, 4)
    """
    if isinstance(given, str):
        return len(given)
    return sum(len(name) + len(text) for name, text in given.items())

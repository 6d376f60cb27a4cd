"""What the clients of the soak ask for, well and badly, and how they behave while they wait."""

import asyncio
import json
import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

_PATIENCE = 60.0  # seconds for an answer
_STAY = 0.05  # seconds before a client leaves
_FORM = "multipart/form-data; boundary=soak"
_JSON = "application/json"
_PATHS = (
    *("/", "/health", "/metrics", "/v1/models", "/languages", "/openapi.json"),
    *("/download_file/none", "/none", "/v1/models/none/curves"),
)


class Wish(NamedTuple):
    """One request: what it is called, its bytes, and whether the client waits for the answer."""

    kind: str
    data: bytes
    waits: bool = True


class Client(NamedTuple):
    """One client: its dice, and the texts that the model of the server knows."""

    dice: random.Random
    texts: Sequence[str]

    def wish(self) -> Wish:
        """Choose what to ask for next."""
        return self.dice.choice(_KINDS)(self)


async def send(port: int, wish: Wish) -> str:
    """Ask on a connection of its own; return the status, or how it ended without one."""
    try:
        return await asyncio.wait_for(_send(port, wish), _PATIENCE)
    except (OSError, TimeoutError) as error:
        return type(error).__name__


async def _send(port: int, wish: Wish) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(wish.data)
        await writer.drain()
        if not wish.waits:
            await asyncio.sleep(_STAY)
            return "gone"
        answer = await reader.read()
        while piece := await reader.read():
            answer += piece
        return answer[9:12].decode("latin-1") or "nothing"
    finally:
        writer.close()


def _request(method: str, path: str, body: bytes = b"", content: str = _JSON) -> bytes:
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {content}\r\n"
        f"Connection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _post(path: str, value: object) -> bytes:
    return _request("POST", path, json.dumps(value).encode())


def _got(own: Client) -> Wish:
    path = own.dice.choice(_PATHS)
    return Wish(f"get {path}", _request("GET", path))


def _predict(own: Client) -> Wish:
    return Wish("predict", _post("/v1/predict", {"text": own.dice.choices(own.texts, k=4)}))


def _beam(own: Client) -> Wish:
    asked = {"text": own.dice.choice(own.texts), "beam": 8, "want": ["tokens", "tree"]}
    return Wish("beam", _post("/v1/predict", asked))


def _views(own: Client) -> Wish:
    asked = {"text": own.dice.choice(own.texts), "views": ["beam", "distribution"]}
    return Wish("views", _post("/v1/predict", asked))


def _long(own: Client) -> Wish:
    asked = {"text": " ".join([own.dice.choice(own.texts)] * 20), "split": "none"}
    return Wish("long", _post("/v1/predict", asked))


def _stream(own: Client) -> Wish:
    waits = own.dice.random() < 0.5
    name = "stream" if waits else "stream left"
    return Wish(name, _post("/v1/predict/stream", {"text": own.dice.choice(own.texts)}), waits)


def _left(own: Client) -> Wish:
    return Wish(
        "left",
        _post("/v1/predict", {"text": own.dice.choices(own.texts, k=16), "beam": 8}),
        waits=False,
    )


def _score(own: Client) -> Wish:
    text = own.dice.choice(own.texts)
    return Wish("score", _post("/v1/score", {"source": text, "target": text}))


def _libre(own: Client) -> Wish:
    asked = {"q": own.dice.choice(own.texts), "source": "auto", "target": "fr", "format": "html"}
    return Wish("libre", _post("/translate", asked))


def _detect(own: Client) -> Wish:
    return Wish("detect", _post("/detect", {"q": own.dice.choice(own.texts)}))


def _form(fields: dict[str, str], name: str, data: bytes) -> bytes:
    parts = [
        f'--soak\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'.encode()
        for key, value in fields.items()
    ]
    head = f'--soak\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    return b"".join([*parts, head.encode(), data, b"\r\n--soak--\r\n"])


def _file(own: Client) -> Wish:
    data = "\n".join(own.dice.choices(own.texts, k=8)).encode()
    body = _form({"source": "en", "target": "fr"}, "some.txt", data)
    return Wish("file", _request("POST", "/translate_file", body, _FORM))


def _odd_file(own: Client) -> Wish:
    body = _form({"source": "en", "target": "fr"}, "some.docx", own.dice.randbytes(5000))
    return Wish("odd file", _request("POST", "/translate_file", body, _FORM))


def _half_form(own: Client) -> Wish:
    body = _form({"source": "en"}, "some.txt", own.dice.randbytes(500))
    cut = own.dice.randrange(len(body))
    return Wish("half a form", _request("POST", "/translate_file", body[:cut], _FORM))


def _wrong(own: Client) -> Wish:
    value: object = own.dice.choice([5, None, [], {"text": 3}, [None], {"a": "b"}])
    return Wish("wrong", _post("/v1/predict", {"text": value}))


def _no_json(own: Client) -> Wish:
    return Wish("no JSON", _request("POST", "/v1/predict", own.dice.randbytes(200)))


def _deep(own: Client) -> Wish:
    return Wish(
        "deep JSON", _request("POST", "/v1/predict", b"[" * own.dice.randrange(100, 100_000))
    )


def _too_much(own: Client) -> Wish:
    asked = {"text": [own.dice.choice(own.texts) * 30] * 64, "beam": 16}
    return Wish("too much", _post("/v1/predict", asked))


def _no_sound(own: Client) -> Wish:
    return Wish("listen", _request("POST", "/v1/listen", own.dice.randbytes(2000), "audio/wav"))


def _half(own: Client) -> Wish:
    whole = _post("/v1/predict", {"text": own.dice.choice(own.texts)})
    return Wish("half a request", whole[: own.dice.randrange(1, len(whole))], waits=False)


def _noise(own: Client) -> Wish:
    return Wish("no HTTP", own.dice.randbytes(300) + b"\r\n\r\n")


def _headers(own: Client) -> Wish:
    lines = b"".join(b"X-%d: %s\r\n" % (n, b"a" * 900) for n in range(own.dice.randrange(200)))
    return Wish("many headers", b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n" + lines + b"\r\n")


_KINDS: tuple[Callable[[Client], Wish], ...] = (
    *(_predict, _beam, _views, _long, _stream, _stream, _left, _score, _libre, _detect, _file),
    *(_odd_file, _half_form, _wrong, _no_json, _deep, _too_much, _no_sound, _half, _noise),
    *(_headers, _got, _got, _got, _got),
)

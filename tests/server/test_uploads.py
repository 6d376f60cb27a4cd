"""Pictures sent to the server: in a form or as base64, with limits, and whatever else is sent."""

import base64
import json
import resource
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from saccade.server.app import Settings, create_app
from saccade.server.limits import Limits
from saccade.server.models import Served
from saccade.server.refusal import Refused
from saccade.server.uploads import FormPart, parts_of, request_of
from tests.captions import file_of
from tests.cli.conftest import Call
from tests.server.conftest import Serve

KINDS = ["png", "jpeg", "gif", "webp"]
KIND = "multipart/form-data; boundary=XYZ"


def uri(data: bytes, kind: str = "png") -> str:
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"


def form(*parts: tuple[str, str, bytes], end: bytes = b"--XYZ--\r\n") -> bytes:
    """Write a form: (name, file name or "", body) of each part."""
    rows = []
    for name, file, body in parts:
        named = f'; filename="{file}"' if file else ""
        head = f'--XYZ\r\nContent-Disposition: form-data; name="{name}"{named}\r\n\r\n'
        rows.append(head.encode() + body + b"\r\n")
    return b"".join([*rows, end])


@pytest.fixture(scope="module")
def client(seer: Served) -> Iterator[TestClient]:
    with TestClient(create_app([seer])) as client:
        yield client


def send(client: TestClient, body: bytes, **headers: str) -> Any:
    return client.post("/v1/predict", content=body, headers={"Content-Type": KIND, **headers})


def error(answer: Any, status: int) -> str:
    assert answer.status_code == status, answer.text
    told = answer.json()
    assert set(told) == {"error"}
    return str(told["error"])


# a picture says the same wherever it comes from


@pytest.mark.parametrize("kind", KINDS)
def test_alone_in_a_batch_by_the_server_and_by_the_command_line(
    kind: str, client: TestClient, seer: Served, call: Call, tmp_path: Path
) -> None:
    files = [file_of(kind, seed, 20 + 9 * seed, 61 - 7 * seed) for seed in range(4)]
    texts = [uri(one, kind) for one in files]
    alone = [seer.translator.predict(text, beam=3).text for text in texts]
    assert len(set(alone)) > 1
    assert [one.text for one in seer.translator.predict(texts, beam=3)] == alone
    by_json = client.post("/v1/predict", json={"text": texts, "beam": 3}).json()
    assert [one["text"] for one in by_json["results"]] == alone
    sent = form(*[("file", "a", one) for one in files], ("beam", "", b"3"))
    by_form = send(client, sent).json()
    assert by_form["results"] == by_json["results"]
    paths = [tmp_path / f"{n}.{kind}" for n in range(4)]
    for path, one in zip(paths, files, strict=True):
        path.write_bytes(one)
    done = call("predict", seer.folder, *paths, "--beam", "3")
    assert done.out.splitlines() == alone


def test_a_form_takes_all_that_json_takes(client: TestClient) -> None:
    data = file_of("png")
    asked = {"beam": 2, "nbest": 2, "prefix": "a small", "want": ["tokens", "attention"]}
    by_json = client.post(
        "/v1/predict", json={"text": uri(data), "words": True, "views": ["attention"], **asked}
    ).json()
    fields = [
        *(("beam", "2"), ("nbest", "2"), ("prefix", "a small"), ("words", "true")),
        *(("want", "tokens"), ("want", "attention"), ("views", "attention")),
    ]
    rows = [(name, "", value.encode()) for name, value in fields]
    by_form = send(client, form(("source", "dog.png", data), *rows)).json()
    assert by_form["results"] == by_json["results"]
    (result,) = by_form["results"]
    assert result["text"].startswith("a small")
    assert len(result["nbest"]) == 2
    assert result["layout"][0] | {"picture": ""} == {
        "source": "source",
        "start": 0,
        "end": 100,
        "grid": [10, 10],
        "picture": "",
    }
    assert result["layout"][0]["picture"].startswith("data:image/png;base64,")
    assert "<use" in result["views"]["attention"]


def test_the_grid_can_be_asked_for(client: TestClient) -> None:
    body = {"text": uri(file_of("png")), "views": ["attention"], "words": True}
    views = [
        client.post("/v1/predict", json=body | {"smooth": smooth}).json()["results"][0]["views"]
        for smooth in (True, False)
    ]
    assert [view["attention"].count("<rect") > 500 for view in views] == [False, True]


def test_a_form_can_be_streamed(client: TestClient) -> None:
    answer = client.post(
        "/v1/predict/stream", files={"file": ("a.png", file_of("png"))}, data={"beam": "2"}
    )
    last = answer.text.strip().split("\n\n")[-1]
    assert last.startswith("event: result")
    told = json.loads(last.partition("data: ")[2])
    expected = client.post("/v1/predict", json={"text": uri(file_of("png")), "beam": 2}).json()
    assert told["results"] == expected["results"]


def test_a_picture_is_scored(client: TestClient, seer: Served) -> None:
    body = {"source": uri(file_of("png")), "target": "a small cross"}
    (told,) = client.post("/v1/score", json=body).json()["results"]
    (expected,) = seer.translator.score([body["source"]], [body["target"]])
    assert told["score"] == pytest.approx(expected.score, abs=1e-3)


def test_a_text_file_is_text(serve: Serve) -> None:
    client = serve()
    plain = client.post("/v1/predict", json={"text": "un chat dort"}).json()
    by_form = send(client, form(("file", "a.txt", b"un chat dort"))).json()
    assert by_form["results"] == plain["results"]
    assert "expected at most 5000 in a" in error(
        send(client, form(("file", "a.png", file_of("png", 1, 60, 60)))), 413
    )


def test_models_tell_what_they_read(client: TestClient, serve: Serve) -> None:
    told = client.get("/v1/models").json()
    assert told["models"][0]["inputs"] == [{"name": "source", "kind": "picture", "limit": 16384}]
    assert told["limits"]["picture"] == 8_000_000
    (plain,) = serve().get("/v1/models").json()["models"]
    assert plain["inputs"] == [{"name": "source", "kind": "text", "limit": 0}]


def test_the_form_is_described(client: TestClient) -> None:
    for path in ("/v1/predict", "/v1/predict/stream"):
        content = client.get("/openapi.json").json()["paths"][path]["post"]["requestBody"]
        assert set(content["content"]) == {"application/json", "multipart/form-data"}
        fields = content["content"]["multipart/form-data"]["schema"]["properties"]
        assert fields["file"]["items"]["format"] == "binary"
        assert {"beam", "want", "smooth"} <= set(fields)
        assert "text" not in fields


def test_a_picture_and_a_text_by_their_names(scenes: Served, call: Call, tmp_path: Path) -> None:
    data, question = file_of("jpeg"), "what is there"
    expected = scenes.translator.predict({"scene": uri(data, "jpeg"), "question": question}, beam=2)
    assert expected.text
    with TestClient(create_app([scenes])) as client:
        parts = form(("question", "", question.encode()), ("scene", "a", data), ("beam", "", b"2"))
        told = send(client, parts).json()["results"][0]["text"]
        (tmp_path / "a.jpg").write_bytes(data)
        named = ("scene=a.jpg", f"question={question}")
        done = call("predict", scenes.folder, *named, "--beam", "2")
        assert [told, done.out.strip()] == [expected.text] * 2, done.err
        wrong = call("predict", scenes.folder, "a.jpg")
        assert "reads several sources. Give scene=FILE question=TEXT." in wrong.err
    drawn = expected.drawing()
    assert drawn is not None
    assert [name for name in drawn.terminal(60).split("\n") if name in scenes.translator.sources]


# forms


def test_parts_of_a_form() -> None:
    body = form(("a", "", b"x\r\n--XY"), ("file", "dog.png", b"\x00\r\n\r\n\x01"), ("a", "", b""))
    assert parts_of(KIND, body, 9) == [
        FormPart("a", b"x\r\n--XY"),
        FormPart("file", b"\x00\r\n\r\n\x01", "dog.png"),
        FormPart("a", b""),
    ]
    assert parts_of(KIND, b"hello\r\n" + body + b"bye", 9) == parts_of(KIND, body, 9)
    assert parts_of(KIND, b"--XYZ--\r\n", 9) == []


@pytest.mark.parametrize(
    ("kind", "body", "status", "message"),
    [
        ("multipart/form-data", b"", 400, "a boundary of 0 characters .*; expected 1 to 70"),
        (f"{KIND}{'x' * 80}", b"", 400, "a boundary of 83 characters"),
        (KIND, b"", 400, "a form of 0 parts without its end; expected the boundary and -- last"),
        (KIND, form(("a", "", b"x"), end=b""), 400, "a form of 1 parts without its end"),
        (KIND, b"--XYZ\r\n\r\nx\r\n--XYZ--", 400, "a part that begins with .*Content-Disposition"),
        (KIND, b"--XYZ\r\nA: b\r\n\r\nx\r\n--XYZ--", 400, "a part that begins with b'A: b"),
        (KIND, form(*[("a", "", b"x")] * 10), 413, "more than 9 parts; expected at most that"),
        (KIND, form(("a" * 5000, "", b"x")), 400, "a part that begins with b'Content-Disposition"),
    ],
)
def test_forms_that_are_refused(kind: str, body: bytes, status: int, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        parts_of(kind, body, 9)
    assert refused.value.status == status


def test_sources_by_name() -> None:
    parts = [FormPart("question", b"why?"), FormPart("image", file_of("png"), "a.png")]
    one = {"question": "why?", "image": uri(file_of("png"))}
    assert request_of(parts, Limits()) == {"text": one}
    assert request_of([*parts, *parts], Limits()) == {"text": [one, one]}
    with pytest.raises(Refused, match="given unequally often: question 2, image 1; expected as"):
        request_of([parts[0], *parts], Limits())
    with pytest.raises(Refused, match="the fields text, file and image; expected an input, or"):
        request_of([parts[1], FormPart("text", b"x")], Limits())
    with pytest.raises(Refused, match="a form without an input; expected a field `file` or"):
        request_of([FormPart("beam", b"3")], Limits())


def test_values_are_read_and_what_is_none_is_left_to_the_schema() -> None:
    parts = [FormPart("text", b"7"), FormPart("beam", b"3"), FormPart("words", b"yes")]
    assert request_of(parts, Limits()) == {"text": "7", "beam": 3, "words": "yes"}


# limits


def small(seer: Served, **limits: Any) -> TestClient:
    return TestClient(create_app([seer], Settings(limits=Limits(**limits))))


def test_a_picture_of_too_many_bytes(seer: Served) -> None:
    data = file_of("png")
    with small(seer, picture=1000) as client:
        said = f"a picture of {len(data):,} bytes; expected at most 1,000; scale it down"
        assert said in error(send(client, form(("file", "dog.png", data))), 413)
        by_json = error(client.post("/v1/predict", json={"text": ["x", uri(data)]}), 413)
        assert by_json.startswith("text[1]: a picture of ")


def test_too_many_pictures(seer: Served) -> None:
    with small(seer, items=3) as client:
        said = error(send(client, form(*[("file", "a.png", file_of("png"))] * 4)), 413)
        assert said.startswith("text: 4 texts; expected at most 3 in a request")
        assert "more than 67 parts" in error(send(client, form(*[("file", "a", b"x")] * 1000)), 413)


def test_a_body_is_bounded_while_it_is_read(seer: Served, serve: Serve) -> None:
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        yield b'--XYZ\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
        while taken < 10_000_000:
            taken += 10_000
            yield b"x" * 10_000

    with small(seer, upload=100_000) as client:
        answer = client.post("/v1/predict", content=endless(), headers={"Content-Type": KIND})
        assert "more than 100000 bytes" in error(answer, 413)
        assert "more than 2000000" in error(client.post("/detect", content=b"x" * 2_000_001), 413)
    long = b"x" * 2_000_001
    assert "more than 2000000" in error(serve().post("/v1/predict", content=long), 413)


def test_all_bodies_together_are_bounded(seer: Served) -> None:
    data = form(("file", "a.png", file_of("png")))
    with small(seer, held=1000) as client:
        answer = send(client, data)
        assert "requests of 1,000 bytes in all are being answered" in error(answer, 429)
        assert answer.headers["retry-after"] == "5"
    with small(seer, held=len(data)) as client:  # what was answered is no longer held
        assert [send(client, data).status_code for _ in range(3)] == [200] * 3


# whatever is sent


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width: int, height: int, depth: int, raw: bytes) -> bytes:
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, 0, 0, 0, 0))
    data = chunk(b"IDAT", zlib.compress(raw, 9))
    return b"\x89PNG\r\n\x1a\n" + header + data + chunk(b"IEND", b"")


BOMBS = {
    "more pixels than are there": png(30_000, 30_000, 1, bytes(1000)),
    "a grey of a billion": png(16_000, 16_000, 8, bytes(20_000_000)),
    "more bytes than the header says": png(4, 4, 8, bytes(50_000_000)),
    "one column": png(1, 20_000, 8, bytes(40_000)),
    "nothing": b"",
    "wrong magic": b"\x89PNG\r\n\x1a\r" + bytes(100),
    "magic alone": b"\x89PNG\r\n\x1a\n",
    "jpeg magic alone": b"\xff\xd8\xff\xe0",
    "gif without frames": b"GIF89a" + struct.pack("<HHBBB", 65535, 65535, 0, 0, 0) + b";",
    "webp of a huge canvas": b"RIFF\x20\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + b"\xff" * 6,
    "svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused_in_words_and_in_little_memory(name: str, client: TestClient) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    said = error(send(client, form(("file", "a.png", BOMBS[name]))), 400)
    assert said.startswith(("text: ", "file 'a.png': "))
    assert error(client.post("/v1/predict", json={"text": uri(BOMBS[name])}), 400)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 150_000  # kilobytes


@pytest.mark.parametrize(("height", "width"), [(1, 1), (1, 16_000), (16_000, 1)])
def test_odd_shapes_are_read(height: int, width: int, client: TestClient) -> None:
    data = form(("file", "a.png", file_of("png", 1, height, width)))
    answer = send(client, data)
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_cut_or_changed_never_breaks_the_server(kind: str, client: TestClient) -> None:
    whole, random = file_of(kind), np.random.default_rng(7)
    broken = [whole[:n] for n in random.integers(1, len(whole), 12)]
    for _ in range(25):
        changed = bytearray(whole)
        for place in random.integers(0, len(whole), 4):
            changed[place] = random.integers(0, 256)
        broken.append(bytes(changed))
    statuses = []
    for data in broken:
        answer = send(client, form(("file", "a", data)))
        statuses.append(answer.status_code)
        if answer.status_code != 200:
            assert error(answer, 400)
    assert statuses.count(400) >= 12 // 2


def test_any_form_is_answered(client: TestClient) -> None:
    whole, random = (
        form(("file", "a.png", file_of("png")), ("beam", "", b"2")),
        (np.random.default_rng(3)),
    )
    for _ in range(60):
        changed = bytearray(whole)
        for place in random.integers(0, 160, 3):
            changed[place] = random.integers(0, 256)
        answer = send(client, bytes(changed[: random.integers(1, len(whole))]))
        if answer.status_code != 200:
            assert error(answer, answer.status_code)
            assert answer.status_code < 500


def test_several_pictures_where_one_is_broken_say_which(client: TestClient) -> None:
    good = file_of("png")
    said = error(send(client, form(("file", "a", good), ("file", "b", good[:90]))), 400)
    assert said.startswith("text[1]: ")


def test_a_model_that_is_not_served_is_told_first(client: TestClient) -> None:
    answer = send(client, form(("file", "a.png", b"\x89PNG\r\n\x1a\n"), ("model", "", b"x")))
    assert "'x' is not served" in error(answer, 404)

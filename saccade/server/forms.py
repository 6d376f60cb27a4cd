"""Bodies as LibreTranslate's clients send them: JSON, a form, or a form in parts with a file."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from fastapi import Request
from pydantic_core import from_json

from saccade.server.refusal import Refused

_FIELDS = 100
_PART = 1 << 24  # bytes; the body as a whole has a limit of its own


@dataclass(frozen=True, slots=True)
class Upload:
    """A file of a form: its name, as its sender says, and what is in it."""

    name: str
    body: bytes


async def fields_of(request: Request) -> dict[str, Any]:
    """Read the fields of a body; one that is given several times is a list, a file an `Upload`.

    A form has no numbers: digits for `alternatives` become one.
    """
    kind = request.headers.get("content-type", "")
    if kind.startswith("multipart/form-data"):
        found = await _parts(request)
    else:
        found = _plain(kind, await request.body())
    count = found.get("alternatives")
    if isinstance(count, str) and count.isascii() and count.isdigit():
        found["alternatives"] = int(count[:9])
    return found


async def _parts(request: Request) -> dict[str, Any]:
    rows: dict[str, list[str | Upload]] = {}
    async with request.form(max_files=1, max_fields=_FIELDS, max_part_size=_PART) as form:
        for name, value in form.multi_items():
            told = (
                value
                if isinstance(value, str)
                else Upload(value.filename or "", await value.read())
            )
            rows.setdefault(name, []).append(told)
    return {name: row[0] if len(row) == 1 else row for name, row in rows.items()}


def _plain(kind: str, body: bytes) -> dict[str, Any]:
    try:
        if kind.startswith("application/x-www-form-urlencoded"):
            pairs = parse_qs(body.decode("utf-8"), keep_blank_values=True, max_num_fields=_FIELDS)
            return {k: v[0] if len(v) == 1 else v for k, v in pairs.items()}
        raw = from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise Refused(
            400, f"body: {error}; expected JSON or a form in UTF-8; see /openapi.json."
        ) from None
    if not isinstance(raw, dict):
        raise Refused(
            400,
            f"body: a {type(raw).__name__}; expected an object with fields; see /openapi.json.",
        )
    return raw

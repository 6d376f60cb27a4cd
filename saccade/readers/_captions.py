"""Captions in the forms that are in use: which picture, which words, which line."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from saccade.errors import DataError
from saccade.readers._lines import is_broken, numbered, numbered_rows, open_bytes

Form = Literal["auto", "flickr8k", "coco", "karpathy", "tsv", "csv", "jsonl", "beside", "names"]
IN_FOLDER = ("beside", "names")
"""Forms without a file of captions: the folder of the pictures says all."""
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
"""Endings of picture files."""
_MOST_FILES = 1_000_000  # in a folder
_NUMBERED = re.compile(r"(.+)#\d+\t")  # name.jpg#0, as in Flickr8k's token file
_IMAGES = ("image", "file_name", "filename", "file", "path")
_CAPTIONS = ("captions", "caption", "sentences", "text", "texts")


class Caption(NamedTuple):
    """One caption: the name of its picture, the words, the line, and a split if it names one."""

    image: str
    text: str
    where: str
    split: str = ""


def captions_in(path: Path, form: Form) -> Iterator[Caption]:
    """Yield all captions of a file, in its order, or of a folder, in that of its names."""
    chosen = _form_of(path) if form == "auto" else form
    return _FORMS[chosen](path)


def _form_of(path: Path) -> str:
    """Tell the form of a file by its name and its first line."""
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    if suffix == ".json":
        images = _json(path).get("images")
        first = images[0] if isinstance(images, list) and images else {}
        return "karpathy" if isinstance(first, dict) and "sentences" in first else "coco"
    _, line = next(numbered(path))
    if suffix in (".jsonl", ".ndjson") or line.lstrip().startswith("{"):
        return "jsonl"
    if _NUMBERED.match(line):
        return "flickr8k"
    if "\t" in line:
        return "tsv"
    if "," in line:
        return "csv"
    raise DataError(
        f"{path}:1: found {line[:40]!r}; expected the name of a picture and its caption, parted by"
        " a tab. Mend the file, or say which format it has: flickr8k, coco, karpathy, tsv, csv or"
        " jsonl."
    )


def _flickr8k(path: Path) -> Iterator[Caption]:
    """Read `name.jpg#0<TAB>caption`."""
    for number, line in numbered(path):
        found = _NUMBERED.match(line)
        if line.strip() and found is None:
            raise _odd(path, number, line, "name.jpg#0, a tab and a caption")
        if found is not None:
            yield Caption(found.group(1), line[found.end() :], f"{path}:{number}")


def _tsv(path: Path) -> Iterator[Caption]:
    """Read `name.jpg<TAB>caption`; further columns are not read."""
    for number, line in numbered(path):
        columns = line.split("\t")
        if line.strip() and len(columns) < 2:
            raise _odd(path, number, line, "the name of a picture, a tab and a caption")
        if line.strip() and not (number == 1 and _is_header(columns)):
            yield Caption(columns[0].strip(), columns[1], f"{path}:{number}")


def _csv(path: Path) -> Iterator[Caption]:
    """Read `name.jpg,caption`; quotes as in other CSV files, names of columns if they are there."""
    for n, (number, columns) in enumerate(numbered_rows(path)):
        if columns and len(columns) < 2:
            raise _odd(path, number, columns[0], "the name of a picture, a comma, a caption")
        if columns and not (n == 0 and _is_header(columns)):
            # a caption with commas and no quotes, as in the Flickr8k file of Kaggle
            yield Caption(columns[0].strip(), ",".join(columns[1:]), f"{path}:{number}")


def _jsonl(path: Path) -> Iterator[Caption]:
    """Read objects such as `{"image": "a.jpg", "captions": ["...", "..."]}`, one a line."""
    for number, line in numbered(path):
        if line.strip():
            where = f"{path}:{number}"
            entry = _parsed(line, where)
            if not isinstance(entry, dict):
                raise _odd(path, number, line, 'an object {"image": "...", "captions": ["..."]}')
            image = _first(entry, _IMAGES, where)
            captions = _first(entry, _CAPTIONS, where)
            for text in captions if isinstance(captions, list) else [captions]:
                yield Caption(_text(image, where), _text(text, where), where)


def _coco(path: Path) -> Iterator[Caption]:
    """Read `images` with `id` and `file_name`, and `annotations` with `image_id` and `caption`."""
    content = _json(path)
    names: dict[Any, str] = {}
    for n, image in enumerate(_list(content, "images", path)):
        where = f"{path}: images[{n}]"
        names[_key(_entry(image, "id", where))] = _text(_entry(image, "file_name", where), where)
    for n, one in enumerate(_list(content, "annotations", path)):
        where = f"{path}: annotations[{n}]"
        known = names.get(_key(_entry(one, "image_id", where)))
        if known is None:
            raise DataError(
                f"{where}: its image_id {str(one['image_id'])[:40]} is not among the images;"
                " expected the id of one. Mend the file."
            )
        yield Caption(known, _text(_entry(one, "caption", where), where), where)


def _karpathy(path: Path) -> Iterator[Caption]:
    """Read `images` with `filename`, `split`, and `sentences` that have `raw` text.

    Karpathy & Fei-Fei 2015 (arXiv:1412.2306) gave out Flickr8k, Flickr30k and COCO in this form.
    """
    for n, image in enumerate(_list(_json(path), "images", path)):
        where = f"{path}: images[{n}]"
        name, folder = _text(_entry(image, "filename", where), where), image.get("filepath", "")
        name = f"{_text(folder, where)}/{name}" if folder else name
        split = _text(image.get("split", ""), where)
        for sentence in _list(image, "sentences", where):
            yield Caption(name, _text(_entry(sentence, "raw", where), where), where, split)


def _beside(folder: Path) -> Iterator[Caption]:
    """Read the text of `0001.png` from `0001.gt.txt` beside it, or else from `0001.txt`.

    This is how OCRopus, Kraken and Calamari keep lines of print. Of several pictures of a line the
    one that is made black and white is read, `0001.bin.png`, or else `0001.nrm.png`.
    """
    files = {name.lower(): name for name in _files(folder)}
    for ending in (".gt.txt", ".txt"):
        texts = {low: name for low, name in files.items() if low.endswith(ending)}
        for low, name in texts.items():
            ends = (".bin.png", ".nrm.png", *PICTURES)
            found = (files.get(low.removesuffix(ending) + end) for end in ends)
            image = next(filter(None, found), name[: -len(ending)] + ".png")
            text = " ".join(line.strip() for _, line in numbered(folder / name))
            yield Caption(image, text, str(folder / name))
        if texts:
            return


def _names(folder: Path) -> Iterator[Caption]:
    """Take the name of a picture, without its ending, for its text."""
    for name in _files(folder):
        if name.lower().endswith(PICTURES):
            yield Caption(name, Path(name).stem, str(folder / name))


def _files(folder: Path) -> dict[str, None]:
    """Return the names of all files in a folder and those inside it, in alphabetical order."""
    found = []
    for path in folder.rglob("*"):
        if path.is_file():
            found.append(path.relative_to(folder).as_posix())
        if len(found) > _MOST_FILES:
            raise DataError(
                f"{folder}: holds over {_MOST_FILES:,} files; expected fewer. List the pictures in"
                " a file, and name it as captions."
            )
    return dict.fromkeys(sorted(found))


_FORMS: dict[str, Callable[[Path], Iterator[Caption]]] = {
    "flickr8k": _flickr8k,
    "coco": _coco,
    "karpathy": _karpathy,
    "tsv": _tsv,
    "csv": _csv,
    "jsonl": _jsonl,
    "beside": _beside,
    "names": _names,
}


def _is_header(columns: list[str]) -> bool:
    names = [column.strip().lower() for column in columns[:2]]
    return names[0] in (*_IMAGES, "image_name", "name") and names[1] in (*_CAPTIONS, "comment")


def _json(path: Path) -> dict[str, Any]:
    with open_bytes(path) as file:
        content = _parsed(file.read(), str(path))
    if not isinstance(content, dict):
        raise DataError(
            f"{path}: holds a {type(content).__name__}; expected an object with images and"
            " annotations, as COCO has it. Is it another file?"
        )
    return content


def _parsed(text: str | bytes, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: not JSON ({error}); expected JSON. Mend it.") from None


def _list(content: Any, key: str, where: Path | str) -> list[Any]:
    found = content.get(key)
    if not isinstance(found, list):
        raise DataError(
            f"{where}: '{key}' is {json.dumps(found)[:40]}; expected a list. Mend the file, or"
            " change the reader's format."
        )
    return found


def _entry(content: Any, key: str, where: str) -> Any:
    if not isinstance(content, dict) or key not in content:
        raise DataError(
            f"{where}: has no '{key}': {json.dumps(content)[:60]}; expected one. Mend the file, or"
            " change the reader's format."
        )
    return content[key]


def _first(entry: dict[str, Any], keys: tuple[str, ...], where: str) -> Any:
    found = next((key for key in keys if key in entry), None)
    if found is None:
        raise DataError(
            f"{where}: has the keys {', '.join(map(str, entry))[:80] or 'none'}; expected"
            f" '{keys[0]}', or one of {', '.join(keys[1:])}. Rename one."
        )
    return entry[found]


def _text(found: Any, where: str) -> str:
    if not isinstance(found, str):
        raise DataError(f"{where}: found {json.dumps(found)[:40]}; expected text. Mend it.")
    if is_broken(found):
        raise DataError(
            f"{where}: holds half a character, a lone surrogate escape; expected text. Mend it."
        )
    return found


def _key(found: Any) -> Any:
    return found if isinstance(found, int | str) else json.dumps(found)


def _odd(path: Path, number: int, line: str, wanted: str) -> DataError:
    return DataError(f"{path}:{number}: found {line[:60]!r}; expected {wanted}. Mend the line.")

"""The README of an ONNX export: what the graphs take and give, and a program that uses them."""

from pathlib import Path
from string import Template

import onnx

from saccade.export._graphs import ENCODE, NEXT, STEP
from saccade.models.base import Model
from saccade.recipe import Recipe
from saccade.tokenizers._vocabulary import END, PAD, START, UNK

_TEXT = Template("""\
# $name, exported to ONNX

Made by `saccade export --to onnx`. `saccade translate FOLDER` uses it; so does any program with
onnxruntime, without torch and without saccade.

| File | What |
|---|---|
| `encode.onnx`, `step.onnx` | the model: one reads a source, the other writes a symbol |
| `source.json`, `target.json` | the tokenizers, in the format of the `tokenizers` library |
| `recipe.yaml`, `engine.json` | how the model was trained, and how it is to be decoded |

Ids: PAD $pad, UNK $unk, START $start, END $end. $source The mask is True at real places, which come
first. The first token of a step is START. `log_probs` are those of the next symbol; PAD, UNK and
START are never to be written. What a step gives back as `${next}X` is `X` of the step after it;
what begins with `source.` stays as `encode.onnx` gave it. Names as `batch` are sizes that may vary.

`encode.onnx`

$encode

`step.onnx`

$step

Greedy search, one sentence at a time:

```python
import numpy as np
import onnxruntime
import tokenizers

PAD, UNK, START, END = $pad, $unk, $start, $end
encode, step = (onnxruntime.InferenceSession(name) for name in ("encode.onnx", "step.onnx"))
source, target = (tokenizers.Tokenizer.from_file(name) for name in ("source.json", "target.json"))


def translate(text):
    read = source.encode(text, add_special_tokens=False).ids$turned
    ids, given = $given
    names = [output.name for output in encode.get_outputs()]
    state = dict(zip(names, encode.run(names, {"ids": ids, "mask": ids >= 0})))
    token, written = START, []
    for t in range(int((len(read) + 1) * $ratio) + $extra):
        log_probs, *after = step.run(None, {"token": np.array([token]), **state})
        log_probs[:, [PAD, UNK, START]] = -np.inf
        token = given[t] if t < len(given) else int(log_probs[0].argmax())
        if token == END:
            break
        written.append(token)
        for output, values in zip(step.get_outputs()[1:], after):
            state[output.name.removeprefix("$next")] = values
    return target.decoder.decode([target.id_to_token(i) for i in written])


if __name__ == "__main__":
    import sys

    for line in sys.stdin:
        print(translate(line.rstrip("\\n")))
```
""")
_WITH = "A source is the ids of `source.json`$reversed with END behind them."
_WITHOUT = "There is no source: `ids` is END alone. A text is the beginning of the output."


def readme(recipe: Recipe, model: Model, folder: Path) -> str:
    """Say how to use the graphs in `folder`."""
    decoding = recipe.decoding
    reverse = recipe.data.source.plain()["reverse"]
    turned = ", from the last to the first," if reverse else ""
    return _TEXT.substitute(
        name=recipe.name or "A model",
        pad=PAD,
        unk=UNK,
        start=START,
        end=END,
        next=NEXT,
        source=_WITH.replace("$reversed", turned) if model.reads else _WITHOUT,
        encode=_table(folder / ENCODE),
        step=_table(folder / STEP),
        turned="[::-1]" if reverse else "",
        given="np.array([[*read, END]]), []" if model.reads else "np.array([[END]]), read",
        ratio=decoding.max_ratio,
        extra=decoding.max_extra,
    )


def _table(path: Path) -> str:
    """List what a graph takes and gives."""
    graph = onnx.load(path, load_external_data=False).graph
    rows = [("", "Name", "Type", "Size"), ("---",) * 4]
    for way, values in (("in", graph.input), ("out", graph.output)):
        rows += [(way, f"`{value.name}`", *_kind(value)) for value in values]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _kind(value: onnx.ValueInfoProto) -> tuple[str, str]:
    tensor = value.type.tensor_type
    kind = onnx.TensorProto.DataType.Name(tensor.elem_type).lower()
    sizes = [size.dim_param or str(size.dim_value) for size in tensor.shape.dim]
    return kind, f"[{', '.join(sizes)}]"

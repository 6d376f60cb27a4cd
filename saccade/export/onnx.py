"""Export to ONNX: every model that is a graph, recurrent ones too."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import onnx
import onnxscript  # noqa: F401 - torch's exporter wants it
from onnxruntime.quantization import QuantType, quantize_dynamic

from saccade.export import _graphs
from saccade.export._graphs import ENCODE, STEP
from saccade.export._readme import readme
from saccade.export.base import Exporter
from saccade.folders import model as folders
from saccade.folders.identity import read_identity
from saccade.train.files import write_text


class Onnx(Exporter):
    """Writes a model as two graphs: one reads the source, the other writes a symbol.

    With int8 the matrices are rounded to eight bits, one scale a column; what they are multiplied
    with is rounded as it comes.
    """

    quantisations: ClassVar[tuple[str, ...]] = ("float32", "int8")

    def refusals(self, folder: Path) -> list[str]:
        """Refuse parts whose work depends on more than lengths."""
        identity = read_identity(folder)
        return _graphs.refusals(folders.undrawn_model(folder, identity))

    def write(self, folder: Path, target: Path, quantise: str) -> Mapping[str, Any]:
        """Write the graphs and how to use them."""
        recipe, translator = read_identity(folder).recipe, folders.load(folder)
        _graphs.write(translator.model, target)
        for path in (target / ENCODE, target / STEP) if quantise == "int8" else ():
            _round(path)
        write_text(target / "README.md", readme(recipe, translator.model, target))
        return recipe.plain()


def _round(path: Path) -> None:
    """Round the weights of a graph to eight bits."""
    model = onnx.load(path)
    _part_ways(model.graph)
    del model.graph.value_info[:]  # shapes of weights that are about to be turned
    model.metadata_props.add(key="onnx.quant.pre_process", value="onnxruntime.quant")  # as it is
    quantize_dynamic(model, path, weight_type=QuantType.QInt8, per_channel=True)


def _part_ways(graph: onnx.GraphProto) -> None:
    """Give a matrix that is also an embedding a copy of its own: the quantiser turns it around."""
    weights = {weight.name: weight for weight in graph.initializer}
    uses = Counter(name for node in graph.node for name in node.input)
    for node in graph.node:
        name = node.input[1] if node.op_type == "Gemm" else ""
        if name in weights and uses[name] > 1:
            copied = graph.initializer.add()
            copied.CopyFrom(weights[name])
            copied.name = node.input[1] = f"{name}.{node.name}"

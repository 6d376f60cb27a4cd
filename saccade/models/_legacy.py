"""How recipes of older versions named models, and what they are called now."""

from collections.abc import Mapping
from typing import Any


def upgraded(raw: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Rewrite what an older version wrote in another way; say what was rewritten.

    Forecasters had models of their own, and their sides were always text.
    """
    model = raw.get("model")
    model = {"kind": model} if isinstance(model, str) else model
    data = raw.get("data")
    if not isinstance(model, dict) or not isinstance(data, dict):
        return dict(raw), []
    kind = model.get("kind")
    if kind not in ("forecaster", "dense_forecaster") or "sources" in data:
        return dict(raw), []
    notes = []
    sides = {name: data.get(name) or {} for name in ("source", "target")}
    if all(isinstance(side, dict) and "kind" not in side for side in sides.values()):
        for name, side in sides.items():
            kept = {key: side[key] for key in ("max_length",) if key in side}
            data = {**data, name: {"kind": "numbers", **kept}}
        notes.append(f"model {kind}: data.source and data.target are now of kind numbers.")
    if kind == "forecaster":
        relative = model.get("relative", False)
        rest = {k: v for k, v in model.items() if k not in ("kind", "relative")}
        head = {"kind": "values", "relative": relative}
        model = {"kind": "encoder_decoder", "embedding": 32, "dropout": 0.0, **rest, "head": head}
        notes.append("model forecaster is now encoder_decoder with head: values.")
    return {**raw, "model": model, "data": data}, notes

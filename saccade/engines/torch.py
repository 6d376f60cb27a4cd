"""The engine that trained the model: it can do everything."""

from pathlib import Path

from saccade import folder as folders
from saccade.devices import checked_device
from saccade.engines.base import Engine, Wanted
from saccade.export.base import is_export, read_export
from saccade.translator import Translator


class Torch(Engine):
    """Runs a model folder as it is."""

    def refusals(self, folder: Path, wanted: Wanted) -> list[str]:
        """Refuse a folder that was written for another engine, and rounded weights."""
        if is_export(folder):
            engine = read_export(folder).engine
            return [
                f"{folder}: was exported for {engine}; expected a model folder, which torch can"
                f" read. Use --engine {engine}."
            ]
        if wanted.quantise:
            return [
                f"--quantise {wanted.quantise}: the engine torch does not round weights; expected"
                " an engine that does. Use --engine ctranslate2, or leave it out."
            ]
        return []

    def open(self, folder: Path, wanted: Wanted) -> Translator:
        """Load the model."""
        return folders.load(folder, device=checked_device(wanted.device))

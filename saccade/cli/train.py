"""The verbs that make models: train, average and reconfigure."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from saccade import run
from saccade.cli.options import Device, Sets, note
from saccade.cli.tables import error_console, show_table
from saccade.data.files import missing_files, readers_to_train
from saccade.engines._devices import checked_device
from saccade.errors import RecipeError
from saccade.folders.reconfigured import reconfigure as changed
from saccade.learners._bench import Bench
from saccade.learners._outline import memory_of, outline
from saccade.learners.base import WARNING, Learner
from saccade.models.base import Model
from saccade.parts import find
from saccade.recipe import Recipe
from saccade.train.launch import launch


def train(
    recipe: Annotated[
        Path, typer.Argument(metavar="RECIPE", help="A recipe, or a run folder that holds one.")
    ],
    folder: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Where to write; runs/NAME, or the folder that is resumed."
        ),
    ] = None,
    sets: Sets = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the folder's last checkpoint.")
    ] = False,
    resume_from: Annotated[
        int | None,
        typer.Option(
            "--resume-from",
            metavar="STEP",
            min=0,
            help="Go on from the checkpoint of this step; those behind it are left.",
        ),
    ] = None,
    start_from: Annotated[
        Path | None,
        typer.Option("--from", help="Start from a model folder's vocabularies and weights."),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Delete what an earlier run left in the folder.")
    ] = False,
    seed: Annotated[int | None, typer.Option("--seed", help="Instead of the recipe's.")] = None,
    device: Device = "cpu",
    processes: Annotated[
        int,
        typer.Option("--processes", min=1, help="Share every update among N on this machine."),
    ] = 1,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Time a few updates, say what would happen, stop.")
    ] = False,
) -> None:
    """Train a recipe into a run folder.

    Ctrl-C finishes the step, writes a checkpoint and leaves with 130; --resume goes on from there.

    [dim]Examples:[/dim]

      saccade train recipe.yaml

      saccade train recipe.yaml -o runs/small --set model.embedding=64 --seed 2

      saccade train runs/small --resume --set training.max_epochs=20

      saccade train recipe.yaml --processes 2

      torchrun --nproc-per-node 2 -m saccade train recipe.yaml
    """
    resume = resume or resume_from is not None
    if resume and (overwrite or start_from):
        raise RecipeError("--resume: goes on with a run; do not give --overwrite or --from too.")
    path = recipe / "recipe.yaml" if recipe.is_dir() else recipe
    read = run.read_recipe(path, sets or [], seed)
    for said in read.notes:
        note(said)
    within_run = (path.parent / "saccade.json").exists()
    folder = folder or (path.parent if resume and within_run else Path("runs") / read.name)
    checked_device(device)
    if dry_run:
        _rehearse(read, path, folder, start_from, device)
        return
    if processes > 1:
        options = {"--output": folder, "--from": start_from, "--seed": seed, "--device": device}
        given = [text for name, one in options.items() if one is not None for text in (name, one)]
        flags = [name for name, on in (("--resume", resume), ("--overwrite", overwrite)) if on]
        given += [text for one in sets or [] for text in ("--set", one)] + flags
        _launch(processes, read, ["train", recipe, *given])
    run.train(
        read,
        folder,
        resume=resume,
        resume_from=resume_from,
        start_from=start_from,
        overwrite=overwrite,
        device=device,
        console=error_console(),
    )


def _launch(n: int, recipe: Recipe, arguments: Sequence[object]) -> NoReturn:
    """Begin N processes of the same command, and leave with the code they end with."""
    if "WORLD_SIZE" in os.environ:
        raise RecipeError(
            f"--processes {n}: this is already one of {os.environ['WORLD_SIZE']} processes of"
            " torchrun; expected it to say how many. Leave out --processes."
        )
    if not find(Learner, find(Model, recipe.model.kind).learner).shares:
        raise RecipeError(
            f"--processes {n}: {recipe.model.kind} counts its data in one process; expected one."
            " Leave out --processes."
        )
    sys.exit(launch([sys.executable, "-m", "saccade", *map(str, arguments)], n))


def _rehearse(
    recipe: Recipe, path: Path, folder: Path, start_from: Path | None, device: str
) -> None:
    """Do all that comes before the first step, time a few, and say what was found.

    Where the data is not there, which is an error, say first what can be told from the recipe.
    """
    if missing_files(readers_to_train(recipe)) and not start_from:
        _show_outline(recipe)
    bench = Bench(recipe, Path(), device, None, start_from)
    with run.threads(recipe.training.threads):
        found = dict(find(Learner, bench.model.learner).rehearse(recipe, bench))
    warning = found.pop(WARNING, "")
    rows = {
        "training": bench.batches.describe(),
        "validation": bench.valid.describe(),
        "data": bench.codecs.describe(),
        **memory_of(bench),
        **found,
        "would write to": str(folder),
        "whole recipe": f"{folder / 'recipe.yaml'} (see it now: saccade recipe show {path})",
    }
    _show_dry(recipe, rows)
    for said in (*bench.warnings, warning):
        if said:
            note(said)


def _show_outline(recipe: Recipe) -> None:
    with run.threads(recipe.training.threads):
        told = outline(recipe)
    if told.problem:
        note(f"Nothing can be told without the data: {told.problem}.")
        return
    _show_dry(recipe, told.rows)
    note("The data is not there: these figures are from the recipe alone.")


def _show_dry(recipe: Recipe, rows: Mapping[str, str]) -> None:
    show_table(f"{recipe.name}: a dry run", ["", ""], [[k, v] for k, v in rows.items()])
    note("Nothing was trained and no run folder was written.")


def average(
    run_folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model folder to write.")],
    last: Annotated[
        int, typer.Option("--last", min=0, help="Average the newest N checkpoints.")
    ] = 0,
    best: Annotated[int, typer.Option("--best", min=0, help="Average the best N instead.")] = 0,
) -> None:
    """Write a model whose weights are the mean of several checkpoints of a run.

    The run must have kept them: training.keep_last or training.keep_best in its recipe.

    [dim]Example:[/dim]

      saccade average runs/small -o runs/small-mean --last 5
    """
    if bool(last) == bool(best):
        raise RecipeError("average: give either --last N or --best N.")
    names = run.average(run_folder, output, last=last, best=best)
    note(f"Averaged {len(names)} checkpoints ({', '.join(names)}) into {output}.")


def reconfigure(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model folder.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model folder to write.")],
    sets: Annotated[
        list[str],
        typer.Option("--set", metavar="KEY=VALUE", help="An option of decoding. May be repeated."),
    ],
) -> None:
    """Write a model with the same weights that decodes in another way; nothing is trained.

    A language model or a lexicon that is named goes into the new folder.

    [dim]Example:[/dim]

      saccade reconfigure runs/fraktur-ctc -o runs/fraktur-fused --set decoding.search=ctc_prefix
      --set decoding.language_model=runs/fraktur-language --set decoding.language_model_weight=0.5
    """
    changed(model, output, sets)
    note(f"Wrote {output}: the weights of {model}, with {', '.join(sets)}.")

"""The verbs around recipes: show, check, list the parts, write a starter."""

from pathlib import Path
from typing import Annotated

import typer

from saccade import recipe as recipes
from saccade import starters
from saccade.cli import catalogue
from saccade.cli.options import Sets, complain, note
from saccade.cli.tables import show_table
from saccade.data.files import check_files, readers_of
from saccade.errors import DataError, RecipeError
from saccade.fit.files import ColumnNames
from saccade.fit.outline import outline, readable
from saccade.starters.lines import look_at_lines, recipe_for_lines
from saccade.starters.photographs import has_features, look_at, recipe_for
from saccade.starters.recordings import look_at_recordings, speech_recipe
from saccade.starters.stories import answers_recipe, look_at_stories
from saccade.train.files import write_text


def show(
    recipe: Annotated[
        Path, typer.Argument(metavar="RECIPE|FOLDER", help="A recipe, or a folder that holds one.")
    ],
    sets: Sets = None,
) -> None:
    """Print a recipe with every default filled in.

    [dim]Example:[/dim]

      saccade recipe show recipe.yaml --set model.decoder.attention.kind=dot
    """
    path = recipe / "recipe.yaml" if recipe.is_dir() else recipe
    typer.echo(recipes.load(path, sets or []).to_yaml(), nl=False)


def check(
    paths: Annotated[list[Path], typer.Argument(metavar="RECIPE...", help="Recipes to check.")],
) -> None:
    """Check recipes, and look for the files that they name; report everything at once.

    Exits with 2 if a recipe is wrong, else with 1 if a file is missing.

    [dim]Example:[/dim]

      saccade recipe check recipes/*/*.yaml
    """
    wrong = lacking = 0
    for path in paths:
        try:
            recipe = recipes.load(path / "recipe.yaml" if path.is_dir() else path)
            for said in recipe.notes:
                note(said)
            check_files(recipe, readers_of(recipe))
        except RecipeError as error:
            complain(str(error))
            wrong += len(error.problems)
        except DataError as error:
            complain(f"{path}: files are missing.\n{error}")
            lacking += 1
        else:
            typer.echo(f"{path}: good")
    if lacking:
        note(f"{lacking} of {len(paths)} recipes lack files; they are good otherwise.")
    if wrong:
        among = f"{len(paths)} recipes" if len(paths) > 1 else "one recipe"
        note(f"{wrong} error{'s' if wrong > 1 else ''} in {among}.")
    if wrong or lacking:
        raise typer.Exit(2 if wrong else 1)


def parts(
    family: Annotated[
        str | None, typer.Argument(metavar="[FAMILY]", help="One family, as attention.")
    ] = None,
) -> None:
    """List what a recipe can name: families, their parts, and the options of each.

    [dim]Examples:[/dim]

      saccade parts

      saccade parts attention
    """
    for name in [family] if family else catalogue.families():
        rows = [[e.kind, e.summary, "\n".join(e.options)] for e in catalogue.entries(name)]
        show_table(name, ["kind", "what it does", "options with defaults"], rows)


def init(
    task: Annotated[
        str, typer.Argument(metavar="TASK", help=f"One of {', '.join(starters.tasks())}.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The recipe to write.")] = Path(
        "recipe.yaml"
    ),
    source: Annotated[Path | None, typer.Option("--source", help="Your source lines.")] = None,
    target: Annotated[Path | None, typer.Option("--target", help="Your target lines.")] = None,
    data: Annotated[
        list[Path] | None,
        typer.Option(
            "--data",
            "--tsv",
            metavar="FILE",
            help="Your pairs: TSV, CSV, JSONL, Parquet; or your text. May be repeated.",
        ),
    ] = None,
    valid: Annotated[
        list[Path] | None,
        typer.Option(
            "--valid", metavar="FILE", help="Pairs to validate on. Two plain files: give it twice."
        ),
    ] = None,
    test: Annotated[
        list[Path] | None,
        typer.Option("--test", metavar="FILE", help="Pairs to test on; the same."),
    ] = None,
    columns: Annotated[
        str,
        typer.Option(
            "--columns",
            metavar="SOURCE,TARGET[,FEATURES]",
            help="Names or numbers of the columns; found if not given.",
        ),
    ] = "",
    images: Annotated[
        Path | None, typer.Option("--images", help="Your folder of pictures, or of lines.")
    ] = None,
    captions: Annotated[
        Path | None, typer.Option("--captions", help="Their captions: Flickr8k, COCO, TSV, JSONL.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--folder", help="Your folder of recordings, for speech.")
    ] = None,
    names: Annotated[
        str, typer.Option("--names", help="How they are called: {label}_{speaker}_{index}.")
    ] = "",
    stories: Annotated[
        Path | None,
        typer.Option("--stories", help="Your stories with questions, for answers: JSONL, TSV."),
    ] = None,
) -> None:
    """Write a commented starter recipe, or one that suits your own files if you name them.

    Sizes of model, batch and run follow from your data, by the rules of `saccade fit`. Without
    --valid or --test, a share of your pairs is held out, so that no source stands on both sides.
    Columns are found by their names; one such as V;PST holds features. Your files are not changed.

    [dim]Examples:[/dim]

      saccade init translation --source all.en --target all.fr

      saccade init transliteration --data names.csv --columns name,latin -o names.yaml

      saccade init inflection --data train.tsv --valid dev.tsv --columns 1,2,3

      saccade init captions --images photos --captions captions.tsv

      saccade init lines --images scans --tsv lines.tsv

      saccade init speech --folder recordings --tsv texts.tsv

      saccade init answers --stories stories.jsonl

      saccade init dates
    """
    paired = any((source, target, columns, valid, test))
    if stories:
        others = paired or any((data, images, captions, folder, names))
        _init_answers(task, output, stories, others=others)
    elif images and task == "lines":
        _init_lines(output, images, data or [], others=paired or captions is not None)
    elif task == "speech" and (folder or names or data):
        others = paired or images is not None or captions is not None
        _init_speech(output, folder, data or [], names, others=others)
    elif folder or names:
        raise RecipeError("init: --folder and --names are for speech: saccade init speech.")
    elif images or captions:
        if task != "captions" or not (images and captions) or source or target or data or columns:
            raise RecipeError(
                "init: --images and --captions go together, for captions: saccade init captions"
                " --images DIR --captions FILE."
            )
        _init_captions(output, images, captions, valid or [], test or [])
    else:
        if (source is None) != (target is None) or (data and source):
            raise RecipeError("init: give --source and --target, or --data alone.")
        files = list(data or []) or [path for path in (source, target) if path]
        _init_pairs(task, output, files, valid or [], test or [], columns)
    note(f"Wrote {output}. Next:  saccade doctor {output}   then   saccade train {output}")


def _init_pairs(
    task: str, output: Path, files: list[Path], valid: list[Path], test: list[Path], columns: str
) -> None:
    """Write a starter, or a recipe for files of pairs."""
    if not files:
        if valid or test or columns:
            raise RecipeError("init: --valid, --test and --columns need --data.")
        starters.write(task, output)
        return
    starters.check_takes_pairs(task)
    starters.check_new(output)
    made = outline(files, valid=valid, test=test, columns=column_names(columns), task=task)
    output.parent.mkdir(parents=True, exist_ok=True)
    write_text(output, readable(made, made.candidates[0], output.stem))
    for line in (*made.told()[:3], *made.unread):
        note(line)


def _init_captions(
    output: Path, images: Path, captions: Path, valid: list[Path], test: list[Path]
) -> None:
    """Write a recipe for a folder of pictures."""
    starters.check_new(output)
    found = look_at(images, captions, valid, test)
    output.parent.mkdir(parents=True, exist_ok=True)
    write_text(output, recipe_for(found, output))
    note(f"{images}: {found.n_pictures:,} pictures with {found.n_captions:,} captions.")
    if found.n_lost:
        note(f"{found.n_lost:,} pictures that captions name are not there; they are skipped.")
    note(found.splits)
    if not has_features():
        note("For better captions: pip install 'saccade[vision]', and write the recipe anew.")


def _init_lines(output: Path, images: Path, data: list[Path], *, others: bool) -> None:
    """Write a recipe for a folder of lines of print."""
    if others or len(data) > 1:
        raise RecipeError(
            "init: lines takes --images DIR and, unless texts stand beside the pictures or are"
            " their names, one --tsv FILE. Leave out the rest."
        )
    texts = data[0] if data else None
    starters.check_new(output)
    found = look_at_lines(images, texts)
    output.parent.mkdir(parents=True, exist_ok=True)
    write_text(output, recipe_for_lines(found, output))
    forms = {"beside": "texts beside them", "names": "texts as their names"}
    told = forms.get(found.about.get("format", ""), f"texts of {texts}")
    note(f"{images}: {found.n_lines:,} lines, {told}; usually {found.width:,} columns wide.")
    if found.n_lost:
        note(f"{found.n_lost:,} lines that are named are not there; they are skipped.")


def _init_speech(
    output: Path, folder: Path | None, data: list[Path], names: str, *, others: bool
) -> None:
    """Write a recipe for recordings."""
    if others or len(data) > 1:
        raise RecipeError(
            "init: speech takes --folder DIR with --names TEMPLATE, or --tsv FILE, and no other"
            " files. Leave out the rest."
        )
    starters.check_new(output)
    found = look_at_recordings(folder, data[0] if data else None, names)
    output.parent.mkdir(parents=True, exist_ok=True)
    write_text(output, speech_recipe(found, output))
    note(f"{found.place}: {found.count:,} recordings, about {found.mean:.1f} seconds each.")
    if found.n_lost:
        note(f"{found.n_lost:,} recordings that are named are not there; they are skipped.")


def _init_answers(task: str, output: Path, stories: Path, *, others: bool) -> None:
    """Write a recipe for stories."""
    if task != "answers" or others:
        raise RecipeError(
            "init: --stories is for answers and goes with no other files: saccade init answers"
            " --stories FILE."
        )
    starters.check_new(output)
    found = look_at_stories(stories)
    output.parent.mkdir(parents=True, exist_ok=True)
    write_text(output, answers_recipe(found, output))
    note(
        f"{stories}: {found.count:,} questions with {found.answers:,} different answers; the"
        f" longest story has {found.longest:,} sentences."
    )


def column_names(text: str) -> ColumnNames:
    """Read SOURCE,TARGET[,FEATURES]."""
    names = [name.strip() for name in text.split(",")] if text else []
    if names and (not 2 <= len(names) <= 3 or not all(names)):
        raise RecipeError(f"--columns {text}: expected SOURCE,TARGET or SOURCE,TARGET,FEATURES.")
    return ColumnNames(*names)

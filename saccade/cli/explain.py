"""The verb that answers questions of the lectures by running something."""

from typing import Annotated

import typer

from saccade.cli.inspect import Picture, show
from saccade.cli.parts import part_of
from saccade.cli.tables import show_table
from saccade.explanations.base import Explanation, answered, file_of, question, questions
from saccade.views.drawing import checked_path


def explain(
    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="[TOPIC]", help="A topic, as scaling or scaling:seed=2; all are listed if none."
        ),
    ] = None,
    target: Picture = None,
) -> None:
    """Answer a question of the lectures by a small experiment: a picture, and what is seen.

    [dim]Examples:[/dim]

      saccade explain

      saccade explain permutation

      saccade explain permutation:seed=3 -o permutation.svg
    """
    if topic is None:
        show_table("Questions", ("topic", "question"), list(questions().items()))
        return
    if target:
        checked_path(target)
    name, colon, options = topic.partition(":")
    part = part_of(Explanation, file_of(name) + colon + options)
    found = answered(part)
    typer.echo(question(part.kind))
    show(found.drawing, target)
    typer.echo(found.said)

"""What requests and answers look like. Types are strict and unknown keys are refused."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from saccade.inspections.base import views_of_page

Want = Literal["tokens", "attention", "self_attention", "alignment", "tree", "flags", "times"]


def _view(name: str) -> str:
    """Refuse a view that the page does not show."""
    if name not in (known := views_of_page()):
        raise ValueError(f"Input should be one of {', '.join(known)}")
    return name


def _views_schema(schema: dict[str, Any]) -> None:
    schema["enum"] = views_of_page()


View = Annotated[str, AfterValidator(_view), Field(json_schema_extra=_views_schema)]


def _writable(text: str) -> str:
    """Refuse text that UTF-8 cannot write."""
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise ValueError("Text holds half a character, a lone surrogate")
    return text


Text = Annotated[str, AfterValidator(_writable)]
Texts = Text | list[Text]
Named = Annotated[dict[Text, Text], Field(min_length=1, max_length=16)]
Input = Text | Named
Inputs = Input | list[Input]
Penalty = Annotated[float, Field(ge=0, le=10, allow_inf_nan=False)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Predict(_Strict):
    """Translate one text or several, and say what else to tell about each."""

    model: Text | None = Field(None, description="One of /v1/models; the first if not given.")
    text: Inputs = Field(
        description="What to read. Of a model with several sources an object: name to text."
    )
    beam: int | None = Field(
        None,
        ge=1,
        description="Hypotheses kept at each step. A model that writes values searches nothing, and"
        " beam, nbest and length_penalty do nothing there.",
    )
    nbest: int = Field(1, ge=1, description="Outputs for each text.")
    length_penalty: Penalty | None = None
    prefix: Text = Field("", description="Text that every output begins with.")
    want: list[Want] = Field(default_factory=list, max_length=7)
    views: list[View] = Field(default_factory=list, max_length=8)
    head: Text = Field(
        "mean",
        description="Attention maps of views: one by name, a layer, encoder, decoder, mean, max or"
        " all; several are parted by commas.",
    )
    word: Text = Field(
        "",
        max_length=200,
        description="The word of the views steps and lines; it:2 is the second of its kind.",
    )
    words: bool = Field(default=False, description="Join pieces to words in attention and views.")
    smooth: bool = Field(
        default=True, description="Draw attention over a picture without edges between its cells."
    )
    split: Literal["auto", "sentences", "lines", "none"] = Field(
        "auto", description="What to translate by itself; auto is what the model learned from."
    )
    bias: float | None = Field(
        None,
        ge=0,
        le=100,
        allow_inf_nan=False,
        description="Of a model that draws values, such as strokes: draw by chance, the nearer to"
        " the likeliest the larger; if not given, write the likeliest.",
    )
    seed: int = Field(1, ge=0, lt=2**31, description="What chance depends on, beside the text.")


class Listen(_Strict):
    """Begin to hear a sound that is sent in chunks."""

    model: Text | None = None
    rate: int = Field(ge=1_000, le=192_000, description="Samples a second.")
    pause: float = Field(
        0.6, ge=0.1, le=2.0, allow_inf_nan=False, description="Seconds of quiet that end a stretch."
    )
    beam: int | None = Field(None, ge=1)


class SoundChunk(_Strict):
    """More of a sound: its name, and samples of signed 16 bits, low byte first, in base64."""

    stream: Text = Field(max_length=100)
    samples: str = ""
    last: bool = Field(default=False, description="Nothing follows; all becomes final.")


class ScoreRequest(_Strict):
    """Say how likely targets are for their sources."""

    model: Text | None = None
    source: Inputs
    target: Texts


class Libre(_Strict):
    """What LibreTranslate takes."""

    q: Texts
    source: Text
    target: Text
    format: Literal["text", "html"] = "text"
    alternatives: int = Field(0, ge=0)
    api_key: str | None = None

    model_config = ConfigDict(extra="ignore", strict=True)


class Detect(BaseModel):
    """What LibreTranslate takes to tell a language."""

    q: Texts
    api_key: str | None = None

    model_config = ConfigDict(extra="ignore", strict=True)


class LibreFile(BaseModel):
    """What LibreTranslate takes with a file, in a form of parts."""

    file: str = Field(json_schema_extra={"format": "binary"})
    source: Text
    target: Text
    api_key: str | None = None

    model_config = ConfigDict(extra="ignore", strict=True)


class Judgement(_Strict):
    """Which of two outputs somebody prefers, and which one they take for the machine's."""

    id: Text = Field(max_length=100)
    rater: Text = Field(min_length=1, max_length=64)
    choice: Literal["left", "right", "same"]
    machine: Literal["left", "right"] | None = None


class Error(BaseModel):
    """Why a request was not answered."""

    error: str


class Token(BaseModel):
    """A piece, its log-probability, and which of the words it belongs to."""

    text: str
    log_prob: float | None
    word: int | None = None


class Output(BaseModel):
    """One of the n best."""

    text: str
    score: float | None


class Maps(BaseModel):
    """Attention weights by map, target piece and source piece."""

    names: list[str]
    maps: list[list[list[float | None]]]


class SelfMapAnswer(BaseModel):
    """One map of self-attention, in pieces: a row for each place that asks, a column for each read.

    side: encoder, encoder of a source, or decoder, whose rows are what is written and whose columns
    are START and what was written before.
    """

    name: str
    side: str
    rows: list[str]
    columns: list[str]
    weights: list[list[float | None]]


class NodeAnswer(BaseModel):
    """One symbol of one hypothesis of a beam."""

    step: int
    text: str
    parent: int
    log_prob: float | None
    fate: Literal["kept", "completed", "pruned"]


class FlagAnswer(BaseModel):
    """A warning about an output."""

    kind: str
    message: str
    severity: Literal["note", "warning"]
    places: list[int]
    side: Literal["source", "target"]
    sentence: int | None = None


class TimedAnswer(BaseModel):
    """A word, or a character, and when it is said, in seconds."""

    text: str
    begins: float
    ends: float


class ListenAnswer(BaseModel):
    """The name of a sound that is being heard, and how long it may last."""

    stream: str
    seconds: float


class StretchAnswer(BaseModel):
    """What was said between two pauses, and when, in seconds from the beginning of the sound."""

    text: str
    begins: float
    ends: float
    score: float | None
    words: list[TimedAnswer]


class HeardAnswer(BaseModel):
    """What is final since the last chunk, and what is being said and may still change."""

    seconds: float
    final: list[StretchAnswer]
    partial: StretchAnswer | None


class SourcePlaces(BaseModel):
    """Which columns of attention belong to a source, from `start` up to `end`.

    grid: rows and columns, where they form one.  picture: what the model saw, as a data URI;
    of a clip its frames side by side.  strokes: what it saw of a pen, as the data of an SVG path.
    """

    source: str
    start: int
    end: int
    grid: tuple[int, int] | None = None
    picture: str | None = None
    strokes: str | None = None


class Result(BaseModel):
    """What there is to say of one text; what was not wanted is absent."""

    text: str
    score: float | None
    finished: bool
    nbest: list[Output]
    tokens: list[Token] | None = None
    source_tokens: list[str] | None = None
    attention: Maps | None = None
    layout: list[SourcePlaces] | None = None
    self_attention: list[SelfMapAnswer] | None = None
    alignment: list[tuple[int, int]] | None = None
    source_words: list[str] | None = None
    target_words: list[str] | None = None
    tree: list[list[NodeAnswer]] | None = None
    greedy: list[str] | None = None
    flags: list[FlagAnswer] | None = None
    times: list[TimedAnswer] | None = Field(
        None, description="Of `target_words`, if the source is a sound."
    )
    words: list[TimedAnswer] | None = None
    views: dict[str, str] | None = None
    sentences: "list[Sentence] | None" = Field(None, description="The parts, if several.")
    after: str | None = Field(None, description="White space behind the last of them.")


class Sentence(Result):
    """A part of a text that was predicted by itself, and the white space before it."""

    before: str
    source: str


class Predicted(BaseModel):
    """The answer of /v1/predict."""

    model: str
    seconds: float
    results: list[Result]


class Weighed(BaseModel):
    """How likely one target is; END is its last token."""

    score: float | None
    tokens: list[Token]


class ScoreAnswer(BaseModel):
    """The answer of /v1/score."""

    results: list[Weighed]


class ExampleAnswer(BaseModel):
    """A pair to try; `sources` has all sources by name where there are several."""

    source: str
    reference: str
    sources: dict[str, str] | None = None


class InputAnswer(BaseModel):
    """A source of a model.

    limit: the most pixels each way of a picture that it takes; how high a line of strokes was in
    training.
    """

    name: str
    kind: Literal["text", "story", "picture", "clip", "sound", "strokes", "values"]
    limit: int


class ModelAnswer(BaseModel):
    """A model that is served."""

    name: str
    description: str
    source: str
    target: str
    sources: list[str]
    inputs: list[InputAnswer]
    parameters: int
    attention: list[str]
    self_attention: list[str]
    views: list[View]
    splits: Literal["sentences", "lines", "none"]
    examples: list[ExampleAnswer]
    trains: bool
    draws: bool
    beams: bool


class LimitsAnswer(BaseModel):
    """Characters of a text, texts of a request, width of a beam, bytes of a picture: the most.

    points: of what a pen wrote.
    """

    characters: int
    items: int
    beam: int
    picture: int
    points: int


class Models(BaseModel):
    """The answer of /v1/models."""

    models: list[ModelAnswer]
    limits: LimitsAnswer


class Status(BaseModel):
    """How the server is."""

    status: str


def listed(texts: Texts) -> list[str]:
    """Return one text or several as a list."""
    return [texts] if isinstance(texts, str) else texts


def inputs(given: Inputs) -> list[Input]:
    """Return one input or several as a list."""
    return given if isinstance(given, list) else [given]


def upload_schema() -> dict[str, Any]:
    """Describe the form in parts that /v1/predict takes beside JSON."""
    plain = Predict.model_json_schema()["properties"]
    own = {name: about for name, about in plain.items() if name != "text"}
    file = {"type": "string", "format": "binary"}
    given = {"type": "array", "items": file, "description": "Pictures or texts to read."}
    said = "Fields of other names are sources of the model, each a file or a text."
    return {"type": "object", "description": said, "properties": {"file": given, **own}}

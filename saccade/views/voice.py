"""A sound in a page, and its words: whoever points at one hears it.

This needs a script. It is always the same one, and a page that holds it allows it by its hash.
"""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from saccade.views.page import paragraph
from saccade.views.words import escape

SCRIPT = """
for (const voice of document.querySelectorAll(".voice")) {
  const sound = voice.querySelector("audio");
  let waiting;
  for (const word of voice.querySelectorAll("[data-begins]")) {
    const { begins, ends } = word.dataset;
    word.onpointerenter = word.onfocus = () => {
      clearTimeout(waiting);
      sound.currentTime = Number(begins);
      sound.play().catch(() => {});
      waiting = setTimeout(() => sound.pause(), 1000 * (ends - begins));
    };
  }
}
"""
HASH = f"sha256-{b64encode(sha256(SCRIPT.encode()).digest()).decode('ascii')}"
STYLE = ".voice audio{vertical-align:middle}.voice span{padding:.1rem .4rem;margin:0 .1rem}"
_HINT = "Point at a word to hear it. Some browsers stay silent until you click on the page."


class VoicedWord(NamedTuple):
    """A word, and when it is said, in seconds."""

    text: str
    begins: float
    ends: float


def to_html(uri: str, words: Sequence[VoicedWord]) -> str:
    """Return a player of a sound, given as a data URI, and its words beside it."""
    spans = "".join(
        f'<span tabindex="0" data-begins="{word.begins:.3f}" data-ends="{word.ends:.3f}"'
        f' title="{word.begins:.2f} to {word.ends:.2f} s">{escape(word.text)}</span>'
        for word in words
    )
    hint = paragraph(_HINT, note=True) if words else ""
    return f'<div class="voice"><audio controls src="{escape(uri)}"></audio>{spans}</div>{hint}'

"""A sentence and a picture go side by side from a recipe to a translation and where it looked."""

from pathlib import Path

import numpy as np
import pytest

import saccade
from saccade import recipe, run
from saccade.modalities import _png

RECIPE = """
data:
  train: &lines
    kind: illustrated
    corpus: {kind: tsv, path: pairs.tsv}
    names: names.txt
    images: pictures
  valid: *lines
  sources:
    text: {kind: text, tokenizer: word}
    picture: {kind: image, size: 16}
  target: {tokenizer: word}
model:
  embedding: 16
  encoder: none
  encoders: {text: {kind: rnn, hidden: 8}}
  decoder: {kind: rnn, hidden: 16, attention: {kind: by_source, hidden: 16}}
training: {max_steps: 3, batch_tokens: 1024}
decoding: {search: greedy, max_ratio: 0.0, max_extra: 5}
"""


@pytest.mark.parametrize("combine", ["hierarchical", "concatenated"])
def test_text_and_picture_to_text(combine: str, tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    random = np.random.default_rng(1)
    for i in range(4):
        pixels = random.integers(0, 256, (20, 12 + i, 3), dtype=np.uint8)
        (tmp_path / "pictures" / f"{i}.png").write_bytes(_png.encode(pixels))
    (tmp_path / "names.txt").write_text("0.png\n1.png\n2.png\n3.png\n", encoding="utf-8")
    lines = ["a dog\tun chien", "two cats run\tdeux chats", "a cat\tun chat", "dogs\tchiens"]
    (tmp_path / "pairs.tsv").write_text("\n".join(lines), encoding="utf-8")
    plan = recipe.parse(RECIPE, overrides=[f"model.decoder.attention.combine={combine}"])
    run.train(plan, tmp_path / "run", root=tmp_path)
    model = saccade.load(tmp_path / "run")
    examples = list(plan.data.valid.build(tmp_path).read())
    together = model.predict([example.sources for example in examples])
    for example, found in zip(examples, together, strict=True):
        alone = model.predict(example.sources)
        assert alone.text == found.text
        if found.hypothesis.tokens:
            weights = alone.attention
            assert weights is not None
            n_words = len(str(example.sources["text"]).split()) + 1  # and END
            assert weights.shape[1] == n_words + 16  # a grid of 4 x 4

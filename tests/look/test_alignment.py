from saccade.look.alignment import draw_alignment, spellings_of
from saccade.predict.alignment import align
from tests.predict.test_alignment import PREDICTOR


def test_spikes_and_trellis_in_one_picture() -> None:
    drawing = draw_alignment(align(PREDICTOR, "one", "un"))
    assert "How likely each label is at each frame" in drawing.svg
    assert "The best path" in drawing.svg
    assert drawing.terminal(60).count("x") == 8
    assert drawing.said.startswith("un: log-probability")


def test_all_paths_of_a_short_text() -> None:
    said = spellings_of(align(PREDICTOR, "one", "un"), PREDICTOR)
    assert said.splitlines()[-1].startswith("210 paths, together 0.9")

"""How little each topic can be asked to compute, in tests of topics and of pages."""

from typing import Any

SMALL: dict[str, dict[str, Any]] = {  # by file name
    "bleu": {},
    "by_hand": {},
    "cost": {"most": 256, "repeats": 1},
    "counting": {"seeds": 1, "longest": 5, "width": 3, "updates": 5},
    "ctc_paths": {"word": "aab", "frames": 5},
    "error_spread": {"places": 4, "mistake": 2, "width": 8, "updates": 3},
    "exploding": {"distance": 6, "updates": 15},
    "forget_bias": {"seeds": 1, "updates": 3, "farthest": 10},
    "gates": {"width": 8, "updates": 3},
    "lstm_or_gru": {"seeds": 1, "updates": 3, "farthest": 10, "most": 8},
    "padding": {"steps": 2, "pairs": 60, "sentences": 24},
    "permutation": {"places": 6, "queries": 3},
    "positions": {"steps": 2, "length": 4, "width": 8, "layers": 1},
    "reversal": {"places": 4, "width": 8, "updates": 10},
    "scaling": {"draws": 50, "widest": 256},
    "shortcut": {"places": 4, "width": 8, "updates": 3},
    "unrolled_gru": {"places": 3, "width": 8, "updates": 10},
}

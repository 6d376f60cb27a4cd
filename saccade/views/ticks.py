"""Round numbers for axes."""

import math

_LARGEST = 1e100  # beyond it a difference of two numbers may overflow


def drawable(value: float) -> bool:
    """Tell whether a number has a place on an axis: finite, and not absurdly large."""
    return math.isfinite(value) and abs(value) <= _LARGEST


def round_step(span: float, n_steps: int) -> float:
    """Return the least of 1, 2, 5 times a power of ten that covers `span` in `n_steps` steps.

    >>> round_step(97, 5), round_step(0.9, 5)
    (20.0, 0.2)
    """
    raw = span / n_steps
    if raw <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(raw))
    return next((m * power for m in (1, 2, 5) if m * power >= raw * (1 - 1e-9)), 10 * power)


def ticks(low: float, high: float, n_steps: int = 5) -> list[float]:
    """Return round numbers from at or below `low` to at or above `high`, evenly spaced.

    >>> ticks(0.3, 4.1)
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    """
    largest = max(abs(low), abs(high))
    if high - low <= max(1e-9 * largest, 1 / _LARGEST):
        margin = largest / 2 if largest > 1 / _LARGEST else 1.0
        low, high = low - margin, high + margin
    step = round_step(high - low, n_steps)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{i * step:.12g}") for i in range(first, last + 1)]


def short(value: float) -> str:
    """Write a number in few characters.

    >>> short(12000.0), short(1500), short(1234), short(2.5e6)
    ('12k', '1.5k', '1234', '2.5M')
    >>> short(0.25), short(3.0), short(0.00012), short(-0.0)
    ('0.25', '3', '1.2e-4', '0')
    """
    if not math.isfinite(value):
        return "not finite"
    for size, unit in ((1e9, "G"), (1e6, "M")):
        if size <= abs(value) < 1e15:
            return f"{value / size:.4g}{unit}"
    if abs(value) >= 1e3 and (abs(value) >= 1e4 or value % 100 == 0) and abs(value) < 1e6:
        return f"{value / 1e3:.4g}k"
    if value and (abs(value) < 1e-3 or abs(value) >= 1e15):
        digits, power = f"{value:.3e}".split("e")
        return f"{digits.rstrip('0').rstrip('.')}e{int(power)}"
    return f"{value + 0.0:.4g}"

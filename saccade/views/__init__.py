"""Pictures: pure functions of arrays and strings, with no torch."""

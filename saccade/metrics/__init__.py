"""Text against text: figures, with no torch."""

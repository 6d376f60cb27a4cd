"""Source to Memory."""

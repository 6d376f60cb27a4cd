"""Edits to scores during search."""

"""Attention: one score or rule a file."""

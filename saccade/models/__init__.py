"""Whole models, put together from parts."""

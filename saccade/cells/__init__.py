"""Recurrent cells: one recurrence a file."""

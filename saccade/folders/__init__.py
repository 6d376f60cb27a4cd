"""Model folders: what is in them, and how they are read and written."""

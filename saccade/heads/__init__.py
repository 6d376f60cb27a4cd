"""Features to what is written: the last layer of every model."""

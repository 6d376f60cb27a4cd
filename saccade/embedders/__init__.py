"""Raw padded values to vectors: the first layer of every model."""

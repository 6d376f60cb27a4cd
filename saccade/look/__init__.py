"""Looking inside: what a model does, drawn and reported."""

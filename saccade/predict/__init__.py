"""A trained model at work: predictions, and how good they are."""

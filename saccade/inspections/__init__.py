"""What there is to see of a model at work on one input: one file for each view."""

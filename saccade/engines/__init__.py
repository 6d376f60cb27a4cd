"""Ways to run a trained model: one engine a file."""

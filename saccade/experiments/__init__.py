"""Several trainings set side by side."""

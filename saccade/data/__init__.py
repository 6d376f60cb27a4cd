"""Examples to batches: stores on disk, plans of epochs, padding."""

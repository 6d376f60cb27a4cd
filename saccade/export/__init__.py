"""From a model folder to another engine's: one exporter a file."""

"""Guards: rules that say when an output should not be trusted, and why."""

"""Memory and a prefix to features of the next symbol."""

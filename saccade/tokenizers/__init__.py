"""Text to pieces: how a vocabulary is learned."""

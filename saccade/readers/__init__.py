"""Files of pairs in, Examples out."""

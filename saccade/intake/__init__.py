"""What comes in from elsewhere: files are bounded in kind, size and depth before they are read."""

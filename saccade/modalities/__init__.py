"""What one side of an example is: text, numbers, pictures."""

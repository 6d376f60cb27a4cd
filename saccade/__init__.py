"""Learn to turn one sequence into another, and see where the model looked for every symbol."""

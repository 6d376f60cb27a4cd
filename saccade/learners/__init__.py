"""How a recipe's model is fitted."""

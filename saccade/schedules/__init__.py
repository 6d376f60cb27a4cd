"""How the learning rate moves."""

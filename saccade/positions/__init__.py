"""How a model that reads all places at once knows their order."""

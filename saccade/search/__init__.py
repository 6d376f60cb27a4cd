"""From a step function and a state to hypotheses."""

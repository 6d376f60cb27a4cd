"""Data that ships with the package: small generators, seedable, split without overlap."""

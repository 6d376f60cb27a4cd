"""Layers that several encoders, decoders and models share."""

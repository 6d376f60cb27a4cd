"""Glimpses: what an eye sees of a picture at one place."""

"""Measurements that are run by hand. `python -m benchmarks.compare` is the one to begin with."""

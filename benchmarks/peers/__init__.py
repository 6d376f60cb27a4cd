"""Other toolkits on the same workloads, one file each; see `benchmarks.engines`."""

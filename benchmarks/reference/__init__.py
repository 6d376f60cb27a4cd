"""The same models in plain torch, as lean as they can be written: what a toolkit is held to.

Nothing of saccade is used: fused attention kernels, fused Adam, a cache of keys and values.
"""

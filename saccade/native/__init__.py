"""The room of decoders in C: who writes with the kernels of `kernels/`, whole searches at a call.

Each form stands beside a clear part, equals it (tests/native), and is taken by the class of the
part and nothing else. No part knows of this room.
"""

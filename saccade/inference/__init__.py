"""The room of inference: decoders laid out for writing one symbol at a time, by torch alone.

Each form stands beside a clear part, equals it (tests/inference), and is taken by the class of the
part and nothing else. A part without a form is used as it is; no part knows of this room.
"""

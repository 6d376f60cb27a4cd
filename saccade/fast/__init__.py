"""The room of fast forms: what a clear part computes, laid out for writing one symbol at a time.

Each form stands beside a clear part, equals it (tests/fast), and is taken by the class of the part
and nothing else. A part without a form is used as it is; no part knows of this room.
"""

"""The room of what is written in C: built where a compiler is found, and never needed.

    kernels.c     the step of a Transformer decoder
    library.py    how it is compiled for this processor, kept, and called

`python -m saccade.native` builds it ahead of its first use and tells what came of it.
"""

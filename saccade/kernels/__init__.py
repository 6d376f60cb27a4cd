"""The room of what is written in C: built where a compiler is found, and never needed.

    lanes.h        vectors of numbers, threads, softmax
    linear.c       linear layers, their matrices laid out in panels
    rounded.h      the same in bytes
    encode.c       a Transformer encoder
    step.c         the step of a Transformer decoder
    scan.c         an LSTM encoder in search
    recur.c        the step of an LSTM decoder
    best.c         the highest of many scores, the best ways to go on
    attention.c    attention of short sequences in training
    loss.c         cross-entropy over a vocabulary
    dropout.c      dropout, whose chance is chance.h
    sweep.c        an LSTM over a known sequence in training, with strips.h and gates.h
    both.c         two of them over it in training, one from its end
    fed.c          the loop of a recurrent decoder in training, with the same
    structures.py  what they are given
    library.py     how they are compiled for this processor, kept, and called

Each stands beside a form in torch that computes the same, and that is used where they are not.

`python -m saccade.kernels` builds them ahead of their first use and tells what came of it.
"""

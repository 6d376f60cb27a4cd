"""The room of what is written in C: built where a compiler is found, and never needed.

Training comes in by functions that take tensors and return a result, or None if no kernel fits:

    lstm.py            an LSTM over a known sequence, in one direction or in both
    input_feeding.py   the loop of an LSTM decoder with input feeding
    window.py          the loop of an LSTM that moves a window along its source
    dnc.py             a step of the memory of a Differentiable Neural Computer
    attention.py       attention of short sequences
    cross_entropy.py   output projection, softmax and loss; projection.py calls C
    dropout.py         dropout whose masks are hashed
    gated_sweep.py     gated cells over a known sequence, in torch
    matmul.py          products by oneDNN; weight_gradients.py gathers those of a loop
    precision.py       products in bfloat16
    allocator.py       memory that is kept from update to update

Each stands beside a clear form in torch that computes the same, with the same draws. Also searches:

    best.py            the best few of many scores
    ctc_prefix.py      the prefix beam of CTC; backoff.py gives it a table of n-grams
    stack.py           phrases that cover a sentence
    trellis.py         Viterbi search, and the tables of hidden Markov models
    aligner.py         passes of word alignment

    build.py           how the C files are compiled for this processor, once, and kept
    library.py         how they are loaded and called
    structures.py      what they are given
    workspace.py       memory that calls work in again and again

    attention.c bidirectional_lstm.c cross_entropy.c dropout.c input_feeding.c lstm.c    training
    additive.c dnc.c window.c                                                            training
    transformer_encoder.c transformer_decoder.c lstm_encoder.c lstm_decoder.c beam.c     decoding
    backoff.c ctc_prefix.c stack.c trellis.c                                             searches
    aligner.c fertility.c links.c                                                        alignment
    linear.c top_k.c                                                                     both
    simd.h int8.h strips.h lstm_cell.h dropout_mask.h ...              what several of them share

`python -m saccade.kernels` builds them ahead of their first use and tells what came of it; with
`--again` it builds them anew.
"""

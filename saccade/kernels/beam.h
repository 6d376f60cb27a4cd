/* The hypotheses of a beam, as Python hands them over; structures.py has the same. */

#pragma once

#include <stdint.h>

typedef struct { /* one place of one line */
    int32_t symbol, parent;
    float gain; /* the symbol's log-probability */
} Written;

typedef struct { /* a line that wrote END */
    float score, gain;
    int32_t parent, place; /* the line that it goes on from, and where END stands */
} Completed;

typedef struct {
    int64_t width, n_each, steps, n_completed, n_best, end, patient; /* K, of each line, T, ... */
    const float *penalties; /* [T + 2], length ** alpha */
    const int64_t *limits;  /* [B] */
    int64_t *rows;          /* [B], which sentences go on */
    int64_t *symbols;       /* [B K], what their lines wrote last */
    int64_t *index;         /* [B K], which line each goes on from */
    float *scores;          /* [B, K], log-probabilities of the lines */
    Written *written;       /* [B, T, K] */
    Completed *completed;   /* [B, n_completed], best first; -inf marks an empty place */
    int64_t *lengths;       /* [B], what the lines had written when they were done; -1 before */
    int64_t going, step;    /* how many go on, and how many places they have written */
    int64_t moved;          /* whether a line goes on from another than the one in its place */
} BeamState;

/* Write one symbol a line, given the best of each and their log-probabilities, [N, n_each]. */
void turn_page(BeamState *b, const float *likely, const int64_t *best_symbols);

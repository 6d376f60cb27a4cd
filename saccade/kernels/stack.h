/* What spans of a sentence may be written as, and what the words that are left are expected to score:
   what kernels/stack.py hands over, and the Outlook of search/_stacks.py. */

#include <stdint.h>

#include "backoff.h"

#pragma once

#define NEVER (-1e300)

typedef struct {
    int64_t rows, longest, reach, width, n_best, end;
    double threshold;
    const BackoffWalk *walk;
    const int64_t *lengths, *firsts, *spans, *begins, *words;
    const double *scores, *guesses, *turns, *jumps;
    const int64_t *limits;
    int64_t *paths, *sizes;
    double *totals;
    int64_t *stacks, *finished;
} StackCall;

typedef struct {
    const StackCall *call;
    int64_t row, n;      /* n: words of the source */
    double *inner, *rest; /* of n words from each place on; of all of them */
    int64_t *at;          /* the first option of each place */
} Outlook;

/* What a word gains behind a context, and the context behind it. */
static inline double stack_read(const BackoffWalk *walk, int64_t *context, int64_t word) {
    double spent = 0.0;
    int64_t node;
    while ((node = backoff_child(walk, *context, word)) < 0) {
        spent += walk->backoffs[*context];
        *context = walk->suffixes[*context];
    }
    *context = node < walk->contexts ? node : walk->suffixes[node];
    volatile double said = (double)walk->weight * (spent + walk->scores[node]); /* rounded */
    return said;
}

int outlook_open(Outlook *out, const StackCall *call, int64_t row);
void outlook_close(Outlook *out);
double outlook(const Outlook *out, int64_t gap, uint64_t beyond);

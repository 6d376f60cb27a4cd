/* A back-off table with a say in a search: what kernels/backoff.py holds, and how it is walked. */

#include <stdint.h>

#pragma once

typedef struct {
    const int64_t *keys, *ids; /* of nodes; what the table calls each symbol */
    const int32_t *suffixes, *begins;
    const float *scores, *backoffs, *paid;
    int64_t size, contexts, start; /* symbols of the table */
    float weight, most; /* most: no symbol gains more */
} BackoffWalk;

/* The node of a symbol behind a context; -1 if there is none. */
static inline int64_t backoff_child(const BackoffWalk *walk, int64_t context, int64_t symbol) {
    if (!context) return 1 + symbol;
    const int64_t key = context * walk->size + symbol;
    int64_t low = walk->begins[context], n = walk->begins[context + 1] - low;
    const int64_t *keys = walk->keys + low;
    while (n > 1) { /* the last key that is not above */
        const int64_t half = n / 2;
        keys += keys[half] <= key ? half : 0;
        n -= half;
    }
    return n && *keys == key ? keys - walk->keys : -1;
}

/* What a symbol of ours gains behind a context. */
static inline float backoff_gain(const BackoffWalk *walk, int64_t context, int64_t ours) {
    const int64_t symbol = walk->ids[ours];
    float spent = 0.0f;
    int64_t node;
    while ((node = backoff_child(walk, context, symbol)) < 0) {
        spent += walk->backoffs[context];
        context = walk->suffixes[context];
    }
    volatile float said = walk->weight * (spent + walk->scores[node]); /* rounded, as torch does */
    return said + walk->paid[ours];
}

/* The context behind a symbol of ours. */
static inline int64_t backoff_read(const BackoffWalk *walk, int64_t context, int64_t ours) {
    const int64_t symbol = walk->ids[ours];
    int64_t node;
    while ((node = backoff_child(walk, context, symbol)) < 0) context = walk->suffixes[context];
    return node < walk->contexts ? node : walk->suffixes[node];
}

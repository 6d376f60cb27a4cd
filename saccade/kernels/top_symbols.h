/* From what is scored to what may be written: the log-probabilities of all symbols, or the best few. */

#pragma once

#include "top_k.h"
#include "linear.h"

typedef struct { /* the best symbols of each row, best first, and of equals those that stand first */
    int64_t n, n_banned;
    const int64_t *banned; /* symbols that are never among them */
    float *gains;          /* [N, n], their log-probabilities */
    int64_t *symbols;      /* [N, n] */
} TopSymbols;

enum { SPAN = 8 * LANES, SAMPLES = 4 }; /* scores whose highest are looked at first; vectors of those */

/* A number that the n best are not below, known from some of the highest: -inf if there are too few. */
static float least_of(const lanes *some, int64_t n) {
    enum { ALL = SAMPLES * LANES };
    float values[ALL];
    int64_t places[ALL];
    if (n > ALL) return -INFINITY;
    best_of_row((const float *)some, ALL, n, values, places);
    return values[n - 1];
}

static void ban(const TopSymbols *few, float *x) {
    for (int64_t j = 0; j < few->n_banned; j++) x[few->banned[j]] = -INFINITY;
}

/* What `log_softmax` and then `best_of_row` find, but only scores that are high enough become
   log-probabilities. */
static void few_of_row(const TopSymbols *few, float *x, int64_t size, float *gains, int64_t *symbols) {
    const int64_t n = few->n, spans = size / SPAN;
    lanes tops[spans + 1], some[SAMPLES];
    for (int s = 0; s < SAMPLES; s++) some[s] = (lanes){0} - INFINITY;
    for (int64_t i = 0; i < spans; i++) {
        lanes top = of(x + i * SPAN);
        UNROLL for (int v = 1; v < 8; v++) top = higher(of(x + i * SPAN + v * LANES), top);
        tops[i] = top, some[i % SAMPLES] = higher(top, some[i % SAMPLES]);
    }
    lanes all = some[0];
    for (int s = 1; s < SAMPLES; s++) all = higher(some[s], all);
    const float last = highest(x + spans * SPAN, size - spans * SPAN), first = highest((float *)&all, LANES);
    const float off = log_total(x, size, first > last ? first : last), least = least_of(some, n) - off;
    ban(few, x);
    int64_t found = 0;
    for (int64_t i = 0; i < size; i += LANES) {
        const float limit = found < n ? least : gains[n - 1];
        if (i % SPAN == 0 && i / SPAN < spans && !any_from(tops[i / SPAN] - off, limit)) {
            i += SPAN - LANES;
            continue;
        }
        if (i + LANES <= size && !any_from(of(x + i) - off, limit)) continue;
        for (int64_t j = i; j < i + LANES && j < size; j++) {
            const float gain = x[j] - off;
            if (found < n && gain >= least) insert(gains, symbols, found++, gain, j);
            else if (found == n && gain > gains[n - 1]) insert(gains, symbols, n - 1, gain, j);
        }
    }
    if (found == n) return;
    for (int64_t i = 0; i < size; i++) x[i] -= off; /* the highest were banned, or are no numbers */
    ban(few, x);
    best_of_row(x, size, n, gains, symbols);
}

static void settle_row(const TopSymbols *few, float *x, int64_t size, int64_t row) {
    if (few) few_of_row(few, x, size, few->gains + row * few->n, few->symbols + row * few->n);
    else log_softmax(x, size);
}

enum { AT_HAND = 60 }; /* rows whose scores stay in the cache until they are settled */

/* How many scores are held at a time, if the best few are asked for. */
static int64_t n_held(const LinearWeights *scores, const TopSymbols *few, int64_t n, int64_t threads) {
    return few ? (threads > 1 || n < AT_HAND ? n : AT_HAND) * scores->out : 0;
}

/* The best few of `n` rows, whose scores W x + b are held in y meanwhile; or, if they are not asked for,
   the log-probabilities of all symbols in y. */
static void say(const LinearWeights *scores, const float *x, int64_t n, const TopSymbols *few, float *y, int64_t me,
                int64_t threads) {
    const int64_t V = scores->out;
    if (threads == 1) {
        const int64_t parts = (n + AT_HAND - 1) / AT_HAND;
        for (int64_t part = 0; part < parts; part++) {
            const int64_t r = n * part / parts, some = n * (part + 1) / parts - r;
            float *held = few ? y : y + r * V;
            linear(scores, x + r * scores->in, some, 0, 0, held, 0, 1);
            for (int64_t i = 0; i < some; i++) settle_row(few, held + i * V, V, r + i);
        }
        return;
    }
    linear(scores, x, n, 0, 0, y, me, threads);
    BARRIER
    for (SHARE(r, n, me, threads)) settle_row(few, y + r * V, V, r);
}

/* A trellis of hidden states: what search/_trellis.py does for its best path and for what each symbol
   adds, a row at a time, and the tables of models/_hmm_tables.py.

   A message has a cell for each pair of candidates at two neighbouring places, the earlier one first
   (`first` is C), or for each candidate (`first` is 1). What leads from cell i C + b, or b, to
   candidate c stands in the same row of a table. Cells that hold 0 are passed over.

   The best path is that of the clear form bit for bit: it needs products, maxima and quotients only,
   in the same order. Sums are added in another order. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "simd.h"

typedef struct {
    int64_t rows, places, first, width, threads;
    const double *tables, *scores; /* [U, A, C, C], [B, P, C] */
    const int64_t *leads, *lengths, *symbols, *tokens; /* [B, P], [B], [B, P, C], [B, P] */
    int64_t *path; /* [B, P] */
    double *gains; /* [B, P] */
} TrellisCall;

typedef struct {
    int64_t count, groups, width, states, n_pairs, n_triples, order, threads;
    const int64_t *names, *candidates; /* [U] as (a n + b) n + c of groups, [G, C] */
    const int64_t *pair_keys, *triple_keys;
    const double *ones, *pairs, *triples, *shares;
    double *tables; /* [U, A, C, C], zeros */
} FollowersCall;

/* Where a row is at place t. */
static const double *trellis_table(const TrellisCall *call, int64_t row, int64_t t) {
    const int64_t C = call->width;
    return call->tables + call->leads[row * call->places + t] * call->first * C * C;
}

/* How many candidates there can be at place t: those up to the last that fits. */
static int64_t trellis_wide(const TrellisCall *call, int64_t row, int64_t t) {
    const double *e = call->scores + (row * call->places + t) * call->width;
    int64_t n = call->width;
    while (n > 0 && !(e[n - 1] > 0)) n--;
    return n;
}

/* Take the best way into every cell of the next place, times how well each candidate fits. */
static double trellis_best_step(const double *table, const double *e, const double *delta, double *next,
                                int32_t *back, int64_t A, int64_t C, int64_t wide) {
    const int64_t outer = A > 1 ? C : 1;
    double largest = 0.0;
    memset(next, 0, A * C * sizeof(double));
    memset(back, 0, A * C * sizeof(int32_t));
    for (int64_t o = 0; o < outer; o++) {
        double *best = next + o * C;
        int32_t *from = back + o * C;
        for (int64_t i = 0; i < C; i++) {
            const int64_t cell = A > 1 ? i * C + o : i;
            const double before = delta[cell], *way = table + cell * C;
            if (before == 0.0) continue;
            for (int64_t c = 0; c < wide; c++) {
                const double value = before * way[c];
                from[c] = value > best[c] ? (int32_t)i : from[c];
                best[c] = value > best[c] ? value : best[c];
            }
        }
        for (int64_t c = 0; c < wide; c++) {
            best[c] *= e[c];
            largest = best[c] > largest ? best[c] : largest;
        }
        for (int64_t c = wide; c < C; c++) best[c] = 0.0;
    }
    return largest;
}

/* Find the best path of a row; 1 if there is none, or no memory. */
static int trellis_best_row(const TrellisCall *call, int64_t row) {
    const int64_t P = call->places, A = call->first, C = call->width, cells = A * C;
    const int64_t n = call->lengths[row];
    double *delta = calloc(2 * cells, sizeof(double)), *next = delta ? delta + cells : NULL, *swap;
    double *const held = delta;
    int32_t *back = malloc((n + 1) * cells * sizeof(int32_t));
    int64_t *path = call->path + row * P, here = 0, before = 0;
    int fails = !delta || !back;
    if (!fails) delta[0] = 1.0;
    for (int64_t t = 0; t <= n && !fails; t++) {
        const double *e = call->scores + (row * P + t) * C;
        const double largest = trellis_best_step(trellis_table(call, row, t), e, delta, next, back + t * cells, A, C,
                                                 trellis_wide(call, row, t));
        fails = !(largest > 0.0 && largest < INFINITY);
        for (int64_t i = 0; i < cells; i++) next[i] /= largest;
        swap = delta, delta = next, next = swap;
    }
    if (!fails) {
        for (int64_t a = 1; a < A; a++) before = delta[a * C] > delta[before * C] ? a : before;
        for (int64_t t = P - 1; t >= 0; t--) {
            path[t] = here;
            if (t > n || !t) continue;
            const int64_t told = back[t * cells + before * C + here];
            here = A > 1 ? before : told;
            before = A > 1 ? told : 0;
            path[t - 1] = here;
        }
    }
    free(held), free(back);
    return fails;
}

/* Find the best path of every row; how many have none, or no memory. */
int64_t trellis_best(const TrellisCall *call) {
    int64_t failed = 0;
    PARALLEL(call->threads) {
        const int64_t me = ME, threads = THREADS;
        int64_t mine = 0;
        for (SHARE(row, call->rows, me, threads)) mine += trellis_best_row(call, row);
        if (mine) __atomic_add_fetch(&failed, mine, __ATOMIC_RELAXED);
    }
    return failed;
}

static double trellis_largest(const double *x, int64_t n) {
    double found = 0.0;
    for (int64_t i = 0; i < n; i++) found = x[i] > found ? x[i] : found;
    return found;
}

/* beta of place t - 1 from that of place t, with a largest of 1; only where candidates fit. */
static void trellis_back_step(const TrellisCall *call, int64_t row, int64_t t, const double *beta, double *to,
                              double *ahead) {
    const int64_t A = call->first, C = call->width, wide = trellis_wide(call, row, t);
    const double *table = trellis_table(call, row, t), *e = call->scores + (row * call->places + t) * C;
    const int64_t here = trellis_wide(call, row, t - 1), outer = A == 1 ? 1 : t > 1 ? trellis_wide(call, row, t - 2) : 1;
    memset(to, 0, A * C * sizeof(double));
    for (int64_t b = 0; b < here; b++) {
        if (!b || A > 1)
            for (int64_t c = 0; c < wide; c++) ahead[c] = e[c] * beta[(A > 1 ? b * C : 0) + c];
        for (int64_t a = 0; a < outer; a++) {
            const double *way = table + (a * C + b) * C;
            double sum = 0.0;
            for (int64_t c = 0; c < wide; c++) sum += way[c] * ahead[c];
            to[a * C + b] = sum;
        }
    }
    const double largest = trellis_largest(to, A * C);
    for (int64_t i = 0; i < A * C; i++) to[i] /= largest;
}

/* reached[o, c] = e[c] sum_i message[i, o] p(c | i o). */
static void trellis_reach(const double *table, const double *e, const double *message, double *reached, int64_t A,
                          int64_t C, int64_t wide) {
    const int64_t outer = A > 1 ? C : 1;
    memset(reached, 0, A * C * sizeof(double));
    for (int64_t o = 0; o < outer; o++) {
        double *sum = reached + o * C;
        for (int64_t i = 0; i < C; i++) {
            const int64_t cell = A > 1 ? i * C + o : i;
            const double before = message[cell], *way = table + cell * C;
            if (before == 0.0) continue;
            for (int64_t c = 0; c < wide; c++) sum[c] += before * way[c];
        }
        for (int64_t c = 0; c < wide; c++) sum[c] *= e[c];
    }
}

/* The share of what was reached that wrote the symbol; what only fits, where nothing was reached. */
static double trellis_share(const double *reached, const double *beta, const double *e, const int64_t *symbols,
                            int64_t token, int64_t A, int64_t C) {
    double whole = 0.0, written = 0.0;
    for (int64_t i = 0; i < A * C; i++) {
        const double odds = reached[i] * beta[i];
        whole += odds;
        if (symbols[i % C] == token) written += odds;
    }
    if (whole > 0.0) return written / whole;
    for (int64_t c = 0; c < C; c++) {
        whole += e[c];
        if (symbols[c] == token) written += e[c];
    }
    return written / whole;
}

/* Keep what wrote the symbol, all if nothing did, with a largest of 1. */
static void trellis_hear(double *reached, const int64_t *symbols, int64_t token, int64_t A, int64_t C) {
    double kept = 0.0;
    for (int64_t i = 0; i < A * C; i++) kept += symbols[i % C] == token ? reached[i] : 0.0;
    if (kept > 0.0)
        for (int64_t i = 0; i < A * C; i++) reached[i] = symbols[i % C] == token ? reached[i] : 0.0;
    const double largest = trellis_largest(reached, A * C);
    for (int64_t i = 0; largest > 0.0 && i < A * C; i++) reached[i] /= largest;
}

/* What every symbol of a row adds; 1 if there is no memory. */
static int trellis_gains_row(const TrellisCall *call, int64_t row) {
    const int64_t P = call->places, A = call->first, C = call->width, cells = A * C;
    const int64_t n = call->lengths[row];
    double *beta = malloc((n + 1) * cells * sizeof(double)), *work = calloc(2 * cells + C, sizeof(double));
    const int fails = !beta || !work;
    if (!fails) {
        double *message = work, *reached = work + cells, *swap;
        for (int64_t i = 0; i < cells; i++) beta[n * cells + i] = 1.0;
        for (int64_t t = n; t > 0; t--)
            trellis_back_step(call, row, t, beta + t * cells, beta + (t - 1) * cells, work + 2 * cells);
        message[0] = 1.0;
        for (int64_t t = 0; t <= n; t++) {
            const int64_t at = row * P + t, *symbols = call->symbols + at * C, token = call->tokens[at];
            const double *e = call->scores + at * C;
            trellis_reach(trellis_table(call, row, t), e, message, reached, A, C, trellis_wide(call, row, t));
            call->gains[at] = log(trellis_share(reached, beta + t * cells, e, symbols, token, A, C));
            trellis_hear(reached, symbols, token, A, C);
            swap = message, message = reached, reached = swap;
        }
    }
    free(beta), free(work);
    return fails;
}

/* What every symbol of every row adds; how many rows had no memory. */
int64_t trellis_gains(const TrellisCall *call) {
    int64_t failed = 0;
    PARALLEL(call->threads) {
        const int64_t me = ME, threads = THREADS;
        int64_t mine = 0;
        for (SHARE(row, call->rows, me, threads)) mine += trellis_gains_row(call, row);
        if (mine) __atomic_add_fetch(&failed, mine, __ATOMIC_RELAXED);
    }
    return failed;
}

/* The first of n sorted keys that is not below one. */
static int64_t key_from(const int64_t *keys, int64_t n, int64_t key) {
    int64_t low = 0;
    while (n > 0) {
        const int64_t half = n / 2;
        if (keys[low + half] < key) low += half + 1, n -= half + 1;
        else n = half;
    }
    return low;
}

/* The value of a key among n sorted ones; 0 if it is not there. */
static double key_value(const int64_t *keys, const double *values, int64_t n, int64_t key) {
    const int64_t at = key_from(keys, n, key);
    return at < n && keys[at] == key ? values[at] : 0.0;
}

/* p(c) and p(c | b) of all c of a group behind state b, joined, and p(c | b) alone. */
static void follow_shortly(const FollowersCall *call, int64_t b, const int64_t *of_c, double *joined, double *pairs) {
    const int64_t n = call->states, low = key_from(call->pair_keys, call->n_pairs, b * n);
    const int64_t *keys = call->pair_keys + low;
    const int64_t many = key_from(keys, call->n_pairs - low, (b + 1) * n);
    for (int64_t k = 0; k < call->width; k++) {
        if (of_c[k] < 0) continue;
        const double one = call->ones[of_c[k]];
        pairs[k] = many ? key_value(keys, call->pairs + low, many, b * n + of_c[k]) : one;
        joined[k] = call->shares[0] * one + call->shares[1] * pairs[k];
    }
}

/* Write the table of one name. */
static void follow_one(const FollowersCall *call, int64_t u, double *joined, double *pairs) {
    const int64_t C = call->width, n = call->states, G = call->groups, name = call->names[u];
    const int64_t *of_c = call->candidates + name % G * C, *of_b = call->candidates + name / G % G * C;
    const int64_t *of_a = call->candidates + name / (G * G) * C;
    double *table = call->tables + u * (call->order > 1 ? C : 1) * C * C;
    for (int64_t j = 0; j < C; j++) {
        if (of_b[j] < 0) continue;
        follow_shortly(call, of_b[j], of_c, joined, pairs);
        if (call->order == 1) memcpy(table + j * C, joined, C * sizeof(double));
        for (int64_t i = 0; call->order > 1 && i < C; i++) {
            if (of_a[i] < 0) continue;
            const int64_t history = (of_a[i] * n + of_b[j]) * n, low = key_from(call->triple_keys, call->n_triples, history);
            const int64_t *keys = call->triple_keys + low;
            const int64_t many = key_from(keys, call->n_triples - low, history + n);
            double *to = table + (i * C + j) * C;
            for (int64_t k = 0; k < C; k++) {
                if (of_c[k] < 0) continue;
                const double found = many ? key_value(keys, call->triples + low, many, history + of_c[k]) : pairs[k];
                to[k] = joined[k] + call->shares[2] * found;
            }
        }
    }
}

/* Write all tables; 1 if there is no memory. */
int64_t trellis_followers(const FollowersCall *call) {
    int64_t failed = 0;
    PARALLEL(call->threads) {
        const int64_t me = ME, threads = THREADS;
        double *work = calloc(2 * call->width, sizeof(double));
        if (!work) __atomic_add_fetch(&failed, 1, __ATOMIC_RELAXED);
        for (SHARE(u, call->count, me, threads))
            if (work) {
                memset(work, 0, 2 * call->width * sizeof(double));
                follow_one(call, u, work, work + call->width);
            }
        free(work);
    }
    return failed;
}

/* Products of a loop over time: rows that need not stand side by side, matrices that are laid out
   anew at every update.

   A matrix is cut into strips as wide as some vectors, and a strip into blocks that stay in the
   innermost cache while all rows pass by; meanwhile the block behind it is fetched. Every row is
   computed by itself and in one order. */

#pragma once

#include "simd.h"

#if defined(__AVX512F__) || defined(__aarch64__)
enum { ACROSS = 4, DEEP = 128 }; /* vectors that a strip is wide, rows of a block: up to 32 kB */
#else
enum { ACROSS = 2, DEEP = 256 };
#endif
enum { STRIP = ACROSS * LANES, LINE = 16 }; /* a line of the cache: 16 numbers */

typedef struct { /* a matrix [out, in]: [out / STRIP][in][STRIP], zeros at its end */
    float *at;
    int64_t in, out;
} Strips;

INLINE int64_t whole(int64_t n) { return (n + STRIP - 1) / STRIP * STRIP; }

INLINE int64_t at_most(int64_t n, int64_t most) { return n < most ? n : most; }

/* Columns of W, from number `first` of the strips' own on: W [out, n], whose rows are `row` apart. */
static inline void lay(const Strips *to, int64_t first, const float *W, int64_t row, int64_t n, int64_t me,
                       int64_t threads) {
    for (SHARE(p, whole(to->out) / STRIP, me, threads)) {
        const int64_t wide = at_most(to->out - p * STRIP, STRIP);
        for (int64_t k = 0; k < n; k += LINE)
            for (int64_t j = 0; j < STRIP; j++) {
                const float *from = W + (p * STRIP + j) * row + k;
                float *y = to->at + (p * to->in + first + k) * STRIP + j;
                for (int64_t i = 0; i < at_most(n - k, LINE); i++) y[i * STRIP] = j < wide ? from[i] : 0.0f;
            }
    }
}

/* Rows of W', from number `first` of the strips' own on, of as many columns as W [in, n] has. */
static inline void lay_across(const Strips *to, int64_t first, const float *W, int64_t row, int64_t n,
                              int64_t me, int64_t threads) {
    const int64_t end = first + n < to->out ? n : whole(to->out) - first;
    for (SHARE(k, to->in, me, threads))
        for (int64_t j = 0; j < end; j += LINE) {
            const int64_t o = first + j;
            float *y = to->at + (o / STRIP * to->in + k) * STRIP + o % STRIP;
            for (int64_t i = 0; i < LINE; i++) y[i] = j < n ? W[k * row + j + i] : 0.0f;
        }
}

/* Some rows by one block of a strip: sums stay in registers. `on`: they go on from those in y. */
INLINE void pass(const int rows, const float *block, int64_t n, const float *x, int64_t x_row, int on,
                 float *y, int64_t y_row, const float *ahead) {
    lanes sums[ROWS][ACROSS];
    UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < ACROSS; v++) sums[r][v] =
        on ? *(const lanes *)(y + r * y_row + v * LANES) : (lanes){0};
    BY_FOURS for (int64_t k = 0; k < n; k++) {
        lanes b[ACROSS];
        if (LANES == 16) FETCH(ahead + k * LINE); /* by itself it comes in time for shorter vectors */
        UNROLL for (int v = 0; v < ACROSS; v++) {
            b[v] = *(const lanes *)(block + k * STRIP + v * LANES);
            KEEP(b[v]);
        }
        UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < ACROSS; v++) sums[r][v] +=
            x[r * x_row + k] * b[v];
    }
    UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < ACROSS; v++)
        *(lanes *)(y + r * y_row + v * LANES) = sums[r][v];
}
BY_ROWS(pass, (const float *block, int64_t n, const float *x, int64_t x_row, int on, float *y, int64_t y_row,
               const float *ahead), block, n, x, x_row, on, y, y_row, ahead)

/* y = W x for n rows; those of y have room for `whole(out)`. The strips are shared out. */
static inline void product(const Strips *w, const float *x, int64_t x_row, int64_t n, float *y,
                           int64_t y_row, int64_t me, int64_t threads) {
    const int64_t tiles = tiles_of(n);
    for (SHARE(p, whole(w->out) / STRIP, me, threads))
        for (int64_t k = 0; k < w->in; k += DEEP) {
            const float *block = w->at + (p * w->in + k) * STRIP;
            const int64_t deep = at_most(w->in - k, DEEP);
            for (int64_t i = 0; i < tiles; i++) {
                const int64_t r = n * i / tiles, some = n * (i + 1) / tiles - r;
                const float *xs = x + r * x_row + k, *ahead = block + deep * (STRIP + i * LINE);
                float *ys = y + r * y_row + p * STRIP;
                OF_ROWS(pass, some)(block, deep, xs, x_row, k > 0, ys, y_row, ahead);
            }
        }
}

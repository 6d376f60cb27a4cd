/* Linear layers and norms of many rows, each of which is computed by itself and in one order. */

#pragma once

#include <string.h>

#include "simd.h"
#include "int8.h"

typedef struct { /* y = W x + b, the matrix in panels: [out / PANEL][in][PANEL], zeros at its end */
    const float *panels, *bias;
    int64_t in, out;
    Int8Matrix rounded; /* in place of the panels, if there is one */
} LinearWeights;

typedef struct { /* the norm of a wire, before the layer or behind the sum */
    const float *weight, *bias;
    float eps;
    int32_t pre;
} NormWeights;

#if defined(__AVX512F__) || defined(__aarch64__)
enum { WIDE = 4 }; /* vectors that a panel is wide: 6 x 4 sums of 32 registers */
#else
enum { WIDE = 2 }; /* 6 x 2 sums of 16 registers */
#endif
enum { PANEL = WIDE * LANES, CACHED = 16 }; /* numbers in a line of the cache */

/* A panel of `weight`: so many columns, `across` apart, of so many rows, `along` apart; zeros at its end. */
static inline void lay_panel(const float *weight, int64_t across, int64_t along, int64_t columns, int64_t rows,
                             float *panel) {
    for (int64_t k = 0; k < rows; k++)
        for (int64_t j = 0; j < PANEL; j++)
            panel[k * PANEL + j] = j < columns ? weight[j * across + k * along] : 0.0f;
}

/* Put the products of rows with a panel where they belong; `onto` is added if there is any. */
INLINE void put_in(const int whole, const LinearWeights *w, const lanes *products, int64_t rows, int64_t first,
                   const float *onto, int relu, float *y) {
    lanes bias[WIDE];
    int64_t n[WIDE]; /* numbers that a vector holds; the last panel need not be whole */
    UNROLL for (int v = 0; v < WIDE; v++) {
        n[v] = whole ? LANES : w->out - first - v * LANES;
        bias[v] = last_of(w->bias + first + v * LANES, n[v], 0.0f);
    }
    for (int64_t r = 0; r < rows; r++)
        UNROLL for (int v = 0; v < WIDE; v++) {
            const int64_t place = r * w->out + first + v * LANES;
            lanes one = products[r * WIDE + v] + bias[v];
            if (onto) one += last_of(onto + place, n[v], 0.0f);
            if (relu) one = higher(one, (lanes){0});
            put_last(y + place, n[v], one);
        }
}

static inline void put(const LinearWeights *w, const lanes *products, int64_t rows, int64_t first, const float *onto,
                       int relu, float *y) {
    if (first + PANEL <= w->out) put_in(1, w, products, rows, first, onto, relu, y);
    else put_in(0, w, products, rows, first, onto, relu, y);
}

/* The next panel is fetched while rows are multiplied by this one, so many numbers with every column
   that all tiles together fetch the whole, and never more than a line of the cache. */
INLINE int64_t pace_of(int64_t tiles) {
    return tiles > PANEL / CACHED ? (PANEL + tiles - 1) / tiles : CACHED;
}

/* Some rows by one panel: sums stay in registers until they are whole. */
INLINE void tile(const int rows, const float *panel, int64_t in, const float *x, int64_t x_row,
                 const float *ahead, int64_t pace, lanes *y) {
    lanes sums[ROWS][WIDE];
    UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < WIDE; v++) sums[r][v] = (lanes){0};
    BY_FOURS for (int64_t k = 0; k < in; k++) {
        lanes b[WIDE];
        UNROLL for (int v = 0; v < WIDE; v++) {
            b[v] = *(const lanes *)(panel + k * PANEL + v * LANES);
            KEEP(b[v]);
        }
        FETCH(ahead + k * pace);
        UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < WIDE; v++) sums[r][v] +=
            x[r * x_row + k] * b[v];
    }
    UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < WIDE; v++) y[r * WIDE + v] = sums[r][v];
}
BY_ROWS(tile, (const float *panel, int64_t in, const float *x, int64_t x_row, const float *ahead, int64_t pace,
               lanes *y), panel, in, x, x_row, ahead, pace, y)

/* Few rows by several panels at once, so that no sum waits for what was added to it last. */
INLINE void abreast(const int rows, const int panels, const float *panel, int64_t in, const float *x, lanes *y) {
    lanes sums[3][4][WIDE];
    UNROLL for (int r = 0; r < rows; r++) UNROLL for (int p = 0; p < panels; p++)
        UNROLL for (int v = 0; v < WIDE; v++) sums[r][p][v] = (lanes){0};
    for (int64_t k = 0; k < in; k++)
        UNROLL for (int p = 0; p < panels; p++) UNROLL for (int v = 0; v < WIDE; v++) {
            lanes b = *(const lanes *)(panel + (p * in + k) * PANEL + v * LANES);
            if (rows > 1) KEEP(b);
            UNROLL for (int r = 0; r < rows; r++) sums[r][p][v] += x[r * in + k] * b;
        }
    UNROLL for (int r = 0; r < rows; r++) UNROLL for (int p = 0; p < panels; p++)
        UNROLL for (int v = 0; v < WIDE; v++) y[(p * rows + r) * WIDE + v] = sums[r][p][v];
}
OWN void abreast_1(const float *panel, int64_t in, const float *x, lanes *y) { abreast(1, 4, panel, in, x, y); }
OWN void abreast_2(const float *panel, int64_t in, const float *x, lanes *y) { abreast(2, 3, panel, in, x, y); }
OWN void abreast_3(const float *panel, int64_t in, const float *x, lanes *y) { abreast(3, 2, panel, in, x, y); }

/* If there are few rows, multiply them by the panels from `p` on, and say how far that went. */
static inline int64_t few_rows(const LinearWeights *w, const float *x, int64_t n, int64_t p, int64_t end,
                               const float *onto, int relu, float *y) {
    static void (*const by_rows[])(const float *, int64_t, const float *, lanes *) = {abreast_1, abreast_2, abreast_3};
    const int64_t panels = 5 - n; /* 4, 3 or 2 */
    for (; n > 0 && n <= 3 && p + panels <= end; p += panels) {
        lanes sums[4 * 3 * WIDE];
        by_rows[n - 1](w->panels + p * w->in * PANEL, w->in, x, sums);
        for (int64_t i = 0; i < panels; i++)
            put(w, sums + i * n * WIDE, n, (p + i) * PANEL, onto, relu, y);
    }
    return p;
}

/* Some rows of bytes by one panel, eight of each at a time. */
INLINE void rounded_rows(const int rows, const int8_t *panel, int64_t in, const uint8_t *x, const int8_t *ahead,
                         int64_t pace, ints *y) {
    ints sums[ROWS][WIDE];
    UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < WIDE; v++) sums[r][v] = (ints){0};
    int64_t k = 0;
    for (; k + 8 <= in; k += 8) {
        ints b[2][WIDE];
        UNROLL for (int v = 0; v < WIDE; v++) {
            b[0][v] = *(const ints *)(panel + k * PANEL + v * LANES * 4);
            b[1][v] = *(const ints *)(panel + (k + 4) * PANEL + v * LANES * 4);
        }
        FETCH(ahead + k * pace);
        FETCH(ahead + (k + 4) * pace);
        UNROLL for (int r = 0; r < rows; r++) {
            const ints four = (ints){0} + *(const bits32 *)(x + r * in + k);
            const ints more = (ints){0} + *(const bits32 *)(x + r * in + k + 4);
            UNROLL for (int v = 0; v < WIDE; v++) sums[r][v] =
                eight_products(sums[r][v], four, b[0][v], more, b[1][v]);
        }
    }
    for (; k < in; k += 4)
        UNROLL for (int r = 0; r < rows; r++) {
            const ints four = (ints){0} + *(const bits32 *)(x + r * in + k);
            UNROLL for (int v = 0; v < WIDE; v++) sums[r][v] =
                four_products(sums[r][v], four, *(const ints *)(panel + k * PANEL + v * LANES * 4));
        }
    UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < WIDE; v++) y[r * WIDE + v] = sums[r][v];
}

/* The same for more rows, as many at a time as there are registers for. */
INLINE void rounded_tile(const int rows, const int8_t *panel, int64_t in, const uint8_t *x, const int8_t *ahead,
                         int64_t pace, ints *y) {
    const int first = rows > EIGHTS ? (rows + 1) / 2 : rows;
    rounded_rows(first, panel, in, x, ahead, pace, y);
    if (rows > first)
        rounded_rows(rows - first, panel, in, x + first * in, ahead, pace, y + first * WIDE);
}
BY_ROWS(rounded_tile, (const int8_t *panel, int64_t in, const uint8_t *x, const int8_t *ahead, int64_t pace,
                       ints *y), panel, in, x, ahead, pace, y)

/* What sums of whole numbers stand for, given the levels of each row. */
static inline void unround(const Int8Matrix *w, const ints *sums, int64_t rows, int64_t first,
                           const Levels *levels, lanes *products) {
    for (int64_t r = 0; r < rows; r++)
        UNROLL for (int v = 0; v < WIDE; v++) {
            const int64_t at = first + v * LANES; /* scales and sums are as long as the panels */
            const ints exact = sums[r * WIDE + v] - levels[r].zero * *(const ints *)(w->sums + at);
            products[r * WIDE + v] = __builtin_convertvector(exact, lanes) *
                                     (levels[r].worth * *(const lanes *)(w->scales + at));
        }
}

enum { AT_ONCE = 8 * ROWS }; /* rows that are rounded before they are multiplied */

static inline void rounded_linear(const LinearWeights *w, const float *x, int64_t n, const float *onto, int relu,
                                  float *y, int64_t me, int64_t threads) {
    if (n < 1) return; /* every line has ended: C knows no array of no bytes */
    const int64_t n_panels = (w->out + PANEL - 1) / PANEL, in = (w->in + 3) / 4 * 4;
    const int64_t all = n < AT_ONCE ? n : AT_ONCE;
    uint8_t bytes[all * in];
    Levels levels[AT_ONCE];
    memset(bytes, 0, all * in);
    for (int64_t from = 0; from < n; from += AT_ONCE) {
        const int64_t rows = n - from < AT_ONCE ? n - from : AT_ONCE;
        for (int64_t r = 0; r < rows; r++) levels[r] = round_row(x + (from + r) * w->in, w->in, bytes + r * in);
        const int64_t tiles = tiles_of(rows), pace = pace_of(tiles);
        for (SHARE(p, n_panels, me, threads))
            for (int64_t i = 0; i < tiles; i++) {
                const int64_t r = rows * i / tiles, some = rows * (i + 1) / tiles - r;
                const int64_t first = (from + r) * w->out;
                const int8_t *panel = w->rounded.panels + p * in * PANEL;
                const int8_t *ahead = panel + in * PANEL + i * in * pace;
                ints sums[ROWS * WIDE];
                lanes products[ROWS * WIDE];
                OF_ROWS(rounded_tile, some)(panel, in, bytes + r * in, ahead, pace, sums);
                unround(&w->rounded, sums, some, p * PANEL, levels + r, products);
                put(w, products, some, p * PANEL, onto ? onto + first : 0, relu, y + first);
            }
    }
}

/* Rows that stand `x_row` apart by the panels from the first to before the end. */
static inline void by_panels(const LinearWeights *w, const float *x, int64_t x_row, int64_t n, int64_t first,
                             int64_t end, const float *onto, int relu, float *y) {
    const int64_t tiles = tiles_of(n), pace = pace_of(tiles);
    for (int64_t p = first; p < end; p++)
        for (int64_t i = 0; i < tiles; i++) {
            const int64_t r = n * i / tiles, some = n * (i + 1) / tiles - r;
            const float *panel = w->panels + p * w->in * PANEL;
            const float *ahead = panel + w->in * PANEL + i * w->in * pace;
            lanes sums[ROWS * WIDE];
            OF_ROWS(tile, some)(panel, w->in, x + r * x_row, x_row, ahead, pace, sums);
            put(w, sums, some, p * PANEL, onto ? onto + r * w->out : 0, relu, y + r * w->out);
        }
}

/* y = W x + b (+ onto) for `n` rows; the panels are shared out among the threads. */
static inline void linear(const LinearWeights *w, const float *x, int64_t n, const float *onto, int relu,
                          float *y, int64_t me, int64_t threads) {
    if (w->rounded.panels) {
        rounded_linear(w, x, n, onto, relu, y, me, threads);
        return;
    }
    const int64_t n_panels = (w->out + PANEL - 1) / PANEL, end = n_panels * (me + 1) / threads;
    const int64_t first = few_rows(w, x, n, n_panels * me / threads, end, onto, relu, y);
    by_panels(w, x, w->in, n, first, end, onto, relu, y);
}

/* The rows of a thread, normed or, where the norm stands elsewhere, copied. */
static inline void normed(const NormWeights *norm, int here, const float *x, int64_t n, int64_t width,
                          float *y, int64_t me, int64_t threads) {
    for (SHARE(r, n, me, threads)) {
        const float *row = x + r * width;
        float *to = y + r * width;
        if (!here) {
            if (to != row) memcpy(to, row, width * sizeof(float));
            continue;
        }
        lanes sum = {0}, squares = {0};
        for (int64_t i = 0; i < width; i += LANES) sum += *(const lanes *)(row + i);
        const float mean = total(sum) / width;
        for (int64_t i = 0; i < width; i += LANES) {
            const lanes off = *(const lanes *)(row + i) - mean;
            squares += off * off;
        }
        const float scale = 1.0f / sqrtf(total(squares) / width + norm->eps);
        for (int64_t i = 0; i < width; i += LANES)
            *(lanes *)(to + i) = (*(const lanes *)(row + i) - mean) * scale *
                                     *(const lanes *)(norm->weight + i) + *(const lanes *)(norm->bias + i);
    }
}

/* How lines read places: the products of a query with them, and their sum by weights. */

#pragma once

#include "linear.h"

/* Dot products of up to LANES rows, or those listed, with some lines: a row at hand serves them all.
   Lines are `x_row` apart. */
INLINE void dots(const int lines, const float *x, int64_t x_row, const float *rows, int64_t stride,
                 const int32_t *listed, int64_t n, int64_t width, lanes *products) {
    lanes sums[ROWS][LANES];
    for (int64_t i = 0; i < LANES; i += 2) { /* two of them, so that no sum waits for the last */
        const float *a = rows + (i < n ? (listed ? listed[i] : i) : 0) * stride;
        const float *b = rows + (i + 1 < n ? (listed ? listed[i + 1] : i + 1) : 0) * stride;
        lanes both[ROWS][2];
        UNROLL for (int r = 0; r < lines; r++) both[r][0] = both[r][1] = (lanes){0};
        for (int64_t j = 0; j < width && i < n; j += LANES) {
            const lanes one = *(const lanes *)(a + j), other = *(const lanes *)(b + j);
            UNROLL for (int r = 0; r < lines; r++) {
                const lanes of_line = *(const lanes *)(x + r * x_row + j);
                both[r][0] += of_line * one, both[r][1] += of_line * other;
            }
        }
        UNROLL for (int r = 0; r < lines; r++) sums[r][i] = both[r][0], sums[r][i + 1] = both[r][1];
    }
    UNROLL for (int r = 0; r < lines; r++) products[r] = totals(sums[r]);
}

/* Add `n` rows, or those listed, each by the weight it has for a line, to some lines. */
INLINE void gather(const int lines, const int wide, const float *weights, const float *rows, int64_t stride,
                   const int32_t *listed, int64_t n, float *onto, int64_t onto_row) {
    lanes sums[ROWS][WIDE];
    UNROLL for (int r = 0; r < lines; r++) UNROLL for (int v = 0; v < wide; v++) sums[r][v] =
        *(const lanes *)(onto + r * onto_row + v * LANES);
    for (int64_t i = 0; i < n; i++) {
        const float *row = rows + (listed ? listed[i] : i) * stride;
        UNROLL for (int v = 0; v < wide; v++) {
            const lanes one = *(const lanes *)(row + v * LANES);
            UNROLL for (int r = 0; r < lines; r++) sums[r][v] += weights[r * n + i] * one;
        }
    }
    UNROLL for (int r = 0; r < lines; r++) UNROLL for (int v = 0; v < wide; v++)
        *(lanes *)(onto + r * onto_row + v * LANES) = sums[r][v];
}

INLINE void gather_all(const int lines, const float *weights, const float *rows, int64_t stride,
                       const int32_t *listed, int64_t n, int64_t width, float *onto, int64_t onto_row) {
    int64_t j = 0;
    for (; j + PANEL <= width; j += PANEL)
        gather(lines, WIDE, weights, rows + j, stride, listed, n, onto + j, onto_row);
    for (; j < width; j += LANES)
        gather(lines, 1, weights, rows + j, stride, listed, n, onto + j, onto_row);
}

/* How matrices are laid out, and products with nothing around them. */

#include "linear.h"

void pack(const float *weight, int64_t out, int64_t in, float *panels) {
    for (int64_t first = 0; first < out; first += PANEL, panels += in * PANEL)
        for (int64_t k = 0; k < in; k++)
            for (int64_t j = 0; j < PANEL; j++)
                panels[k * PANEL + j] = first + j < out ? weight[(first + j) * in + k] : 0.0f;
}

int64_t panel_width(void) { return PANEL; }

void multiply(const Linear *w, const float *x, int64_t n, const float *onto, int64_t relu, float *y,
              int64_t threads) {
    PARALLEL(threads) linear(w, x, n, onto, (int)relu, y, ME, THREADS);
}

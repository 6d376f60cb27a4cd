/* How matrices are laid out, and products with nothing around them. */

#include "linear.h"

void pack(const float *weight, int64_t out, int64_t in, float *panels) {
    for (int64_t first = 0; first < out; first += PANEL)
        lay_panel(weight + first * in, in, 1, out - first, in, panels + first * in);
}

/* The same in bytes, with the scale of each row and the sum of its bytes. */
void pack_rounded(const float *weight, int64_t out, int64_t in, int8_t *panels, float *scales,
                  int32_t *sums) {
    const int64_t padded = (in + 3) / 4 * 4;
    for (int64_t i = 0; i < out; i++) {
        const float *row = weight + i * in;
        float most = 0.0f;
        for (int64_t k = 0; k < in; k++) most = fabsf(row[k]) > most ? fabsf(row[k]) : most;
        int8_t *panel = panels + i / PANEL * padded * PANEL + i % PANEL * 4;
        scales[i] = most / MOST;
        sums[i] = 0;
        for (int64_t k = 0; k < in; k++) {
            const int8_t byte = most > 0.0f ? (int8_t)lrintf(row[k] * (MOST / most)) : 0;
            panel[k / 4 * 4 * PANEL + k % 4] = byte;
            sums[i] += byte;
        }
    }
}

int64_t rounds(void) { return ROUNDS; }

int64_t panel_width(void) { return PANEL; }

void multiply(const LinearWeights *w, const float *x, int64_t n, const float *onto, int64_t relu, float *y,
              int64_t threads) {
    PARALLEL(threads) linear(w, x, n, onto, (int)relu, y, ME, THREADS);
}

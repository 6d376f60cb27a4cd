/* One direction of a layer of LSTM cells over a batch of sentences, with nothing to learn from it.

       i, f, g, o = W x + b + U h'        c = f c' + i g,   h = o tanh(c)

   This is encoders/rnn.py in search. W x + b is one product, and places where the same symbol stands
   share it. Places that are padding are passed by: they say nothing and change nothing. */

#include "lstm_cell.h"
#include "linear.h"

typedef struct {
    LinearWeights input, own; /* W and b; U */
    int64_t batch, places, row, backward, threads; /* B, S, numbers in a row of states */
    int64_t vectors;      /* M, of those that are read */
    const float *x;       /* [M, X] */
    const int64_t *which; /* [B, S], which of them stands at a place; none: one after the other */
    const uint8_t *mask; /* [B, S] */
    float *states;       /* [B S, row], of which the first D are written */
    float *last;         /* [B, row], the same: the last that was said */
    float *work;         /* [M, 4 D], then [B, 4 D + 2 D] */
} LstmScanCall;

static void scan_places(const LstmScanCall *s, int64_t me, int64_t threads) {
    const int64_t B = s->batch, S = s->places, D = s->own.in, M = s->vectors;
    float *sums = s->work, *gates = sums + M * 4 * D, *h = gates + B * 4 * D, *c = h + B * D;
    linear(&s->input, s->x, M, 0, 0, sums, me, threads);
    for (SHARE(i, 2 * B * D, me, threads)) h[i] = 0.0f;
    for (int64_t i = 0; i < S; i++) {
        const int64_t t = s->backward ? S - 1 - i : i;
        BARRIER
        linear(&s->own, h, B, 0, 0, gates, me, threads);
        BARRIER
        for (SHARE(b, B, me, threads)) {
            const int64_t place = b * S + t;
            float *said = s->states + place * s->row;
            if (!s->mask[place]) {
                memset(said, 0, D * sizeof(float));
                continue;
            }
            const float *read = sums + (s->which ? s->which[place] : place) * 4 * D;
            lstm(D, gates + b * 4 * D, read, c + b * D, c + b * D, h + b * D, 0);
            memcpy(said, h + b * D, D * sizeof(float));
        }
    }
    BARRIER
    for (SHARE(b, B, me, threads)) memcpy(s->last + b * s->row, h + b * D, D * sizeof(float));
}

void scan(const LstmScanCall *s) {
    PARALLEL(s->threads) scan_places(s, ME, THREADS);
}

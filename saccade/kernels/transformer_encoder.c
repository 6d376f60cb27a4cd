/* The layers of a Transformer encoder over a batch of sentences, and what a decoder folds into them.

   This is encoders/transformer.py without dropout, and `Folded` of fast/transformer.py. */

#include "attention.h"
#include "linear.h"
#include "rotary.h"

typedef struct {
    LinearWeights query_keys_values, output, U, V;
    NormWeights around_attention, around_feed_forward;
} EncoderLayerWeights;

typedef struct {
    const EncoderLayerWeights *layers;
    const NormWeights *norm; /* behind the layers, or none */
    int64_t n_layers, width, heads, hidden;
} EncoderWeights;

typedef struct {
    int64_t batch, places, threads;
    const uint8_t *mask; /* [B, S] */
    const float *turns;  /* [S, d], what rotates queries and keys; none: nothing */
    float *x;            /* [B S, D]: vectors, and afterwards states */
    float *work;         /* [B S, 5 D + hidden], then [threads, S] */
} EncodeCall;

static void encode_layer(const EncoderWeights *e, const EncoderLayerWeights *layer, const EncodeCall *s, int64_t me,
                         int64_t threads) {
    const int64_t D = e->width, d = D / e->heads, S = s->places, N = s->batch * S;
    float *read = s->work, *products = read + N * D, *said = products + N * 3 * D;
    float *hidden = said + N * D, *weights = hidden + N * e->hidden + me * S;
    const NormWeights *own = &layer->around_attention, *forward = &layer->around_feed_forward;
    normed(own, own->pre, s->x, N, D, read, me, threads);
    BARRIER
    linear(&layer->query_keys_values, read, N, 0, 0, products, me, threads);
    BARRIER
    if (s->turns) {
        for (SHARE(r, N, me, threads))
            turn_heads(products + r * 3 * D, s->turns + r % S * d, 2 * e->heads, d);
        BARRIER
    }
    const AttentionCall attention = {
        .batch = s->batch, .heads = e->heads, .queries = S, .keys = S, .width = d,
        .q = {products, S * 3 * D, d, 3 * D}, .k = {products + D, S * 3 * D, d, 3 * D},
        .v = {products + 2 * D, S * 3 * D, d, 3 * D}, .y = {said, S * D, d, D},
        .mask = s->mask, .mask_batch = S, .mask_query = 0, .mask_key = 1, .weights = weights,
    };
    for (SHARE(i, s->batch * e->heads, me, threads))
        forward_head(&attention, i / e->heads, i % e->heads);
    BARRIER
    linear(&layer->output, said, N, s->x, 0, s->x, me, threads);
    BARRIER
    normed(own, !own->pre, s->x, N, D, s->x, me, threads);
    normed(forward, forward->pre, s->x, N, D, read, me, threads);
    BARRIER
    linear(&layer->U, read, N, 0, 1, hidden, me, threads);
    BARRIER
    linear(&layer->V, hidden, N, s->x, 0, s->x, me, threads);
    BARRIER
    normed(forward, !forward->pre, s->x, N, D, s->x, me, threads);
}

void encode(const EncoderWeights *e, const EncodeCall *s) {
    PARALLEL(s->threads) {
        const int64_t me = ME, threads = THREADS, N = s->batch * s->places, D = e->width;
        for (int64_t i = 0; i < e->n_layers; i++) encode_layer(e, e->layers + i, s, me, threads);
        normed(e->norm, e->norm != 0, s->x, N, D, s->x, me, threads);
        for (SHARE(r, N, me, threads))
            if (!s->mask[r]) memset(s->x + r * D, 0, D * sizeof(float));
    }
}

/* Keys and values of the memory as a layer of the decoder holds them: [2, B, H, S, d]. */
void hold(const LinearWeights *keys_values, int64_t batch, int64_t heads, int64_t places, const float *states,
          float *products, float *held, int64_t n_threads) {
    const int64_t N = batch * places, D = keys_values->out / 2, d = D / heads;
    PARALLEL(n_threads) {
        const int64_t me = ME, threads = THREADS;
        linear(keys_values, states, N, 0, 0, products, me, threads);
        BARRIER
        for (SHARE(i, 2 * batch * heads, me, threads)) {
            const int64_t half = i / (batch * heads), b = i / heads % batch, h = i % heads;
            for (int64_t s = 0; s < places; s++)
                memcpy(held + (i * places + s) * d,
                       products + (b * places + s) * 2 * D + half * D + h * d, d * sizeof(float));
        }
    }
}

/* What the heads of a layer hold of the memory, [B, H, S, d], times a matrix for each: [B, H, S, D]. */
void fold(const LinearWeights *by_head, int64_t batch, int64_t heads, int64_t places, const float *held,
          float *folded, int64_t n_threads) {
    PARALLEL(n_threads) {
        const int64_t me = ME, threads = THREADS;
        for (SHARE(i, batch * heads, me, threads)) {
            const LinearWeights *w = by_head + i % heads;
            linear(w, held + i * places * w->in, places, 0, 0, folded + i * places * w->out, 0, 1);
        }
    }
}

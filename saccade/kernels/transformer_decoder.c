/* The step of a Transformer decoder in one call: from the last symbols to the scores of the next.

   This is what fast/transformer.py computes, without a call of torch for each of its hundred small
   operations. Every row is computed by itself and in one order, so what stands in a row does not
   depend on the others. */

#include "beam.h"
#include "cached_attention.h"
#include "rotary.h"
#include "top_symbols.h"

/* ---- What Python hands over; structures.py has the same. ---- */

typedef struct {
    LinearWeights query_keys_values, own_output, query, output, U, V;
    NormWeights around_self, around_reading, around_feed_forward;
} DecoderLayerWeights;

typedef struct { /* what one layer reads: its past, and the memory folded or as it is */
    float *past;         /* [held, room, 2 D], key and value of a place in one piece */
    const float *keys;   /* folded: [held, H S, D]; as it is: [held, H, S, d] */
    const float *values; /* folded: [held, H S, D]; as it is: [held, H, S, d] */
    const float *scores; /* folded: [held, H S] */
} LayerCache;

typedef struct {
    const DecoderLayerWeights *layers;
    const NormWeights *norm;     /* behind the layers, or none */
    LinearWeights scores;        /* to the vocabulary */
    const float *vectors; /* [V, D] */
    int64_t n_layers, width, heads, hidden;
    float scale;          /* of the vectors */
} DecoderWeights;

typedef struct {
    int64_t groups, lines;         /* B, and K lines each */
    int64_t written, room, places; /* places of the past that are filled, that there are; S */
    int64_t steps;                 /* of the past that are a line's own */
    int64_t folded, threads;
    const int64_t *rows;    /* [B], which of them a group reads */
    const int64_t *symbols; /* [N], N = B K */
    const float *place;     /* [D], what is added at this place */
    const float *turn;      /* [d], what rotates queries and keys at this place; none: nothing */
    const int32_t *own;     /* [N, steps + 1], the places that are a line's own; none: all of them */
    const uint8_t *seen;    /* [held, S], which places of the memory there are; none: all */
    const LayerCache *reads;     /* one a layer */
    float *work;            /* room for what `work_size` says */
    float *log_probs;       /* [N, V] */
    const TopSymbols *few;         /* in place of those, if there are any */
} DecodeCall;

typedef struct { /* what the lines of a beam need on their way, besides */
    int64_t *rows;       /* [B], the rows of `DecodeCall` */
    const float *places; /* [steps, D], what is added at the places of the next steps */
    const float *turns;  /* [steps, d], what rotates queries and keys there; none: nothing */
    int32_t *own, *next; /* [N, T], the places that are a line's own, before a step and behind it */
} DecodeBuffers;

typedef struct { /* the parts of the room to work in */
    float *x, *read, *products, *said, *hidden, *weights, *scores;
    int32_t *seen, *n_seen;
} Room;

/* ---- Attention ---- */

/* One head of one line: y = softmax(q . keys / sqrt(d)) values over `n` places, or those listed. */
static void attend(const float *q, const float *keys, const float *values, int64_t stride,
                   const int32_t *listed, int64_t n, int64_t d, float *weights, float *y) {
    const float scale = 1.0f / sqrtf((float)d);
    for (int64_t i = 0; i < n; i += LANES) {
        const float *rows = listed ? keys : keys + i * stride;
        lanes products;
        dots(1, q, d, rows, stride, listed ? listed + i : 0, n - i, d, &products);
        put_last(weights + i, n - i, products * scale);
    }
    if (n) softmax(weights, n);
    memset(y, 0, d * sizeof(float));
    gather_all(1, weights, values, stride, listed, n, d, y, d);
}

/* A line writes its key and value behind the others, then reads what is its own. Meanwhile the cache
   is asked for what the line that is `s->lines` further down reads. */
static void read_past(const DecoderWeights *m, const DecodeCall *s, float *past, const float *products, int64_t line,
                      const Room *w, float *weights) {
    const int64_t D = m->width, d = D / m->heads, all = s->room * 2 * D, n_own = s->steps + 1;
    const int64_t ahead = line + s->lines, b = s->rows[line / s->lines];
    const int32_t *own = s->own ? s->own + line * n_own : 0;
    const int64_t n = s->own ? n_own : s->written + 1;
    const float *three = products + line * 3 * D;
    float *rows = past + b * all;
    if (ahead < s->groups * s->lines) {
        const float *next = past + s->rows[ahead / s->lines] * all;
        for (int64_t i = 0; i < n - 1; i++) {
            const float *row = next + (s->own ? s->own[ahead * n_own + i] : i) * 2 * D;
            for (int64_t j = 0; j < 2 * D; j += 16) __builtin_prefetch(row + j);
        }
    }
    memcpy(rows + (s->written + line % s->lines) * 2 * D, three + D, 2 * D * sizeof(float));
    for (int64_t h = 0; h < m->heads; h++)
        attend(three + h * d, rows + h * d, rows + D + h * d, 2 * D, own, n, d, weights,
               w->said + line * D + h * d);
}

/* Some lines of a source read it where the products of query and output are folded into it: a row
   of keys or values that is at hand serves them all. */
INLINE void read_folded(const int lines, const DecoderWeights *m, const DecodeCall *s, const LayerCache *of, const float *x,
                        int64_t row, float *weights, float *onto) {
    const int64_t D = m->width, S = s->places, HS = m->heads * S;
    const float *keys = of->keys + row * HS * D, *values = of->values + row * HS * D;
    for (int64_t i = 0; i < HS; i += LANES) {
        lanes products[ROWS];
        for (int64_t j = 0; j < LANES * D; j += LANES) { /* what comes next is asked for by the way */
            __builtin_prefetch(keys + (i + LANES) * D + j);
            __builtin_prefetch(values + i * D + j);
        }
        dots(lines, x, D, keys + i * D, D, 0, HS - i, D, products);
        const lanes scores = last_of(of->scores + row * HS + i, HS - i, 0.0f);
        UNROLL for (int r = 0; r < lines; r++) put_last(weights + r * HS + i, HS - i, products[r] + scores);
    }
    for (int64_t i = 0; i < lines * m->heads; i++) softmax(weights + i * S, S);
    gather_all(lines, weights, values, D, 0, HS, D, onto, D);
}
BY_ROWS(read_folded, (const DecoderWeights *m, const DecodeCall *s, const LayerCache *of, const float *x, int64_t row,
                      float *weights, float *onto), m, s, of, x, row, weights, onto)

static void read_group(const DecoderWeights *m, const DecodeCall *s, const LayerCache *of, const float *x, int64_t group,
                       float *weights, float *onto) {
    const int64_t row = s->rows[group], end = (group + 1) * s->lines;
    for (int64_t line = group * s->lines; line < end; line += ROWS) {
        const float *from = x + line * m->width;
        float *to = onto + line * m->width;
        OF_ROWS(read_folded, end - line)(m, s, of, from, row, weights, to);
    }
}

/* ---- The step ---- */

static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* Weights of attention that a thread holds at once. */
static int64_t n_weights(const DecoderWeights *m, const DecodeCall *s) {
    return most(ROWS * m->heads * s->places, s->written + s->lines);
}

static int64_t lay_out(const DecoderWeights *m, const DecodeCall *s, Room *room) {
    const int64_t N = s->groups * s->lines, D = m->width, one = n_weights(m, s);
    const int64_t sizes[] = {N * D, N * D, N * 3 * D, N * D, N * m->hidden, s->threads * one,
                             n_held(&m->scores, s->few, N, s->threads), s->groups * s->places, s->groups};
    void **parts[] = {(void **)&room->x,      (void **)&room->read,   (void **)&room->products,
                      (void **)&room->said,   (void **)&room->hidden, (void **)&room->weights,
                      (void **)&room->scores, (void **)&room->seen,   (void **)&room->n_seen};
    return lay_parts(s->work, 9, sizes, parts);
}

int64_t work_size(const DecoderWeights *m, const DecodeCall *s) {
    Room room;
    return lay_out(m, s, &room);
}

/* List which places of a source there are. */
static void list_places(const DecodeCall *s, const Room *w, int64_t me, int64_t threads) {
    for (int64_t b = s->groups * me / threads; b < s->groups * (me + 1) / threads && s->seen; b++) {
        int32_t n = 0, *list = w->seen + b * s->places;
        for (int64_t i = 0; i < s->places; i++)
            if (s->seen[s->rows[b] * s->places + i]) list[n++] = (int32_t)i;
        w->n_seen[b] = n;
    }
}

static void read_memory(const DecoderWeights *m, const DecodeCall *s, const DecoderLayerWeights *layer, const LayerCache *of, const Room *w,
                        float *weights, int64_t me, int64_t threads) {
    const int64_t N = s->groups * s->lines, D = m->width, d = D / m->heads, S = s->places;
    if (s->folded) {
        for (SHARE(b, s->groups, me, threads))
            read_group(m, s, of, w->read, b, weights, w->x);
        return;
    }
    linear(&layer->query, w->read, N, 0, 0, w->products, me, threads);
    BARRIER
    for (SHARE(i, N * m->heads, me, threads)) {
        const int64_t line = i / m->heads, h = i % m->heads, b = line / s->lines;
        const int64_t at = (s->rows[b] * m->heads + h) * S * d;
        attend(w->products + line * D + h * d, of->keys + at, of->values + at, d,
               s->seen ? w->seen + b * S : 0, s->seen ? w->n_seen[b] : S, d, weights,
               w->said + line * D + h * d);
    }
    BARRIER
    linear(&layer->output, w->said, N, w->x, 0, w->x, me, threads);
}

static void write_layer(const DecoderWeights *m, const DecodeCall *s, const DecoderLayerWeights *layer, const LayerCache *of, const Room *w,
                        float *weights, int64_t me, int64_t threads) {
    const int64_t N = s->groups * s->lines, D = m->width;
    const NormWeights *own = &layer->around_self, *reading = &layer->around_reading;
    const NormWeights *forward = &layer->around_feed_forward;
    normed(own, own->pre, w->x, N, D, w->read, me, threads);
    BARRIER
    linear(&layer->query_keys_values, w->read, N, 0, 0, w->products, me, threads);
    BARRIER
    for (SHARE(r, N, me, threads)) {
        if (s->turn) turn_heads(w->products + r * 3 * D, s->turn, 2 * m->heads, D / m->heads);
        read_past(m, s, of->past, w->products, r, w, weights);
    }
    BARRIER
    linear(&layer->own_output, w->said, N, w->x, 0, w->x, me, threads);
    BARRIER
    normed(own, !own->pre, w->x, N, D, w->x, me, threads);
    normed(reading, reading->pre, w->x, N, D, w->read, me, threads);
    BARRIER
    read_memory(m, s, layer, of, w, weights, me, threads);
    BARRIER
    normed(reading, !reading->pre, w->x, N, D, w->x, me, threads);
    normed(forward, forward->pre, w->x, N, D, w->read, me, threads);
    BARRIER
    linear(&layer->U, w->read, N, 0, 1, w->hidden, me, threads);
    BARRIER
    linear(&layer->V, w->hidden, N, w->x, 0, w->x, me, threads);
    BARRIER
    normed(forward, !forward->pre, w->x, N, D, w->x, me, threads);
}

static void take_step(const DecoderWeights *m, const DecodeCall *s, int64_t me, int64_t threads) {
    const int64_t N = s->groups * s->lines, D = m->width;
    Room w;
    lay_out(m, s, &w);
    float *weights = w.weights + me * n_weights(m, s);
    list_places(s, &w, me, threads);
    for (SHARE(r, N, me, threads))
        for (int64_t i = 0; i < D; i++) w.x[r * D + i] = m->vectors[s->symbols[r] * D + i] * m->scale + s->place[i];
    for (int64_t i = 0; i < m->n_layers; i++)
        write_layer(m, s, m->layers + i, s->reads + i, &w, weights, me, threads);
    normed(m->norm, m->norm != 0, w.x, N, D, w.read, me, threads);
    BARRIER
    say(&m->scores, w.read, N, s->few, s->few ? w.scores : s->log_probs, me, threads);
}

static void step_together(const DecoderWeights *m, const DecodeCall *s) {
    PARALLEL(s->threads) take_step(m, s, ME, THREADS);
}

void step(const DecoderWeights *m, const DecodeCall *s) { step_together(m, s); } /* libc has a `step` too: call this from outside */

/* Follow each line to where it stands: its places are those of the line it goes on from, and a new one. */
static void set_out(const BeamState *b, DecodeCall *s, DecodeBuffers *p) {
    const int64_t K = b->width, t = b->step;
    int32_t *own = p->own;
    s->own = K > 1 ? p->next : 0; /* of a single line all are its own */
    for (int64_t r = 0; r < b->going * K && K > 1; r++) {
        int32_t *to = p->next + r * (t + 1);
        memcpy(to, own + b->index[r] * t, t * sizeof(int32_t));
        to[t] = (int32_t)(s->written + r % K);
    }
    p->own = p->next, p->next = own;
}

/* Take steps and keep the hypotheses of a beam, from its second step on, until every sentence is done, or for
   so many steps; return how many were taken. */
int64_t walk_steps(const DecoderWeights *m, DecodeCall *s, DecodeBuffers *p, BeamState *b, int64_t most) {
    int64_t taken = 0;
    for (; b->going && taken < most; taken++) {
        s->groups = b->going, s->lines = b->width, s->steps = b->step;
        s->rows = p->rows, s->symbols = b->symbols, s->place = p->places + taken * m->width;
        s->turn = p->turns ? p->turns + taken * (m->width / m->heads) : 0;
        set_out(b, s, p);
        step_together(m, s);
        s->written += b->width;
        turn_page(b, s->few->gains, s->few->symbols);
        for (int64_t i = 0; i < b->going; i++) p->rows[i] = p->rows[b->index[i * b->width] / b->width];
    }
    return taken;
}

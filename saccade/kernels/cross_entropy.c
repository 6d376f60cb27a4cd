/* Smoothed cross-entropy of rows of scores, which become their own gradient.

       z = W x + b,   p = softmax(z),   nll = -log p[y],   even = mean over v of -log p[v]
       dz = p - (1 - e) onehot(y) - e / V,   dx = W' dz

   A row is done from its first pass to its last while it is in the cache, and rows that are at hand
   together go from x to dx before the next ones are begun. Whichever thread is free takes them; what
   is found does not depend on which it was. */

#include "linear.h"

typedef struct {
    int64_t rows, symbols, threads, learns; /* R, V */
    float smoothing;
    float *scores;       /* [R, V], afterwards the gradient if it learns */
    const int64_t *gold; /* [R] */
    float *nll, *even;   /* [R] */
    float *d_bias;       /* [parts, V], the rows of each part are added to it */
} LossCall;

typedef struct {
    LossCall loss;
    int64_t width;       /* D */
    const float *x;      /* [R, D] */
    const float *weight; /* [V, D] */
    const float *bias;   /* [V] */
    const float *zeros;  /* [D] */
    float *dx;           /* [R, D] */
    float *panels;       /* W, and W' if it learns, once `lay_projection` has been called */
} ProjectionCall;

enum { TOGETHER = 24, SYMBOLS = 256 }; /* rows of a part; symbols that go back at a time */

int64_t loss_parts(int64_t rows) { return (rows + TOGETHER - 1) / TOGETHER; }

INLINE int64_t padded(int64_t n) { return (n + PANEL - 1) / PANEL * PANEL; }

int64_t panels_size(const ProjectionCall *p) {
    const int64_t back = p->loss.learns ? p->loss.symbols * padded(p->width) : 0;
    return padded(p->loss.symbols) * p->width + back;
}

/* W by x. */
static LinearWeights onward(const ProjectionCall *p) {
    return (LinearWeights){p->panels, p->bias, p->width, p->loss.symbols, {0}};
}

/* Of W' the columns of some symbols. */
static LinearWeights back_from(const ProjectionCall *p, int64_t first) {
    const int64_t n = p->loss.symbols - first, forward = padded(p->loss.symbols) * p->width;
    const float *panels = p->panels + forward + first * padded(p->width);
    return (LinearWeights){panels, p->zeros, n < SYMBOLS ? n : SYMBOLS, p->width, {0}};
}

void lay_projection(const ProjectionCall *p) {
    const int64_t D = p->width, V = p->loss.symbols, blocks = (V + SYMBOLS - 1) / SYMBOLS;
    PARALLEL(p->loss.threads) {
        const int64_t me = ME, threads = THREADS;
        for (SHARE(i, padded(V) / PANEL, me, threads))
            lay_panel(p->weight + i * PANEL * D, D, 1, V - i * PANEL, D, p->panels + i * PANEL * D);
        for (SHARE(b, p->loss.learns ? blocks : 0, me, threads)) {
            const LinearWeights w = back_from(p, b * SYMBOLS);
            for (int64_t j = 0; j < D; j += PANEL)
                lay_panel(p->weight + b * SYMBOLS * D + j, 1, D, D - j, w.in, (float *)w.panels + j * w.in);
        }
    }
}

static void loss_of_row(const LossCall *a, int64_t r, float *d_bias) {
    const int64_t V = a->symbols, full = V / LANES * LANES;
    float *z = a->scores + r * V;
    lanes sums = {0}, tops = (lanes){0} - INFINITY;
    for (int64_t i = 0; i < full; i += LANES) sums += of(z + i), tops = higher(of(z + i), tops);
    float mean = total(sums), top = highest((float *)&tops, LANES);
    for (int64_t i = full; i < V; i++) mean += z[i], top = z[i] > top ? z[i] : top;
    const float right = z[a->gold[r]], sum = exponentials(z, V, top), log_sum = logf(sum) + top;
    a->nll[r] = log_sum - right;
    a->even[r] = log_sum - mean / V;
    if (!a->learns) return;
    const float share = 1.0f / sum, less = a->smoothing / V;
    z[a->gold[r]] -= (1.0f - a->smoothing) * sum;
    for (int64_t i = 0; i < full; i += LANES)
        *(lanes *)(d_bias + i) += *(lanes *)(z + i) = *(lanes *)(z + i) * share - less;
    for (int64_t i = full; i < V; i++) d_bias[i] += z[i] = z[i] * share - less;
}

/* The loss of the rows of a part. */
static void loss_of_part(const LossCall *a, int64_t part, int64_t parts) {
    for (int64_t r = a->rows * part / parts; r < a->rows * (part + 1) / parts; r++)
        loss_of_row(a, r, a->d_bias + part * a->symbols);
}

static void do_part(const ProjectionCall *p, int64_t part, int64_t parts) {
    const LossCall *a = &p->loss;
    const int64_t first = a->rows * part / parts, n = a->rows * (part + 1) / parts - first, V = a->symbols;
    const LinearWeights w = onward(p);
    float *scores = a->scores + first * V, *dx = p->dx + first * p->width;
    linear(&w, p->x + first * p->width, n, 0, 0, scores, 0, 1);
    loss_of_part(a, part, parts);
    for (int64_t k = 0; a->learns && k < V; k += SYMBOLS) { /* some stay at hand for all panels */
        const LinearWeights back = back_from(p, k);
        by_panels(&back, scores + k, V, n, 0, padded(p->width) / PANEL, k ? dx : 0, 0, dx);
    }
}

void project(const ProjectionCall *p) {
    const int64_t parts = loss_parts(p->loss.rows);
    int64_t next = 0;
    PARALLEL(p->loss.threads)
    for (int64_t part; (part = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)) < parts;)
        do_part(p, part, parts);
}

void cross_entropy(const LossCall *a) {
    const int64_t parts = loss_parts(a->rows);
    int64_t next = 0;
    PARALLEL(a->threads)
    for (int64_t part; (part = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)) < parts;)
        loss_of_part(a, part, parts);
}

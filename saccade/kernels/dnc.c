/* One step of the memory of a Differentiable Neural Computer, forward and back.

       psi[n] = prod of 1 - f[r] w_r'[r, n] over r          u = (u' + w' - u' w') psi
       w = g_w (g_a a(u) + (1 - g_a) C(M', k, beta))        M = M' (1 - w e) + w v
       L[i, j] = (1 - w[i] - w[j]) L'[i, j] + w[i] p'[j]    p = (1 - sum of w) p' + w
       w_r = pi_1 L^T w_r' + pi_2 C(M, k_r, beta_r) + pi_3 L w_r'      r = w_r M

   This is `access` of cells/dnc.py. Going back, what a step needs beside its state is computed again. Rows
   have nothing to do with each other: the threads share them. */

#include <stdlib.h>
#include <string.h>

#include "addressing.h"

typedef struct {
    float *memory, *vectors, *read, *write, *usage, *links, *precedence;
    /* [B, N, M], [B, R, M], [B, R, N], [B, N], [B, N], [B, N, N], [B, N] */
} DncState;

typedef struct {
    int64_t batch, slots, width, reads, threads; /* B, N, M, R */
    float tiny;                                  /* beside lengths */
    float *raw, *d_raw;                          /* [B, I]: what the controller says, and its gradient */
    DncState before, after;                      /* the vectors of `before` are not looked at */
    DncState d_before, d_after;                  /* gradients: of `before` made, of `after` given */
    float *work;
} DncCall;

#define SLOTS(l) ((Slots){(l)->slots, (l)->width, (l)->tiny})

typedef struct { /* what one row works in */
    float *free, *modes, *beta;        /* [R], [R, 3], [R + 1]: the last is that of writing */
    float *erase, *gates;              /* [M], [2]: of allocating, of writing */
    float *filled, *kept;              /* [N]: u' + w' - u' w' and psi */
    float *cosine, *found, *length;    /* [R + 1, N], [R + 1, N], [2, N]: of M and of M' */
    float *key_length;                 /* [R + 1] */
    float *allocated, *sorted, *ahead; /* [N]: by slot; u by rank; the product of what is ahead by rank */
    int32_t *slot;                     /* [N]: by rank */
    float *back, *on;                  /* [R, N] */
    float *d_read, *d_back, *d_on;     /* [R, N] */
    float *d_write, *d_found, *d_length; /* [N] */
    float *d_used;                     /* [N] */
    float *d_memory, *d_links;         /* [N, M], [N, N] */
} DncRoom;

typedef struct {
    float used;
    int32_t slot;
} DncUsed;

static int64_t dnc_room(const DncCall *l, float *work, DncRoom *r) {
    const int64_t N = l->slots, M = l->width, R = l->reads;
    const int64_t sizes[] = {R, 3 * R, R + 1, M, 2, N, N, (R + 1) * N, (R + 1) * N, 2 * N, R + 1, N, N,
                             N, 2 * N, R * N, R * N, R * N, R * N, R * N, N, N, N, N, N * M, N * N};
    void **parts[] = {
        (void **)&r->free,      (void **)&r->modes,   (void **)&r->beta,    (void **)&r->erase,
        (void **)&r->gates,     (void **)&r->filled,  (void **)&r->kept,    (void **)&r->cosine,
        (void **)&r->found,     (void **)&r->length,  (void **)&r->key_length, (void **)&r->allocated,
        (void **)&r->sorted,    (void **)&r->ahead,   (void **)&r->slot,    (void **)&r->back,
        (void **)&r->on,        (void **)&r->d_read,  (void **)&r->d_back,  (void **)&r->d_on,
        (void **)&r->d_write,   (void **)&r->d_found, (void **)&r->d_length, (void **)&r->d_used,
        (void **)&r->d_memory,  (void **)&r->d_links};
    return lay_parts(work, (int)(sizeof(sizes) / sizeof(*sizes)), sizes, parts);
}

int64_t dnc_size(const DncCall *l) {
    DncRoom r;
    return l->threads * dnc_room(l, NULL, &r);
}

/* ---- Where the controller's words for a row are ---- */

typedef struct {
    float *keys, *strengths, *free, *modes, *key, *strength, *erase, *add, *allocate, *gate;
} DncWords;

static DncWords dnc_words(const DncCall *l, float *raw, int64_t b) {
    const int64_t M = l->width, R = l->reads;
    DncWords w;
    w.keys = raw + b * (R * M + 5 * R + 3 * M + 3);
    w.strengths = w.keys + R * M;
    w.free = w.strengths + R;
    w.modes = w.free + R;
    w.key = w.modes + 3 * R;
    w.strength = w.key + M;
    w.erase = w.strength + 1;
    w.add = w.erase + M;
    w.allocate = w.add + M;
    w.gate = w.allocate + 1;
    return w;
}

/* ---- Forward ---- */

static int dnc_order(const void *a, const void *b) {
    const DncUsed *x = a, *y = b;
    if (x->used != y->used) return x->used < y->used ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* a[phi(j)] = (1 - u[phi(j)]) prod of u[phi(i)] over i < j; equal ones stay in the order of their slots */
static void dnc_allocate(const DncCall *l, const DncRoom *r, const float *used) {
    const int64_t N = l->slots;
    if (N <= 64) {
        for (int64_t n = 0; n < N; n++) {
            int64_t j = n;
            for (; j > 0 && r->sorted[j - 1] > used[n]; j--) {
                r->sorted[j] = r->sorted[j - 1];
                r->slot[j] = r->slot[j - 1];
            }
            r->sorted[j] = used[n];
            r->slot[j] = (int32_t)n;
        }
    } else {
        DncUsed *pairs = (DncUsed *)r->back; /* not in use yet, and made longer by `on` behind it */
        for (int64_t n = 0; n < N; n++) pairs[n] = (DncUsed){used[n], (int32_t)n};
        qsort(pairs, N, sizeof(DncUsed), dnc_order);
        for (int64_t n = 0; n < N; n++) {
            r->sorted[n] = pairs[n].used;
            r->slot[n] = pairs[n].slot;
        }
    }
    float ahead = 1.0f;
    for (int64_t j = 0; j < N; j++) {
        r->ahead[j] = ahead;
        r->allocated[r->slot[j]] = (1.0f - r->sorted[j]) * ahead;
        ahead *= r->sorted[j];
    }
}

/* What a step computes before it writes: `used` and `write` are [N]. */
static void dnc_before(const DncCall *l, const DncRoom *r, int64_t b, float *used, float *write) {
    const int64_t N = l->slots, M = l->width, R = l->reads;
    const DncWords say = dnc_words(l, l->raw, b);
    const float *memory = l->before.memory + b * N * M, *read = l->before.read + b * R * N;
    const float *u = l->before.usage + b * N, *w = l->before.write + b * N;
    for (int64_t n = 0; n < N; n++) r->kept[n] = 1.0f;
    for (int64_t h = 0; h < R; h++) {
        const float f = r->free[h] = opened(say.free[h]);
        for (int64_t n = 0; n < N; n++) r->kept[n] *= 1.0f - f * read[h * N + n];
        memcpy(r->modes + 3 * h, say.modes + 3 * h, 3 * sizeof(float));
        softmax(r->modes + 3 * h, 3);
        r->beta[h] = one_plus(say.strengths[h]);
    }
    r->beta[R] = one_plus(*say.strength);
    r->gates[0] = opened(*say.allocate);
    r->gates[1] = opened(*say.gate);
    for (int64_t m = 0; m < M; m++) r->erase[m] = opened(say.erase[m]);
    for (int64_t n = 0; n < N; n++) {
        r->filled[n] = u[n] + w[n] * (1.0f - u[n]);
        used[n] = r->filled[n] * r->kept[n];
    }
    lengths(SLOTS(l), memory, r->length + N);
    content(SLOTS(l), memory, r->length + N, say.key, r->beta[R], r->key_length + R, r->cosine + R * N,
            r->found + R * N);
    dnc_allocate(l, r, used);
    const float *found = r->found + R * N;
    for (int64_t n = 0; n < N; n++) write[n] = r->gates[1] * (found[n] + r->gates[0] * (r->allocated[n] - found[n]));
}

/* What it computes after that, from M and L: where each way of reading leads. */
static void dnc_behind(const DncCall *l, const DncRoom *r, int64_t b) {
    const int64_t N = l->slots, M = l->width, R = l->reads;
    const DncWords say = dnc_words(l, l->raw, b);
    const float *memory = l->after.memory + b * N * M, *links = l->after.links + b * N * N;
    const float *read = l->before.read + b * R * N;
    lengths(SLOTS(l), memory, r->length);
    memset(r->back, 0, R * N * sizeof(float));
    for (int64_t h = 0; h < R; h++) {
        for (int64_t i = 0; i < N; i++) {
            row_add(r->back + h * N, read[h * N + i], links + i * N, N);
            r->on[h * N + i] = row_dot(links + i * N, read + h * N, N);
        }
        content(SLOTS(l), memory, r->length, say.keys + h * M, r->beta[h], r->key_length + h, r->cosine + h * N,
                r->found + h * N);
    }
}

static void dnc_link(const DncCall *l, int64_t b, const float *w) {
    const int64_t N = l->slots;
    const float *links = l->before.links + b * N * N, *p = l->before.precedence + b * N;
    float *linked = l->after.links + b * N * N, *precedence = l->after.precedence + b * N, sum = 0.0f;
    for (int64_t n = 0; n < N; n++) sum += w[n];
    for (int64_t i = 0; i < N; i++) {
        const float *row = links + i * N, keep = 1.0f - w[i], mine = w[i];
        float *to = linked + i * N;
        for (int64_t j = 0; j < N; j++) to[j] = (keep - w[j]) * row[j] + mine * p[j];
        to[i] = 0.0f;
        precedence[i] = (1.0f - sum) * p[i] + mine;
    }
}

static void dnc_row(const DncCall *l, const DncRoom *r, int64_t b) {
    const int64_t N = l->slots, M = l->width, R = l->reads;
    const DncWords say = dnc_words(l, l->raw, b);
    const float *before = l->before.memory + b * N * M;
    float *memory = l->after.memory + b * N * M, *w = l->after.write + b * N;
    dnc_before(l, r, b, l->after.usage + b * N, w);
    for (int64_t n = 0; n < N; n++)
        for (int64_t m = 0; m < M; m++)
            memory[n * M + m] = before[n * M + m] * (1.0f - w[n] * r->erase[m]) + w[n] * say.add[m];
    dnc_link(l, b, w);
    dnc_behind(l, r, b);
    for (int64_t h = 0; h < R; h++) {
        const float *way = r->modes + 3 * h;
        float *read = l->after.read + (b * R + h) * N, *vector = l->after.vectors + (b * R + h) * M;
        memset(vector, 0, M * sizeof(float));
        for (int64_t n = 0; n < N; n++) {
            const int64_t i = h * N + n;
            read[n] = way[0] * r->back[i] + way[1] * r->found[i] + way[2] * r->on[i];
            row_add(vector, read[n], memory + n * M, M);
        }
    }
}

/* ---- Back ---- */

/* Through what is read and how: fills d_memory and d_links by way of M and L, and d_before.read in part. */
static void dnc_read_back(const DncCall *l, const DncRoom *r, int64_t b) {
    const int64_t N = l->slots, M = l->width, R = l->reads;
    const DncWords say = dnc_words(l, l->raw, b), d_say = dnc_words(l, l->d_raw, b);
    const float *memory = l->after.memory + b * N * M, *links = l->after.links + b * N * N;
    const float *read = l->before.read + b * R * N;
    float *d_before = l->d_before.read + b * R * N;
    for (int64_t h = 0; h < R; h++) {
        const float *d_vector = l->d_after.vectors + (b * R + h) * M, *way = r->modes + 3 * h;
        const float *now = l->after.read + (b * R + h) * N, *given = l->d_after.read + (b * R + h) * N;
        float *d = r->d_read + h * N, *d_back = r->d_back + h * N, *d_on = r->d_on + h * N;
        for (int64_t n = 0; n < N; n++) {
            d[n] = given[n] + row_dot(d_vector, memory + n * M, M);
            row_add(r->d_memory + n * M, now[n], d_vector, M);
        }
        const float by[3] = {row_dot(d, r->back + h * N, N), row_dot(d, r->found + h * N, N),
                             row_dot(d, r->on + h * N, N)};
        const float mean = way[0] * by[0] + way[1] * by[1] + way[2] * by[2];
        for (int k = 0; k < 3; k++) d_say.modes[3 * h + k] = way[k] * (by[k] - mean);
        for (int64_t n = 0; n < N; n++) {
            d_back[n] = way[0] * d[n];
            d_on[n] = way[2] * d[n];
            d[n] *= way[1];
        }
        const float d_beta = content_back(SLOTS(l), memory, r->length, say.keys + h * M, r->beta[h], r->key_length[h],
                                              r->cosine + h * N, r->found + h * N, d, r->d_memory, d_say.keys + h * M);
        d_say.strengths[h] = d_beta * opened(say.strengths[h]);
        memset(d_before + h * N, 0, N * sizeof(float));
        for (int64_t i = 0; i < N; i++) {
            d_before[h * N + i] += row_dot(links + i * N, d_back, N);
            row_add(d_before + h * N, d_on[i], links + i * N, N);
            row_add(r->d_links + i * N, read[h * N + i], d_back, N);
            row_add(r->d_links + i * N, d_on[i], read + h * N, N);
        }
    }
}

/* Through the links and the precedence: adds to d_write. */
static void dnc_link_back(const DncCall *l, const DncRoom *r, int64_t b) {
    const int64_t N = l->slots;
    const float *links = l->before.links + b * N * N, *p = l->before.precedence + b * N;
    const float *w = l->after.write + b * N, *d_after = l->d_after.precedence + b * N;
    float *d_links = l->d_before.links + b * N * N, *d_p = l->d_before.precedence + b * N, sum = 0.0f;
    for (int64_t n = 0; n < N; n++) sum += w[n];
    const float lost = row_dot(d_after, p, N);
    for (int64_t n = 0; n < N; n++) {
        d_p[n] = (1.0f - sum) * d_after[n];
        r->d_write[n] += d_after[n] - lost;
    }
    for (int64_t i = 0; i < N; i++) {
        float *d = r->d_links + i * N, *to = d_links + i * N;
        const float *row = links + i * N, keep = 1.0f - w[i];
        d[i] = 0.0f;
        r->d_write[i] += row_dot(d, p, N) - row_dot(d, row, N);
        for (int64_t j = 0; j < N; j++) r->d_write[j] -= d[j] * row[j];
        for (int64_t j = 0; j < N; j++) to[j] = (keep - w[j]) * d[j];
        row_add(d_p, w[i], d, N);
    }
}

/* Through erasing and adding: adds to d_write. */
static void dnc_erase_back(const DncCall *l, const DncRoom *r, int64_t b) {
    const int64_t N = l->slots, M = l->width;
    const DncWords say = dnc_words(l, l->raw, b), d_say = dnc_words(l, l->d_raw, b);
    const float *memory = l->before.memory + b * N * M, *w = l->after.write + b * N;
    float *d_memory = l->d_before.memory + b * N * M;
    memset(d_say.erase, 0, M * sizeof(float));
    memset(d_say.add, 0, M * sizeof(float));
    for (int64_t n = 0; n < N; n++) {
        const float *d = r->d_memory + n * M, *row = memory + n * M;
        float by = 0.0f;
        for (int64_t m = 0; m < M; m++) {
            const float lost = d[m] * row[m];
            by += d[m] * say.add[m] - lost * r->erase[m];
            d_say.erase[m] -= w[n] * lost;
            d_memory[n * M + m] = d[m] * (1.0f - w[n] * r->erase[m]);
        }
        row_add(d_say.add, w[n], d, M);
        r->d_write[n] += by;
    }
    for (int64_t m = 0; m < M; m++) d_say.erase[m] *= r->erase[m] * (1.0f - r->erase[m]);
}

/* Through where to write: adds to d_before.memory, and leaves the gradient by the usage in d_used. */
static void dnc_write_back(const DncCall *l, const DncRoom *r, int64_t b) {
    const int64_t N = l->slots, M = l->width, R = l->reads;
    const DncWords say = dnc_words(l, l->raw, b), d_say = dnc_words(l, l->d_raw, b);
    const float *found = r->found + R * N, allocate = r->gates[0], gate = r->gates[1];
    float d_gate = 0.0f, d_allocate = 0.0f;
    for (int64_t n = 0; n < N; n++) {
        const float more = r->allocated[n] - found[n], d = r->d_write[n];
        d_gate += d * (found[n] + allocate * more);
        d_allocate += gate * d * more;
        r->d_found[n] = (1.0f - allocate) * gate * d;
    }
    *d_say.gate = d_gate * gate * (1.0f - gate);
    *d_say.allocate = d_allocate * allocate * (1.0f - allocate);
    const float d_beta = content_back(SLOTS(l), l->before.memory + b * N * M, r->length + N, say.key, r->beta[R],
                                          r->key_length[R], r->cosine + R * N, found, r->d_found,
                                          l->d_before.memory + b * N * M, d_say.key);
    *d_say.strength = d_beta * opened(*say.strength);
    float later = 0.0f; /* the sum of d a over the slots that come behind in the order */
    for (int64_t j = N - 1; j >= 0; j--) {
        const int32_t n = r->slot[j];
        const float d = allocate * gate * r->d_write[n], u = r->sorted[j];
        r->d_used[n] = l->d_after.usage[b * N + n] + later / (u > 1e-30f ? u : 1e-30f) - d * r->ahead[j];
        later += d * r->allocated[n];
    }
}

/* Through the usage, to the step before. */
static void dnc_usage_back(const DncCall *l, const DncRoom *r, int64_t b) {
    const int64_t N = l->slots, R = l->reads;
    const DncWords d_say = dnc_words(l, l->d_raw, b);
    const float *u = l->before.usage + b * N, *w = l->before.write + b * N, *read = l->before.read + b * R * N;
    for (int64_t n = 0; n < N; n++) {
        const float d = r->d_used[n] * r->kept[n];
        l->d_before.usage[b * N + n] = d * (1.0f - w[n]);
        l->d_before.write[b * N + n] = d * (1.0f - u[n]);
    }
    for (int64_t h = 0; h < R; h++) {
        float d_free = 0.0f;
        for (int64_t n = 0; n < N; n++) {
            float d = r->d_used[n] * r->filled[n];
            for (int64_t other = 0; other < R; other++)
                if (other != h) d *= 1.0f - r->free[other] * read[other * N + n];
            d_free -= d * read[h * N + n];
            l->d_before.read[(b * R + h) * N + n] -= d * r->free[h];
        }
        d_say.free[h] = d_free * r->free[h] * (1.0f - r->free[h]);
    }
}

static void dnc_row_back(const DncCall *l, const DncRoom *r, int64_t b) {
    const int64_t N = l->slots, M = l->width;
    dnc_before(l, r, b, r->d_used, r->d_write); /* only for what it leaves in the room */
    dnc_behind(l, r, b);
    memcpy(r->d_memory, l->d_after.memory + b * N * M, N * M * sizeof(float));
    memcpy(r->d_links, l->d_after.links + b * N * N, N * N * sizeof(float));
    memcpy(r->d_write, l->d_after.write + b * N, N * sizeof(float));
    dnc_read_back(l, r, b);
    dnc_link_back(l, r, b);
    dnc_erase_back(l, r, b);
    dnc_write_back(l, r, b);
    dnc_usage_back(l, r, b);
}

void dnc_forward(const DncCall *l) {
    PARALLEL(l->threads) {
        const int64_t me = ME, threads = THREADS;
        DncRoom r;
        dnc_room(l, l->work + me * (dnc_size(l) / l->threads), &r);
        for (SHARE(b, l->batch, me, threads)) dnc_row(l, &r, b);
    }
}

void dnc_backward(const DncCall *l) {
    PARALLEL(l->threads) {
        const int64_t me = ME, threads = THREADS;
        DncRoom r;
        dnc_room(l, l->work + me * (dnc_size(l) / l->threads), &r);
        for (SHARE(b, l->batch, me, threads)) dnc_row_back(l, &r, b);
    }
}

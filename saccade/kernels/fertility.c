/* IBM Model 3: climbing to the best alignment near a given one, and counting what is around it. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FERTILITIES = 10 }; /* 0 to 9 */

typedef struct {
    int64_t pairs;
    double spurious, tension; /* how likely a word is followed by one of the empty word */
    const int64_t *source_lengths, *target_lengths;
    const int32_t *words; /* of all sources */
    const int32_t *cells;
    const float *t;
    const float *fertilities; /* [n_source, FERTILITIES] */
    double *counts;           /* as t */
    double *fertility_counts; /* as fertilities */
    double *linked;           /* of each source word, how many target words it has */
    double *distance;         /* [1], of links from the diagonal */
    double *likelihoods;      /* [pairs], of all alignments that were counted */
    int32_t *best;            /* of each target word; read, and written */
} FertilityCall;

typedef struct {
    int64_t I, J;
    double *w;     /* [J, I + 1], log t and, if not empty, log d */
    double *f;     /* [I + 1, FERTILITIES + 1], log of n(phi) phi!; the empty word's is below */
    double *empty; /* [J + 2], log-probability of so many words of the empty word */
    double *posterior, *changed; /* [J, I + 1], [J] */
    int32_t *a, *phi;            /* [J], [I + 1] */
} FertilityRoom;

static double fertility_cost(const FertilityRoom *r, int64_t i, int64_t phi) {
    if (phi < 0) return -INFINITY;
    if (i == 0) return phi > r->J ? -INFINITY : r->empty[phi];
    return r->f[i * FERTILITIES + (phi < FERTILITIES ? phi : FERTILITIES - 1)];
}

static double leaving(const FertilityRoom *r, int64_t i) {
    return fertility_cost(r, i, r->phi[i] - 1) - fertility_cost(r, i, r->phi[i]);
}

static double entering(const FertilityRoom *r, int64_t i) {
    return fertility_cost(r, i, r->phi[i] + 1) - fertility_cost(r, i, r->phi[i]);
}

static double swapped(const FertilityRoom *r, int64_t j, int64_t k) {
    const int64_t wide = r->I + 1, a = r->a[j], b = r->a[k];
    return r->w[j * wide + b] + r->w[k * wide + a] - r->w[j * wide + a] - r->w[k * wide + b];
}

/* Lay out the logs of a pair. */
static void lay_fertility(
    const FertilityCall *call, const int32_t *words, const int32_t *cells, FertilityRoom *r
) {
    const int64_t I = r->I, J = r->J;
    for (int64_t j = 0; j < J; j++)
        for (int64_t i = 0; i <= I; i++) {
            const double t = call->t[cells[j * (I + 1) + i]];
            r->w[j * (I + 1) + i] = log(t > 1e-30 ? t : 1e-30);
        }
    for (int64_t i = 1; i <= I; i++) {
        double whole = 0;
        for (int64_t j = 1; j <= J; j++)
            whole += exp(-call->tension * fabs((double)i / I - (double)j / J));
        for (int64_t j = 1; j <= J; j++)
            r->w[(j - 1) * (I + 1) + i] +=
                -call->tension * fabs((double)i / I - (double)j / J) - log(whole);
        const float *n = call->fertilities + (int64_t)words[i - 1] * FERTILITIES;
        for (int64_t phi = 0; phi < FERTILITIES; phi++)
            r->f[i * FERTILITIES + phi] = log(n[phi] > 1e-30 ? n[phi] : 1e-30) + lgamma(phi + 1.0);
    }
    for (int64_t phi = 0; phi <= J + 1; phi++) {
        const int64_t rest = J - phi;
        r->empty[phi] = phi > rest ? -1e6 * (phi - rest) : /* more than half are not wanted */
            lgamma(rest + 1.0) - lgamma(phi + 1.0) - lgamma(rest - phi + 1.0) +
            (rest - phi) * log(1 - call->spurious) + phi * log(call->spurious);
    }
    memset(r->phi, 0, (I + 1) * sizeof(int32_t));
    for (int64_t j = 0; j < J; j++) r->phi[r->a[j]]++;
}

/* Take the best move or swap until there is none. */
static void climb(FertilityRoom *r) {
    const int64_t I = r->I, J = r->J, wide = I + 1;
    for (int64_t round = 0; round < 2 * J + 10; round++) {
        double most = 1e-9;
        int64_t first = -1, second = -1, to = -1;
        for (int64_t j = 0; j < J; j++) {
            const double out = leaving(r, r->a[j]) - r->w[j * wide + r->a[j]];
            for (int64_t i = 0; i <= I; i++) {
                if (i == r->a[j]) continue;
                const double gain = out + r->w[j * wide + i] + entering(r, i);
                if (gain > most) most = gain, first = j, second = -1, to = i;
            }
            for (int64_t k = j + 1; k < J; k++) {
                if (r->a[j] == r->a[k]) continue;
                const double gain = swapped(r, j, k);
                if (gain > most) most = gain, first = j, second = k;
            }
        }
        if (first < 0) return;
        if (second < 0) {
            r->phi[r->a[first]]--;
            r->phi[to]++;
            r->a[first] = (int32_t)to;
        } else {
            const int32_t held = r->a[first];
            r->a[first] = r->a[second];
            r->a[second] = held;
        }
    }
}

/* Count the alignment and its neighbours, by how likely they are; returns the log of their sum. */
static double count_near(
    const FertilityCall *call, const int32_t *words, const int32_t *cells, double *linked,
    FertilityRoom *r
) {
    const int64_t I = r->I, J = r->J, wide = I + 1;
    double Z = 1, base = 0;
    memset(r->posterior, 0, J * wide * sizeof(double));
    memset(r->changed, 0, J * sizeof(double));
    double *moved = r->posterior + J * wide; /* [I + 1, 3]: one less, one more, any */
    memset(moved, 0, wide * 3 * sizeof(double));
    for (int64_t j = 0; j < J; j++) {
        const int64_t own = r->a[j];
        const double out = leaving(r, own) - r->w[j * wide + own];
        base += r->w[j * wide + own];
        for (int64_t i = 0; i <= I; i++) {
            if (i == own) continue;
            const double e = exp(out + r->w[j * wide + i] + entering(r, i));
            r->posterior[j * wide + i] += e;
            r->changed[j] += e;
            moved[own * 3] += e;
            moved[i * 3 + 1] += e;
            Z += e;
        }
        for (int64_t k = j + 1; k < J; k++) {
            if (own == r->a[k]) continue;
            const double e = exp(swapped(r, j, k));
            r->posterior[j * wide + r->a[k]] += e;
            r->posterior[k * wide + own] += e;
            r->changed[j] += e;
            r->changed[k] += e;
            Z += e;
        }
    }
    for (int64_t j = 0; j < J; j++) {
        r->posterior[j * wide + r->a[j]] += Z - r->changed[j];
        for (int64_t i = 0; i <= I; i++) {
            const double share = r->posterior[j * wide + i] / Z;
            call->counts[cells[j * wide + i]] += share;
            if (!i) continue;
            linked[i - 1] += share;
            *call->distance += share * fabs((double)i / I - (j + 1.0) / J);
        }
    }
    for (int64_t i = 0; i <= I; i++) {
        base += fertility_cost(r, i, r->phi[i]);
        if (!i) continue;
        double *n = call->fertility_counts + (int64_t)words[i - 1] * FERTILITIES;
        const int64_t phi = r->phi[i] < FERTILITIES ? r->phi[i] : FERTILITIES - 1;
        if (phi) n[phi - 1] += moved[i * 3] / Z;
        n[phi + 1 < FERTILITIES ? phi + 1 : phi] += moved[i * 3 + 1] / Z;
        n[phi] += (Z - moved[i * 3] - moved[i * 3 + 1]) / Z;
    }
    return base + log(Z);
}

/* Climb and count for all pairs. Returns -1 without memory. */
int64_t aligner_fertility(const FertilityCall *call) {
    int64_t wide = 1, high = 1;
    for (int64_t p = 0; p < call->pairs; p++) {
        if (call->source_lengths[p] + 1 > wide) wide = call->source_lengths[p] + 1;
        if (call->target_lengths[p] > high) high = call->target_lengths[p];
    }
    const int64_t numbers = 2 * high * wide + 3 * wide + wide * FERTILITIES + 2 * high + 2;
    double *room = malloc(numbers * sizeof(double));
    int32_t *places = malloc((high + wide) * sizeof(int32_t));
    if (!room || !places) {
        free(room);
        free(places);
        return -1;
    }
    FertilityRoom r = {.w = room, .posterior = room + high * wide, .a = places, .phi = places + high};
    r.f = r.posterior + high * wide + 3 * wide;
    r.empty = r.f + wide * FERTILITIES;
    r.changed = r.empty + high + 2;
    const int32_t *cells = call->cells, *words = call->words;
    int32_t *best = call->best;
    double *linked = call->linked;
    for (int64_t p = 0; p < call->pairs; p++) {
        r.I = call->source_lengths[p];
        r.J = call->target_lengths[p];
        for (int64_t j = 0; j < r.J; j++) r.a[j] = best[j] + 1;
        lay_fertility(call, words, cells, &r);
        climb(&r);
        call->likelihoods[p] = count_near(call, words, cells, linked, &r);
        for (int64_t j = 0; j < r.J; j++) best[j] = r.a[j] - 1;
        best += r.J;
        cells += r.J * (r.I + 1);
        words += r.I;
        linked += r.I;
    }
    free(room);
    free(places);
    return 0;
}

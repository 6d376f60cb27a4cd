/* Vectors of numbers, as wide as the processor's; threads; and what is computed of rows. */

#pragma once

#include <math.h>
#include <stdint.h>

#ifdef _OPENMP
#include <omp.h>
#define TEXT(x) #x
#define PRAGMA(x) _Pragma(TEXT(x))
#define PARALLEL(n) PRAGMA(omp parallel num_threads(n) if (n > 1))
#define BARRIER _Pragma("omp barrier")
#define ME omp_get_thread_num()
#define THREADS omp_get_num_threads()
#else
#define PARALLEL(n)
#define BARRIER
#define ME 0
#define THREADS 1
#endif

/* What a thread does of n things: from its first to before its last. */
#define SHARE(i, n, me, threads) \
    int64_t i = (n) * (me) / (threads); i < (n) * ((me) + 1) / (threads); i++

#if defined(__AVX512F__)
enum { LANES = 16 };
#elif defined(__AVX__)
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
typedef float lanes __attribute__((vector_size(4 * LANES), aligned(4)));
typedef int32_t ints __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

#define UNROLL _Pragma("GCC unroll 8")
#define INLINE static inline __attribute__((always_inline))

/* A function that is given how many rows there are, up to six, as a number known to the compiler. */
#define TILES(name, n, ...) \
    switch (n) { \
    case 1: name(1, __VA_ARGS__); break; \
    case 2: name(2, __VA_ARGS__); break; \
    case 3: name(3, __VA_ARGS__); break; \
    case 4: name(4, __VA_ARGS__); break; \
    case 5: name(5, __VA_ARGS__); break; \
    default: name(6, __VA_ARGS__); \
    }

typedef float four __attribute__((vector_size(16), aligned(4), may_alias));

INLINE float total(lanes v) {
    const four *parts = (const four *)&v;
    four sum = parts[0];
    UNROLL for (int i = 1; i < LANES / 4; i++) sum += parts[i];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

INLINE float dot(const float *a, const float *b, int64_t n) {
    lanes sum = {0};
    for (int64_t i = 0; i < n; i += LANES) sum += *(const lanes *)(a + i) * *(const lanes *)(b + i);
    return total(sum);
}

/* exp(x) = 2^n exp(f), n = round(x / ln 2), |f| <= ln 2 / 2: to a few units of the last place. */
INLINE lanes exponential(lanes x) {
    const lanes magic = (lanes){0} + 12582912.0f; /* 1.5 2^23: adding it rounds to a whole number */
    const ints tiny = x < -87.0f;
    x = (lanes)(((ints)x & ~tiny) | ((ints)((lanes){0} - 87.0f) & tiny));
    lanes n = x * 1.44269504f + magic;
    const ints power = ((ints)n - (ints)magic + 127) << 23;
    n -= magic;
    const lanes f = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    lanes y = (lanes){0} + 1.9875691500e-4f;
    y = y * f + 1.3981999507e-3f;
    y = y * f + 8.3334519073e-3f;
    y = y * f + 4.1665795894e-2f;
    y = y * f + 1.6666665459e-1f;
    y = y * f + 5.0000001201e-1f;
    y = y * f * f + f + 1.0f;
    return (lanes)((ints)(y * (lanes)power) & ~tiny);
}

INLINE float one_exponential(float x) { return exponential((lanes){0} + x)[0]; }

INLINE float highest(const float *x, int64_t n) {
    float top = -INFINITY;
    int64_t i = 0;
    if (n >= LANES) {
        lanes tops = *(const lanes *)x;
        for (i = LANES; i + LANES <= n; i += LANES) {
            const lanes now = *(const lanes *)(x + i);
            const ints more = now > tops;
            tops = (lanes)(((ints)now & more) | ((ints)tops & ~more));
        }
        for (int j = 0; j < LANES; j++) top = tops[j] > top ? tops[j] : top;
    }
    for (; i < n; i++) top = x[i] > top ? x[i] : top;
    return top;
}

/* x becomes exp(x - top), whose sum is returned. */
INLINE float exponentials(float *x, int64_t n, float top) {
    lanes sum = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) sum += *(lanes *)(x + i) = exponential(*(lanes *)(x + i) - top);
    float rest = total(sum);
    for (; i < n; i++) rest += x[i] = one_exponential(x[i] - top);
    return rest;
}

INLINE void softmax(float *x, int64_t n) {
    const float share = 1.0f / exponentials(x, n, highest(x, n));
    for (int64_t i = 0; i < n; i++) x[i] *= share;
}

INLINE void log_softmax(float *x, int64_t n) {
    const float top = highest(x, n);
    lanes sum = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) sum += exponential(*(lanes *)(x + i) - top);
    float rest = total(sum);
    for (; i < n; i++) rest += one_exponential(x[i] - top);
    const float off = top + logf(rest);
    for (i = 0; i < n; i++) x[i] -= off;
}

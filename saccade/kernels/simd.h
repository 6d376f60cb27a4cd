/* Vectors of numbers, as wide as the processor's; threads; and what is computed of rows. */

#pragma once

#include <math.h>
#include <stdint.h>

#ifdef __AVX__
#include <immintrin.h>
#endif

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

/* Ask the cache for what is multiplied next. */
#define FETCH(where) __builtin_prefetch(where, 0, 2)

/* Keep a vector in a register: the compiler would rather load it again for every product. */
#ifdef __AVX__
#define KEEP(vector) __asm__("" : "+v"(vector))
#else
#define KEEP(vector) (void)(vector)
#endif

#define UNROLL _Pragma("GCC unroll 8")
#define BY_FOURS _Pragma("GCC unroll 4") /* a loop whose count is not known */
#define INLINE static inline __attribute__((always_inline))

INLINE lanes *at(float *x) { return (lanes *)x; }
INLINE lanes of(const float *x) { return *(const lanes *)x; }

/* `OF_ROWS(name, n)` is `name` for n rows, or for six if there are more: a number that the compiler
   knows, in a function of its own, which shares its registers with nothing around it. */
enum { ROWS = 6 };
#define OWN static __attribute__((noinline, unused))
#define BY_ROWS(name, takes, ...) \
    OWN void name##_1 takes { name(1, __VA_ARGS__); } \
    OWN void name##_2 takes { name(2, __VA_ARGS__); } \
    OWN void name##_3 takes { name(3, __VA_ARGS__); } \
    OWN void name##_4 takes { name(4, __VA_ARGS__); } \
    OWN void name##_5 takes { name(5, __VA_ARGS__); } \
    OWN void name##_6 takes { name(6, __VA_ARGS__); } \
    static void (*const name##_by_rows[]) takes = {name##_1, name##_2, name##_3, name##_4, name##_5, name##_6};
#define OF_ROWS(name, n) name##_by_rows[((n) < ROWS ? (n) : ROWS) - 1]

/* Rows are shared out evenly among as few tiles as they need: one of five and one of four take less
   time than one of six and one of three, whose sums wait for each other. */
INLINE int64_t tiles_of(int64_t n) { return (n + ROWS - 1) / ROWS; }

typedef float four __attribute__((vector_size(16), aligned(4), may_alias));

INLINE float total(lanes v) {
    const four *parts = (const four *)&v;
    four sum = parts[0];
    UNROLL for (int i = 1; i < LANES / 4; i++) sum += parts[i];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* The totals of as many vectors as each has numbers, two vectors at a time: both halves of every part
   are added up, first of the whole vectors, then of their halves, and so on. */
INLINE lanes totals(lanes *v) {
#if defined(__AVX512F__)
    UNROLL for (int half = LANES / 2; half; half /= 2) {
        ints first;
        UNROLL for (int j = 0; j < LANES; j++) first[j] = j / half * 2 * half + j % half;
        UNROLL for (int i = 0; i < half; i++) {
            const __m512 a = (__m512)v[2 * i], b = (__m512)v[2 * i + 1];
            v[i] = (lanes)(_mm512_permutex2var_ps(a, (__m512i)first, b) +
                           _mm512_permutex2var_ps(a, (__m512i)(first + half), b));
        }
    }
    return v[0];
#elif defined(__AVX__)
    __m256 four[2];
    UNROLL for (int i = 0; i < 2; i++) {
        const lanes *w = v + 4 * i;
        four[i] = _mm256_hadd_ps(_mm256_hadd_ps((__m256)w[0], (__m256)w[1]),
                                 _mm256_hadd_ps((__m256)w[2], (__m256)w[3]));
    }
    return (lanes)(_mm256_permute2f128_ps(four[0], four[1], 0x20) +
                   _mm256_permute2f128_ps(four[0], four[1], 0x31));
#else
    lanes y;
    for (int i = 0; i < LANES; i++) y[i] = total(v[i]);
    return y;
#endif
}

INLINE float dot(const float *a, const float *b, int64_t n) {
    lanes sum = {0};
    for (int64_t i = 0; i < n; i += LANES) sum += *(const lanes *)(a + i) * *(const lanes *)(b + i);
    return total(sum);
}

/* a where it is the higher one, b otherwise, also where one of them is no number. */
INLINE lanes higher(lanes a, lanes b) {
#if defined(__AVX512F__)
    return (lanes)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX__)
    return (lanes)_mm256_max_ps((__m256)a, (__m256)b);
#else
    const ints more = a > b;
    return (lanes)(((ints)a & more) | ((ints)b & ~more));
#endif
}

INLINE lanes lower(lanes a, lanes b) {
#if defined(__AVX512F__)
    return (lanes)_mm512_min_ps((__m512)a, (__m512)b);
#elif defined(__AVX__)
    return (lanes)_mm256_min_ps((__m256)a, (__m256)b);
#else
    const ints less = a < b;
    return (lanes)(((ints)a & less) | ((ints)b & ~less));
#endif
}

/* exp(x) = 2^n exp(f), n = round(x / ln 2), |f| <= ln 2 / 2: to a few units of the last place. Below -87 it
   is that of -87, which is nothing beside one. */
INLINE lanes exponential_down(lanes x) {
    const lanes magic = (lanes){0} + 12582912.0f; /* 1.5 2^23: adding it rounds to a whole number */
    x = higher((lanes){0} - 87.0f, x);
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
    return y * (lanes)power;
}

/* The same, and nothing at all below that. */
INLINE lanes exponential(lanes x) { return (lanes)((ints)exponential_down(x) & ~(ints)(x < -87.0f)); }

/* The same to 3e-7 of it where it is not small beside one, for sums of many, in two thirds of the time:
   2^n 2^f, n + f = x / ln 2, |f| <= 1/2, by a minimax polynomial. */
INLINE lanes exponential_of_sum(lanes x) {
    const lanes magic = (lanes){0} + 12582912.0f;
    x = higher((lanes){0} - 87.0f, x);
    const lanes n = x * 1.44269504f + magic, f = x * 1.44269504f - (n - magic);
    lanes y = (lanes){0} + 1.3276470010e-3f;
    y = y * f + 9.6755416314e-3f;
    y = y * f + 5.5507132823e-2f;
    y = y * f + 2.4022119718e-1f;
    y = y * f + 6.9314696706e-1f;
    y = y * f + 1.0f;
    return y * (lanes)(((ints)n - (ints)magic + 127) << 23);
}

#define FIRST(n) (__mmask16)((n) > 0 ? (1u << (n)) - 1 : 0)

/* The last `n` numbers of a row, if there are fewer than a vector holds; `other` fills it up. */
INLINE lanes last_of(const float *x, int64_t n, float other) {
    if (n >= LANES) return *(const lanes *)x;
#if defined(__AVX512F__)
    return (lanes)_mm512_mask_loadu_ps(_mm512_set1_ps(other), FIRST(n), x);
#else
    lanes y = (lanes){0} + other;
    for (int64_t i = 0; i < n; i++) y[i] = x[i];
    return y;
#endif
}

INLINE void put_last(float *x, int64_t n, lanes y) {
    if (n >= LANES) {
        *(lanes *)x = y;
        return;
    }
#if defined(__AVX512F__)
    _mm512_mask_storeu_ps(x, FIRST(n), (__m512)y);
#else
    for (int64_t i = 0; i < n; i++) x[i] = y[i];
#endif
}

INLINE float highest(const float *x, int64_t n) {
    lanes tops = (lanes){0} - INFINITY;
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) tops = higher(*(const lanes *)(x + i), tops);
    if (i < n) tops = higher(last_of(x + i, n - i, -INFINITY), tops);
    const four *parts = (const four *)&tops;
    four top = parts[0];
    UNROLL for (int j = 1; j < LANES / 4; j++)
        for (int i = 0; i < 4; i++) top[i] = parts[j][i] > top[i] ? parts[j][i] : top[i];
    const float even = top[0] > top[2] ? top[0] : top[2], odd = top[1] > top[3] ? top[1] : top[3];
    return even > odd ? even : odd;
}

/* x becomes exp(x - top), whose sum is returned: that of a longer row that ends in -inf is the same. */
INLINE float exponentials(float *x, int64_t n, float top) {
    lanes sum = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) sum += *(lanes *)(x + i) = exponential(*(lanes *)(x + i) - top);
    if (i < n) {
        const lanes y = exponential(last_of(x + i, n - i, -INFINITY) - top);
        put_last(x + i, n - i, y);
        sum += y;
    }
    return total(sum);
}

INLINE void softmax(float *x, int64_t n) {
    const float share = 1.0f / exponentials(x, n, highest(x, n));
    for (int64_t i = 0; i < n; i++) x[i] *= share;
}

/* log sum exp(x), whose highest number is `top`. */
INLINE float log_total(const float *x, int64_t n, float top) {
    lanes sum = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) sum += exponential_of_sum(*(const lanes *)(x + i) - top);
    if (i < n) sum += exponential_of_sum(last_of(x + i, n - i, -INFINITY) - top);
    return top + logf(total(sum));
}

INLINE void log_softmax(float *x, int64_t n) {
    const float off = log_total(x, n, highest(x, n));
    for (int64_t i = 0; i < n; i++) x[i] -= off;
}

/* Lay parts of so many numbers out in a room, one behind the other; return how many it holds. */
static inline int64_t lay_parts(float *room, int n, const int64_t *sizes, void ***parts) {
    int64_t used = 0;
    for (int i = 0; i < n; i++) {
        *parts[i] = room + used;
        used += (sizes[i] + LANES - 1) / LANES * LANES;
    }
    return used;
}

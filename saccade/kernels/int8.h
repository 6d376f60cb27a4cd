/* Products of whole numbers: a matrix in bytes, rows that are rounded to bytes as they come.

       y[j] = W[j] . x + b[j],   W[j] ~ s[j] w[j],   x ~ a (q - z),   so y[j] ~ a s[j] (w[j] . q - z sum(w[j])) + b[j]

   with w from -MOST to MOST, s[j] = max |W[j]| / MOST, and q from 0 to LEVELS: processors multiply bytes
   with a sign by bytes without one. a = (max x - min x) / LEVELS, where 0 counts as one of the x; it is
   z that stands for it. Sums of whole numbers are exact, so they do not depend on their order nor on
   other rows. */

#pragma once

#include "simd.h"

#ifdef __AVX2__
enum { ROUNDS = 1 };
#else
enum { ROUNDS = 0 }; /* it would work, and be slow */
#endif

typedef struct { /* [out / PANEL][in / 4][PANEL][4], zeros at its ends; none if it is not rounded */
    const int8_t *panels;
    const float *scales;  /* [out] */
    const int32_t *sums;  /* [out], of a row's bytes */
} Int8Matrix;

#if defined(__AVX512VNNI__) || (defined(__AVXVNNI__) && !defined(__AVX512F__))
enum { MOST = 127, LEVELS = 255, EIGHTS = ROWS };
#else
enum { MOST = 63, LEVELS = 127 }; /* four products fit into 16 bits: 4 . 63 . 128 < 2^15 */
enum { EIGHTS = ROWS / 2 }; /* rows whose sums fit into the registers beside what eights of bytes need */
#endif

typedef int32_t bits32 __attribute__((may_alias));

/* Each sum gains four products of bytes: those of `x` have no sign, those of `w` have one. */
INLINE ints four_products(ints sums, ints x, ints w) {
#if defined(__AVX512VNNI__)
    return (ints)_mm512_dpbusd_epi32((__m512i)sums, (__m512i)x, (__m512i)w);
#elif defined(__AVX512BW__)
    const __m512i pairs = _mm512_maddubs_epi16((__m512i)x, (__m512i)w);
    return sums + (ints)_mm512_madd_epi16(pairs, _mm512_set1_epi16(1));
#elif defined(__AVXVNNI__) && !defined(__AVX512F__)
    return (ints)_mm256_dpbusd_avx_epi32((__m256i)sums, (__m256i)x, (__m256i)w);
#elif defined(__AVX2__) && !defined(__AVX512F__)
    const __m256i pairs = _mm256_maddubs_epi16((__m256i)x, (__m256i)w);
    return sums + (ints)_mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
#else
    UNROLL for (int j = 0; j < LANES; j++)
        for (int i = 0; i < 32; i += 8) sums[j] += (x[j] >> i & 255) * (int8_t)(w[j] >> i & 255);
    return sums;
#endif
}

/* The same twice. Without instructions of their own, products of both are added up as 16 bits. */
INLINE ints eight_products(ints sums, ints x, ints w, ints more_x, ints more_w) {
#if defined(__AVX512BW__) && !defined(__AVX512VNNI__)
    const __m512i pairs = _mm512_maddubs_epi16((__m512i)x, (__m512i)w);
    const __m512i more = _mm512_maddubs_epi16((__m512i)more_x, (__m512i)more_w);
    return sums + (ints)_mm512_madd_epi16(_mm512_add_epi16(pairs, more), _mm512_set1_epi16(1));
#elif defined(__AVX2__) && !defined(__AVX512F__) && !defined(__AVXVNNI__)
    const __m256i pairs = _mm256_maddubs_epi16((__m256i)x, (__m256i)w);
    const __m256i more = _mm256_maddubs_epi16((__m256i)more_x, (__m256i)more_w);
    return sums + (ints)_mm256_madd_epi16(_mm256_add_epi16(pairs, more), _mm256_set1_epi16(1));
#else
    return four_products(four_products(sums, x, w), more_x, more_w);
#endif
}

typedef struct { /* what a level of a row is worth, and which level stands for 0 */
    float worth;
    int32_t zero;
} Levels;

/* Round a row. Bytes behind its end meet zeros. What is no number, or beyond all, makes all of it so. */
INLINE Levels round_row(const float *x, int64_t n, uint8_t *bytes) {
    lanes highs = {0}, lows = {0}, none = {0};
    for (int64_t i = 0; i < n; i += LANES) {
        const lanes some = last_of(x + i, n - i, 0.0f);
        highs = higher(some, highs), lows = higher(-some, lows), none += some * 0.0f;
    }
    const float below = highest((const float *)&lows, LANES);
    const float range = highest((const float *)&highs, LANES) + below;
    const float most = LEVELS * 0.999999f; /* so that the highest is not rounded up beyond it */
    const float by = range > 0.0f ? most / range : 0.0f;
    const int32_t zero = (int32_t)(below * by + 0.5f);
    const float up = (float)zero + 0.5f;
    for (int64_t i = 0; i < n; i++) bytes[i] = (uint8_t)(int32_t)(x[i] * by + up);
    return (Levels){range / most + total(none), zero};
}

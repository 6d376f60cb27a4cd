/* Products of whole numbers: a matrix in bytes, rows that are rounded to bytes as they come.

       y[j] = W[j] . x + b[j],   W[j] ~ s[j] w[j],   x ~ a q,   so y[j] ~ a s[j] (w[j] . q) + b[j]

   with w from -MOST to MOST, s[j] = max |W[j]| / MOST, a = max |x| / LEVELS. Processors multiply bytes
   with a sign by bytes without one, so a row is moved up, and what that adds is taken off again:
   w . q = w . (q + SHIFT) - SHIFT sum(w). Sums of whole numbers are exact, so they do not depend on
   their order nor on other rows. */

#pragma once

#include "lanes.h"

#ifdef __AVX2__
enum { ROUNDS = 1 };
#else
enum { ROUNDS = 0 }; /* it would work, and be slow */
#endif

typedef struct { /* [out / PANEL][in / 4][PANEL][4], zeros at its ends; none if it is not rounded */
    const int8_t *panels;
    const float *scales;  /* [out] */
    const int32_t *sums;  /* [out], of a row's bytes */
} Rounded;

#if defined(__AVX512VNNI__) || (defined(__AVXVNNI__) && !defined(__AVX512F__))
enum { MOST = 127, LEVELS = 127, SHIFT = 128, EIGHTS = ROWS };
#else
enum { MOST = 63, LEVELS = 63, SHIFT = 64 }; /* four products fit into 16 bits: 4 . 63 . 127 < 2^15 */
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

/* Round a row; return what one of its levels is worth. Bytes behind its end meet zeros. */
INLINE float round_row(const float *x, int64_t n, uint8_t *bytes) {
    union { int32_t bits; float number; } top = {0};
    for (int64_t i = 0; i < n; i++) { /* without their sign, bits are in the order of the numbers */
        const int32_t size = ((const bits32 *)x)[i] & 0x7fffffff;
        top.bits = size > top.bits ? size : top.bits;
    }
    const float most = top.number, by = most > 0.0f ? LEVELS / most : 0.0f;
    for (int64_t i = 0; i < n; i++) bytes[i] = (uint8_t)(int32_t)(x[i] * by + (SHIFT + 0.5f));
    return most / LEVELS;
}

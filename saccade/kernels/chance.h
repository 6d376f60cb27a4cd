/* Chance computed from the place of a number: the same forward and back. */

#pragma once

#include "lanes.h"

typedef uint32_t bits __attribute__((vector_size(4 * LANES), aligned(4)));

typedef struct {
    uint64_t seed;
    uint32_t limit; /* p 2^32 */
    float scale;    /* 1 / (1 - p) */
} Chance;

/* Which numbers stay of those from `place` on: all bits, or none.

   The hash is the end of MurmurHash3, by which every bit of the place reaches every bit of it. */
INLINE ints stays(const Chance *chance, int64_t place) {
    bits h;
    for (int j = 0; j < LANES; j++) h[j] = (uint32_t)j;
    h = (h + (uint32_t)place) * 0x9E3779B1u + (uint32_t)chance->seed;
    h = (h ^ (h >> 16)) * 0x85EBCA6Bu;
    h = ((h ^ (uint32_t)(chance->seed >> 32)) ^ (h >> 13)) * 0xC2B2AE35u;
    h ^= h >> 16;
    return (ints)(h >= chance->limit);
}

/* The bits of those that do not stay. */
INLINE uint32_t lost_of(const Chance *chance, int64_t place) {
    const ints keep = stays(chance, place);
#if defined(__AVX512F__)
    return (uint16_t)~_mm512_test_epi32_mask((__m512i)keep, (__m512i)keep);
#elif defined(__AVX__)
    return ~(uint32_t)_mm256_movemask_ps((__m256)keep) & 0xFF;
#else
    uint32_t lost = 0;
    for (int j = 0; j < LANES; j++) lost |= (uint32_t)!keep[j] << j;
    return lost;
#endif
}

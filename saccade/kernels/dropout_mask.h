/* Chance computed from the place of a number: the same forward and back. */

#pragma once

#include "simd.h"

typedef uint32_t bits __attribute__((vector_size(4 * LANES), aligned(4)));

typedef struct {
    uint64_t seed;
    uint32_t limit; /* p 2^32 */
    float scale;    /* 1 / (1 - p) */
} DropoutDraw;

/* Which numbers stay of those from `place` on: all bits, or none.

   The hash is the end of MurmurHash3, by which every bit of the place reaches every bit of it. */
INLINE ints stays(const DropoutDraw *draw, int64_t place) {
    bits h;
    for (int j = 0; j < LANES; j++) h[j] = (uint32_t)j;
    h = (h + (uint32_t)place) * 0x9E3779B1u + (uint32_t)draw->seed;
    h = (h ^ (h >> 16)) * 0x85EBCA6Bu;
    h = ((h ^ (uint32_t)(draw->seed >> 32)) ^ (h >> 13)) * 0xC2B2AE35u;
    h ^= h >> 16;
    return (ints)(h >= draw->limit);
}

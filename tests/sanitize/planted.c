/* Mistakes on purpose, to see that the sanitizers see them. */

#include <stdint.h>
#include <stdlib.h>

#include "simd.h"

int64_t clean(int64_t n) {
    int64_t *sums = calloc(2, sizeof(int64_t)), total;
    PARALLEL(2)
    {
        for (int64_t i = 0; i < n; i++) sums[ME] += i;
        BARRIER
        if (ME == 0) sums[0] += sums[1];
    }
    total = sums[0];
    free(sums);
    return total;
}

int64_t overrun(int64_t n) {
    int64_t *one = malloc((size_t)n * sizeof(int64_t));
    one[0] = n;
    const int64_t found = one[n];
    free(one);
    return found;
}

int64_t undefined(int64_t n) { return INT64_MAX - 7 + n; } /* n = 8 */

int64_t race(int64_t n) {
    volatile int64_t shared = 0;
    PARALLEL(2)
    for (int64_t i = 0; i < 1000 * n; i++) shared = shared + 1;
    return shared;
}

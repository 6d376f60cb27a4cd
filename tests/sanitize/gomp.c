/* The few calls that GCC makes of its threads, on POSIX threads, for ThreadSanitizer.

   The compiler's own library waits by futexes, which the sanitizer does not see, so that it would
   take every barrier for none. Threads begin and end with each parallel region. */

#include <pthread.h>
#include <stdlib.h>

typedef struct {
    void (*work)(void *);
    void *data;
    pthread_barrier_t *barrier;
    int me, threads;
} Share;

static _Thread_local Share mine = {0, 0, 0, 0, 1};

static void *begin(void *share) {
    mine = *(Share *)share;
    mine.work(mine.data);
    return 0;
}

void GOMP_parallel(void (*work)(void *), void *data, unsigned threads, unsigned flags) {
    (void)flags;
    const int n = threads ? (int)threads : 2;
    const Share before = mine;
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, 0, (unsigned)n);
    Share *shares = malloc(sizeof(Share) * (size_t)n);
    pthread_t *others = malloc(sizeof(pthread_t) * (size_t)n);
    for (int i = 0; i < n; i++) shares[i] = (Share){work, data, &barrier, i, n};
    for (int i = 1; i < n; i++)
        if (pthread_create(&others[i], 0, begin, &shares[i])) abort();
    begin(&shares[0]);
    for (int i = 1; i < n; i++) pthread_join(others[i], 0);
    mine = before;
    free(others);
    free(shares);
    pthread_barrier_destroy(&barrier);
}

void GOMP_barrier(void) {
    if (mine.barrier) pthread_barrier_wait(mine.barrier);
}

int omp_get_thread_num(void) { return mine.me; }
int omp_get_num_threads(void) { return mine.threads; }

/* What OpenMP threads cost on this machine, as programs of clang have them: for each number of threads one line
   `threads start reduction ordered task`, in nanoseconds. Each figure is the median of many repetitions of the same construct with next to
   nothing in it, less the same without the construct (the method of EPCC's microbenchmarks: Bull, Reid, McDonnell, 2012).
   Then, for one thread and for all, `memory threads bytes`: bytes in a nanosecond between memory and a cache of the size that is given, the
   fastest of several sweeps over arrays four times as large together (STREAM's triad: McCalpin, 1995; what is written counts twice). */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SAMPLES = 41, STARTS = 40, ITERATIONS = 400, SWEEPS = 9 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *figures) {
    qsort(figures, SAMPLES, sizeof *figures, ascending);
    return figures[SAMPLES / 2];
}

static void nothing(void) { __asm__ volatile("" ::: "memory"); }

static double starts(int threads) {
    double figures[SAMPLES];
    for (int sample = 0; sample < SAMPLES; sample++) {
        double begin = now();
        for (int k = 0; k < STARTS; k++) {
#pragma omp parallel for num_threads(threads)
            for (int i = 0; i < threads; i++)
                nothing();
        }
        figures[sample] = (now() - begin) / STARTS;
    }
    return median(figures);
}

static double reductions(int threads) {
    double figures[SAMPLES], sum = 0;
    for (int sample = 0; sample < SAMPLES; sample++) {
        double begin = now();
        for (int k = 0; k < STARTS; k++) {
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
            for (int i = 0; i < threads; i++) {
                nothing();
                sum += i;
            }
        }
        figures[sample] = (now() - begin) / STARTS;
    }
    return sum < 0 ? 0 : median(figures);
}

static double ordered(int threads) {
    double figures[SAMPLES];
    for (int sample = 0; sample < SAMPLES; sample++) {
        double begin = now();
#pragma omp parallel for num_threads(threads) ordered schedule(static, 1)
        for (int i = 0; i < ITERATIONS; i++) {
#pragma omp ordered
            nothing();
        }
        figures[sample] = (now() - begin) / ITERATIONS;
    }
    return median(figures);
}

static double tasks(int threads) {
    double figures[SAMPLES];
    for (int sample = 0; sample < SAMPLES; sample++) {
        double begin = now();
#pragma omp parallel num_threads(threads)
#pragma omp single
        for (int i = 0; i < ITERATIONS; i++) {
#pragma omp task
            nothing();
        }
        figures[sample] = (now() - begin) / ITERATIONS;
    }
    return median(figures);
}

/* Threads that first touch a page have it near them. */
static void moved(int threads, size_t numbers) {
    double *a = malloc(numbers * sizeof *a), *b = malloc(numbers * sizeof *b), *c = malloc(numbers * sizeof *c), least = 1e30;
    if (a && b && c) {
#pragma omp parallel for num_threads(threads) schedule(static)
        for (size_t i = 0; i < numbers; i++)
            a[i] = b[i] = c[i] = (double)i;
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            double begin = now();
#pragma omp parallel for num_threads(threads) schedule(static)
            for (size_t i = 0; i < numbers; i++)
                a[i] = b[i] + 3 * c[i];
            nothing();
            double took = now() - begin;
            least = took < least ? took : least;
        }
        printf("memory %d %.3f\n", threads, 4.0 * sizeof *a * (double)numbers / least);
    }
    free(a);
    free(b);
    free(c);
}

int main(int count, char **words) {
    int most = count > 1 ? atoi(words[1]) : omp_get_num_procs();
    omp_set_dynamic(0);
    for (int threads = 2; threads <= most; threads = threads < most && 2 * threads > most ? most : 2 * threads) {
        starts(threads);
        double start = starts(threads);
        double reduction = reductions(threads) - start;
        printf("%d %.1f %.1f %.1f %.1f\n", threads, start, reduction / threads, ordered(threads) - start / ITERATIONS,
               tasks(threads) - start / ITERATIONS);
    }
    /* Not more than 1.5 GB in all. */
    size_t cache = count > 2 ? strtoull(words[2], NULL, 10) : 0;
    size_t bytes = cache < (64 << 20) ? 256 << 20 : cache < (384 << 20) ? 4 * cache : (size_t)1536 << 20;
    moved(1, bytes / 24);
    moved(most, bytes / 24);
    return 0;
}

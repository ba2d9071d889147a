/* What OpenMP threads cost on this machine, as programs of clang have them: for each number of threads one line
   `threads start reduction ordered task`, in nanoseconds. Each figure is the median of many repetitions of the same construct with next to
   nothing in it, less the same without the construct (the method of EPCC's microbenchmarks: Bull, Reid, McDonnell, 2012). */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SAMPLES = 41, STARTS = 40, ITERATIONS = 400 };

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
    return 0;
}

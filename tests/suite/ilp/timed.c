/* Times of acc_sum and fast_acc_sum (PerPI, section 4): the least of many runs in turn, in nanoseconds, for N numbers. With -DVECTORS=2 or 4
   the inner loop of acc_sum takes as many numbers at a time. */

#include <time.h>

#define main check
#include "sums.c"
#undef main

#define ROUNDS 20000

static double nanoseconds(double (*routine)(double *, long), int n) {
    struct timespec begin, end;
    memcpy(scratch, numbers, sizeof *numbers * (size_t)n);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    double result = routine(scratch, n);
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (!faithful(result)) {
        fprintf(stderr, "wrong result\n");
        exit(1);
    }
    return 1e9 * (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec);
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 1000, MOST);
    fill(n);
    double acc = INFINITY, fast = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        acc = fmin(acc, nanoseconds(acc_sum, n));
        fast = fmin(fast, nanoseconds(fast_acc_sum, n));
    }
    printf("%.0f %.0f\n", acc, fast);
    return 0;
}

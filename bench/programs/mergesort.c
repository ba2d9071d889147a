// Bottom-up merge sort of doubles.  Argument: elements.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void merge(const double *from, double *to, long low, long middle, long high) {
    long i = low, j = middle;
    for (long k = low; k < high; k++)
        to[k] = i < middle && (j >= high || from[i] <= from[j]) ? from[i++] : from[j++];
}

int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 1000000;
    double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    if (!a || !b)
        return 1;
    uint64_t state = 88172645463325252u;
    for (long i = 0; i < n; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        a[i] = (double)(state >> 11);
    }
    double *from = a, *to = b;
    for (long width = 1; width < n; width *= 2) {
        for (long low = 0; low < n; low += 2 * width) {
            long middle = low + width < n ? low + width : n;
            long high = low + 2 * width < n ? low + 2 * width : n;
            merge(from, to, low, middle, high);
        }
        double *swap = from;
        from = to;
        to = swap;
    }
    double sum = 0;
    for (long i = 0; i < n; i++) {
        if (i && from[i - 1] > from[i])
            return 2;
        sum += from[i] * (double)(i % 7);
    }
    printf("mergesort %ld %.9e\n", n, sum);
    free(a);
    free(b);
    return 0;
}

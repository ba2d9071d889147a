// Five-point Jacobi iteration on a square grid, two arrays in turn.  Arguments: side, steps.
#include <stdio.h>
#include <stdlib.h>

static void step(int n, const double *restrict from, double *restrict to) {
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++) {
            const double *at = from + (size_t)i * n + j;
            to[(size_t)i * n + j] = 0.2 * (at[0] + at[-1] + at[1] + at[-n] + at[n]);
        }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1000, steps = argc > 2 ? atoi(argv[2]) : 60;
    double *a = malloc((size_t)n * n * sizeof *a), *b = malloc((size_t)n * n * sizeof *b);
    if (!a || !b)
        return 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[(size_t)i * n + j] = b[(size_t)i * n + j] = (double)(i * (j + 2) % 103) / n;
    for (int t = 0; t < steps; t++) {
        step(n, a, b);
        step(n, b, a);
    }
    double sum = 0;
    for (int i = 0; i < n * n; i++)
        sum += a[i];
    printf("jacobi2d %d %d %.6e\n", n, steps, sum);
    free(a);
    free(b);
    return 0;
}

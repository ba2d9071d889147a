// Seven-point heat equation on a cube.  Arguments: side, steps.
#include <stdio.h>
#include <stdlib.h>

static void step(int n, const double *restrict from, double *restrict to) {
    size_t row = n, plane = (size_t)n * n;
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            for (int k = 1; k < n - 1; k++) {
                const double *at = from + i * plane + j * row + k;
                to[i * plane + j * row + k] = at[0] + 0.125 * (at[plane] - 2.0 * at[0] + at[-(long)plane]) +
                                              0.125 * (at[row] - 2.0 * at[0] + at[-(long)row]) +
                                              0.125 * (at[1] - 2.0 * at[0] + at[-1]);
            }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 110, steps = argc > 2 ? atoi(argv[2]) : 30;
    size_t cells = (size_t)n * n * n;
    double *a = malloc(cells * sizeof *a), *b = malloc(cells * sizeof *b);
    if (!a || !b)
        return 1;
    for (size_t i = 0; i < cells; i++)
        a[i] = b[i] = (double)(i % 89) * 10.0 / n;
    for (int t = 0; t < steps; t++) {
        step(n, a, b);
        step(n, b, a);
    }
    double sum = 0;
    for (size_t i = 0; i < cells; i++)
        sum += a[i];
    printf("heat3d %d %d %.6e\n", n, steps, sum);
    free(a);
    free(b);
    return 0;
}

// LU decomposition in place without pivoting of a diagonally dominant matrix.  Argument: order of the matrix.
#include <stdio.h>
#include <stdlib.h>

static void decompose(int n, double *a) {
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double factor = a[(size_t)i * n + k] / a[(size_t)k * n + k];
            a[(size_t)i * n + k] = factor;
            for (int j = k + 1; j < n; j++)
                a[(size_t)i * n + j] -= factor * a[(size_t)k * n + j];
        }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 640;
    double *a = malloc((size_t)n * n * sizeof *a);
    if (!a)
        return 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[(size_t)i * n + j] = i == j ? n : (double)((i * 31 + j * 17) % 97) / 97.0;
    decompose(n, a);
    double trace = 0;
    for (int i = 0; i < n; i++)
        trace += a[(size_t)i * n + i];
    printf("lu %d %.6e\n", n, trace);
    free(a);
    return 0;
}

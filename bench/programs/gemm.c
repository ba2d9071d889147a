// Dense matrix product C += A * B in the order i, k, j.  Argument: order of the matrices.
#include <stdio.h>
#include <stdlib.h>

static void fill(int n, double *m, int seed) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            m[(size_t)i * n + j] = (double)((i * 7 + j * 13 + seed) % 101) / 101.0;
}

static void gemm(int n, const double *restrict a, const double *restrict b, double *restrict c) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double aik = a[(size_t)i * n + k];
            for (int j = 0; j < n; j++)
                c[(size_t)i * n + j] += aik * b[(size_t)k * n + j];
        }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 512;
    size_t cells = (size_t)n * n;
    double *a = malloc(cells * sizeof *a), *b = malloc(cells * sizeof *b), *c = calloc(cells, sizeof *c);
    if (!a || !b || !c)
        return 1;
    fill(n, a, 1);
    fill(n, b, 2);
    gemm(n, a, b, c);
    double sum = 0;
    for (size_t i = 0; i < cells; i++)
        sum += c[i];
    printf("gemm %d %.6e\n", n, sum);
    free(a);
    free(b);
    free(c);
    return 0;
}

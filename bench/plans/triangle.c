// Triangular loops: a triangular system's product, and distances of all pairs.  Arguments: size, rounds.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double *matrix, *x, *y;
static int n;

static void multiply(void) {
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j <= i; j++)
            sum += matrix[(long)i * n + j] * x[j];
        y[i] = sum;
    }
}

static double distances(void) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            sum += sqrt(fabs(x[i] - x[j]));
    return sum;
}

int main(int argc, char **argv) {
    n = argc > 1 ? atoi(argv[1]) : 1500;
    int rounds = argc > 2 ? atoi(argv[2]) : 10;
    if (n < 2 || n > 20000)
        return 1;
    matrix = malloc((long)n * n * sizeof *matrix);
    x = malloc(n * sizeof *x);
    y = malloc(n * sizeof *y);
    if (!matrix || !x || !y)
        return 1;
    for (long k = 0; k < (long)n * n; k++)
        matrix[k] = (double)(k % 19) / n;
    for (int i = 0; i < n; i++)
        x[i] = (double)(i * 7L % 101) / 101;
    double sum = 0;
    for (int round = 0; round < rounds; round++) {
        multiply();
        sum += distances();
        for (int i = 0; i < n; i++)
            x[i] = y[i] - floor(y[i]);
    }
    printf("triangle %.6e %.6e\n", sum, x[n / 2]);
    return 0;
}

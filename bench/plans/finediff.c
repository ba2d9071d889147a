// The wave equation in one dimension by differences (after p-ray's Finediff).  Arguments: points, steps, rounds.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 50000, STEPS = 64 };

static double u[STEPS][MOST];

static double shape(double place) { return sin(3.14159265358979 * place) + sin(2 * 3.14159265358979 * place); }

static void start(int n, double r) {
    for (int i = 1; i < n - 1; i++) {
        u[0][i] = shape((double)i / (n - 1));
        u[1][i] = (1 - r * r) * shape((double)i / (n - 1)) +
                  r * r / 2 * (shape((double)(i + 1) / (n - 1)) + shape((double)(i - 1) / (n - 1)));
    }
}

static void march(int n, int steps, double r) {
    for (int j = 2; j < steps; j++)
        for (int i = 1; i < n - 1; i++)
            u[j][i] = (2 - 2 * r * r) * u[j - 1][i] + r * r * (u[j - 1][i - 1] + u[j - 1][i + 1]) - u[j - 2][i];
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 20000, steps = argc > 2 ? atoi(argv[2]) : 20, rounds = argc > 3 ? atoi(argv[3]) : 5;
    if (n < 4 || n > MOST || steps < 3 || steps > STEPS)
        return 1;
    double sum = 0;
    for (int round = 0; round < rounds; round++) {
        double r = 0.8 - round * 0.0005;
        start(n, r);
        march(n, steps, r);
        sum += u[steps - 1][n / 3];
    }
    printf("finediff %.6e\n", sum);
    return 0;
}

// Capacity of a square coaxial line by Gauss-Seidel relaxation (after p-ray's Capacitor).  Arguments: points, sweeps.
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1024 };

static double potential[MOST + 1][MOST + 1], mask[MOST + 1][MOST + 1];

static void prepare(int n) {
    int inner = n / 3;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            int inside = i <= inner && j <= inner;
            mask[i][j] = inside ? 0 : 1.4 / 4;
            potential[i][j] = inside ? 1 : 0;
        }
}

static double flux(int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (potential[i][n - 1] + potential[i][n - 2]) * 0.5;
    for (int j = 0; j < n; j++)
        sum += (potential[n - 1][j] + potential[n - 2][j]) * 0.5;
    return sum * 4 * 8.854187;
}

static void seidel(int n) {
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++)
            potential[i][j] += mask[i][j] * (potential[i - 1][j] + potential[i + 1][j] + potential[i][j - 1] +
                                             potential[i][j + 1] - 4 * potential[i][j]);
    // The axes are mirrors.
    for (int i = 1; i < n; i++)
        potential[i][0] += mask[i][0] * (potential[i - 1][0] + potential[i + 1][0] + 2 * potential[i][1] - 4 * potential[i][0]);
    for (int j = 1; j < n; j++)
        potential[0][j] += mask[0][j] * (potential[0][j - 1] + potential[0][j + 1] + 2 * potential[1][j] - 4 * potential[0][j]);
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 300, sweeps = argc > 2 ? atoi(argv[2]) : 50;
    if (n < 4 || n > MOST)
        return 1;
    prepare(n);
    double capacity = 0;
    for (int sweep = 0; sweep < sweeps; sweep++) {
        seidel(n);
        capacity += flux(n);
    }
    printf("capacitor %.6e\n", capacity);
    return 0;
}

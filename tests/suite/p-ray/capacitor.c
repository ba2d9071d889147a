// Capacitor: capacity of a square coaxial line, by relaxation (Gauss-Seidel) of the potential on a quarter of its cross
// section, and the flux through the inner conductor (Gauss), until the capacity changes little.
#include <math.h>
#include <stdio.h>

enum { N = 22, INNER = 8, SWEEPS = 12 };

static double potential[N + 1][N + 1], mask[N + 1][N + 1];

static void prepare(void) {
    for (int i = 0; i <= N; i++)
        for (int j = 0; j <= N; j++) {
            int inside = i <= INNER && j <= INNER;
            mask[i][j] = inside ? 0 : 1.4 / 4;
            potential[i][j] = inside ? 1 : 0;
        }
}

static double flux(void) {
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += (potential[i][N - 1] + potential[i][N - 2]) * 0.5;
    for (int j = 0; j < N; j++)
        sum += (potential[N - 1][j] + potential[N - 2][j]) * 0.5;
    return sum * 4 * 8.854187;
}

static void seidel(void) {
    for (int i = 1; i < N; i++)
        for (int j = 1; j < N; j++)
            potential[i][j] += mask[i][j] * (potential[i - 1][j] + potential[i + 1][j] + potential[i][j - 1] +
                                             potential[i][j + 1] - 4 * potential[i][j]);
    // The axes are mirrors.
    for (int i = 1; i < N; i++)
        potential[i][0] += mask[i][0] * (potential[i - 1][0] + potential[i + 1][0] + 2 * potential[i][1] - 4 * potential[i][0]);
    for (int j = 1; j < N; j++)
        potential[0][j] += mask[0][j] * (potential[0][j - 1] + potential[0][j + 1] + 2 * potential[1][j] - 4 * potential[0][j]);
}

int main(void) {
    prepare();
    double old = 0, capacity = 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        seidel();
        capacity = flux();
        if (fabs(capacity - old) < 1e-3 * capacity)
            break;
        old = capacity;
    }
    printf("capacitor %.6e\n", capacity);
    return 0;
}

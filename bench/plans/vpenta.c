// 1024 pentadiagonal systems, side by side (after NAS and p-ray's Vpenta).  Arguments: unknowns, rounds.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 256, SYSTEMS = 1024 };

typedef double grid[MOST][SYSTEMS];

// Row j of each system: a x[j-2] + b x[j-1] + c x[j] + d x[j+1] + e x[j+2] = f.
static grid a, b, c, d, e, f[3], x, y;

static double fraction(int j, int k, double by) {
    double value = (j * k + 1) * by;
    return value - (int)value;
}

static void construct(int n) {
    for (int j = 0; j < n; j++)
        for (int k = 0; k < SYSTEMS; k++) {
            a[j][k] = fraction(j, k, 0.31);
            b[j][k] = fraction(j, k, 0.37);
            c[j][k] = fraction(j, k, 0.41) + 4;
            d[j][k] = fraction(j, k, 0.43);
            e[j][k] = fraction(j, k, 0.47);
            f[0][j][k] = fraction(j, k, 0.53);
            f[1][j][k] = fraction(j, k, 0.59);
            f[2][j][k] = fraction(j, k, 0.61);
        }
}

static void eliminate(int n) {
    for (int k = 0; k < SYSTEMS; k++) {
        double by = 1 / c[0][k];
        x[0][k] = d[0][k] * by;
        y[0][k] = e[0][k] * by;
        f[0][0][k] *= by;
        f[1][0][k] *= by;
        f[2][0][k] *= by;
    }
    for (int k = 0; k < SYSTEMS; k++) {
        double by = 1 / (c[1][k] - b[1][k] * x[0][k]);
        x[1][k] = (d[1][k] - b[1][k] * y[0][k]) * by;
        y[1][k] = e[1][k] * by;
        f[0][1][k] = (f[0][1][k] - b[1][k] * f[0][0][k]) * by;
        f[1][1][k] = (f[1][1][k] - b[1][k] * f[1][0][k]) * by;
        f[2][1][k] = (f[2][1][k] - b[1][k] * f[2][0][k]) * by;
    }
    for (int j = 2; j < n; j++)
        for (int k = 0; k < SYSTEMS; k++) {
            double low = b[j][k] - a[j][k] * x[j - 2][k];
            double by = 1 / (c[j][k] - a[j][k] * y[j - 2][k] - low * x[j - 1][k]);
            x[j][k] = (d[j][k] - low * y[j - 1][k]) * by;
            y[j][k] = e[j][k] * by;
            f[0][j][k] = (f[0][j][k] - a[j][k] * f[0][j - 2][k] - low * f[0][j - 1][k]) * by;
            f[1][j][k] = (f[1][j][k] - a[j][k] * f[1][j - 2][k] - low * f[1][j - 1][k]) * by;
            f[2][j][k] = (f[2][j][k] - a[j][k] * f[2][j - 2][k] - low * f[2][j - 1][k]) * by;
        }
}

static void substitute(int n) {
    for (int k = 0; k < SYSTEMS; k++)
        for (int right = 0; right < 3; right++)
            f[right][n - 2][k] -= x[n - 2][k] * f[right][n - 1][k];
    for (int j = n - 3; j >= 0; j--)
        for (int k = 0; k < SYSTEMS; k++) {
            f[0][j][k] -= x[j][k] * f[0][j + 1][k] + y[j][k] * f[0][j + 2][k];
            f[1][j][k] -= x[j][k] * f[1][j + 1][k] + y[j][k] * f[1][j + 2][k];
            f[2][j][k] -= x[j][k] * f[2][j + 1][k] + y[j][k] * f[2][j + 2][k];
        }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 64, rounds = argc > 2 ? atoi(argv[2]) : 10;
    if (n < 4 || n > MOST)
        return 1;
    double sum = 0;
    for (int round = 0; round < rounds; round++) {
        construct(n);
        eliminate(n);
        substitute(n);
        sum += f[0][0][7] + f[1][1][70] + f[2][3][700];
    }
    printf("vpenta %.6e\n", sum);
    return 0;
}

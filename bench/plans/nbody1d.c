// Bodies whose coordinates are kept apart, all pairs (after p-ray's Nbody1d).  Arguments: bodies, steps.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 4000 };

static double x[MOST], y[MOST], z[MOST], vx[MOST], vy[MOST], vz[MOST], mass[MOST];
static double fx[MOST], fy[MOST], fz[MOST];

static void place(int n) {
    for (int i = 0; i < n; i++) {
        x[i] = (i * 37 % n) * 0.1;
        y[i] = (i * 53 % n) * 0.2;
        z[i] = (i * 71 % n) * 0.3;
        mass[i] = 1 + (i % 3);
    }
}

static void forces(int n) {
    for (int i = 0; i < n; i++) {
        double dx[MOST], dy[MOST], dz[MOST], by[MOST];
        for (int j = 0; j < n; j++) {
            dx[j] = x[j] - x[i];
            dy[j] = y[j] - y[i];
            dz[j] = z[j] - z[i];
        }
        for (int j = 0; j < n; j++) {
            double square = dx[j] * dx[j] + dy[j] * dy[j] + dz[j] * dz[j] + 1e-6;
            by[j] = mass[i] * mass[j] / (square * sqrt(square));
        }
        double sx = 0, sy = 0, sz = 0;
        for (int j = 0; j < n; j++) {
            sx += by[j] * dx[j];
            sy += by[j] * dy[j];
            sz += by[j] * dz[j];
        }
        fx[i] = sx;
        fy[i] = sy;
        fz[i] = sz;
    }
}

static void move(int n, double step) {
    for (int i = 0; i < n; i++) {
        vx[i] += step * fx[i] / mass[i];
        vy[i] += step * fy[i] / mass[i];
        vz[i] += step * fz[i] / mass[i];
        x[i] += step * vx[i];
        y[i] += step * vy[i];
        z[i] += step * vz[i];
    }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1000, steps = argc > 2 ? atoi(argv[2]) : 10;
    if (n < 1 || n > MOST)
        return 1;
    place(n);
    for (int step = 0; step < steps; step++) {
        forces(n);
        move(n, 0.01);
    }
    printf("nbody1d %.6e\n", x[0] + y[n / 2] + z[n - 1]);
    return 0;
}

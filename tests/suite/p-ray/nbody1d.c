// Nbody1d: bodies on a line of vectors (three coordinates each kept apart), all pairs, a few time steps.
#include <math.h>
#include <stdio.h>

enum { BODIES = 48, STEPS = 6 };

static double x[BODIES], y[BODIES], z[BODIES], vx[BODIES], vy[BODIES], vz[BODIES], mass[BODIES];
static double fx[BODIES], fy[BODIES], fz[BODIES];

static void place(void) {
    for (int i = 0; i < BODIES; i++) {
        x[i] = (i * 37 % BODIES) * 0.1;
        y[i] = (i * 53 % BODIES) * 0.2;
        z[i] = (i * 71 % BODIES) * 0.3;
        mass[i] = 1 + (i % 3);
    }
}

static void forces(void) {
    for (int i = 0; i < BODIES; i++) {
        double dx[BODIES], dy[BODIES], dz[BODIES], by[BODIES];
        for (int j = 0; j < BODIES; j++) {
            dx[j] = x[j] - x[i];
            dy[j] = y[j] - y[i];
            dz[j] = z[j] - z[i];
        }
        for (int j = 0; j < BODIES; j++) {
            double square = dx[j] * dx[j] + dy[j] * dy[j] + dz[j] * dz[j] + 1e-6;
            by[j] = mass[i] * mass[j] / (square * sqrt(square));
        }
        double sx = 0, sy = 0, sz = 0;
        for (int j = 0; j < BODIES; j++) {
            sx += by[j] * dx[j];
            sy += by[j] * dy[j];
            sz += by[j] * dz[j];
        }
        fx[i] = sx;
        fy[i] = sy;
        fz[i] = sz;
    }
}

static void move(double step) {
    for (int i = 0; i < BODIES; i++) {
        vx[i] += step * fx[i] / mass[i];
        vy[i] += step * fy[i] / mass[i];
        vz[i] += step * fz[i] / mass[i];
        x[i] += step * vx[i];
        y[i] += step * vy[i];
        z[i] += step * vz[i];
    }
}

int main(void) {
    place();
    for (int step = 0; step < STEPS; step++) {
        forces();
        move(0.01);
    }
    printf("nbody1d %.6e\n", x[0] + y[1] + z[2]);
    return 0;
}

// Molecules in a periodic box, Lennard-Jones forces, velocity Verlet.  Arguments: molecules a side, steps.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    double x[3], v[3], f[3];
} molecule;

static double shift(double d, double box) {
    if (d > 0.5 * box)
        return d - box;
    return d < -0.5 * box ? d + box : d;
}

static double forces(int n, molecule *m, double box) {
    const double far = 2.5 * 2.5;
    double energy = 0;
    for (int i = 0; i < n; i++) {
        double f[3] = {0, 0, 0}, own = 0;
        for (int j = 0; j < n; j++) {
            double dx = shift(m[i].x[0] - m[j].x[0], box), dy = shift(m[i].x[1] - m[j].x[1], box);
            double dz = shift(m[i].x[2] - m[j].x[2], box);
            double square = dx * dx + dy * dy + dz * dz;
            if (square < far && j != i) {
                double r2 = 1 / square, r6 = r2 * r2 * r2, pull = 48 * r6 * (r6 - 0.5) * r2;
                f[0] += dx * pull;
                f[1] += dy * pull;
                f[2] += dz * pull;
                own += 2 * r6 * (r6 - 1);
            }
        }
        for (int d = 0; d < 3; d++)
            m[i].f[d] = f[d];
        energy += own;
    }
    return energy;
}

int main(int argc, char **argv) {
    int side = argc > 1 ? atoi(argv[1]) : 12, steps = argc > 2 ? atoi(argv[2]) : 10;
    int n = side * side * side;
    const double box = side * 1.2, dt = 1e-3;
    molecule *m = calloc(n, sizeof *m);
    if (!m)
        return 1;
    for (int i = 0; i < n; i++) {
        int at[3] = {i % side, i / side % side, i / side / side};
        for (int d = 0; d < 3; d++) {
            m[i].x[d] = at[d] * 1.2;
            m[i].v[d] = ((i * 7 + d * 3) % 13 - 6) * 0.05;
        }
    }
    double energy = forces(n, m, box);
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < n; i++)
            for (int d = 0; d < 3; d++) {
                m[i].v[d] += 0.5 * dt * m[i].f[d];
                m[i].x[d] = fmod(m[i].x[d] + dt * m[i].v[d] + box, box);
            }
        energy = forces(n, m, box);
        for (int i = 0; i < n; i++)
            for (int d = 0; d < 3; d++)
                m[i].v[d] += 0.5 * dt * m[i].f[d];
    }
    double moving = 0;
    for (int i = 0; i < n; i++)
        for (int d = 0; d < 3; d++)
            moving += 0.5 * m[i].v[d] * m[i].v[d];
    printf("moldyn %d %d %.6e %.6e\n", side, steps, energy, moving);
    free(m);
    return 0;
}

// Gravity among all pairs of bodies.  Arguments: bodies, steps.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    double x, y, z, vx, vy, vz, mass;
} body;

static void accelerate(int n, body *bodies, double dt) {
    for (int i = 0; i < n; i++) {
        double ax = 0, ay = 0, az = 0;
        for (int j = 0; j < n; j++) {
            double dx = bodies[j].x - bodies[i].x, dy = bodies[j].y - bodies[i].y, dz = bodies[j].z - bodies[i].z;
            double square = dx * dx + dy * dy + dz * dz + 1e-3;
            double pull = bodies[j].mass / (square * sqrt(square));
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        bodies[i].vx += dt * ax;
        bodies[i].vy += dt * ay;
        bodies[i].vz += dt * az;
    }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1500, steps = argc > 2 ? atoi(argv[2]) : 10;
    body *bodies = malloc(n * sizeof *bodies);
    if (!bodies)
        return 1;
    for (int i = 0; i < n; i++)
        bodies[i] = (body){i % 11 * 0.3, i % 13 * 0.7, i % 17 * 0.2, 0, 0, 0, 1.0 + i % 3};
    for (int t = 0; t < steps; t++) {
        accelerate(n, bodies, 1e-4);
        for (int i = 0; i < n; i++) {
            bodies[i].x += 1e-4 * bodies[i].vx;
            bodies[i].y += 1e-4 * bodies[i].vy;
            bodies[i].z += 1e-4 * bodies[i].vz;
        }
    }
    double energy = 0;
    for (int i = 0; i < n; i++)
        energy += bodies[i].mass *
                  (bodies[i].vx * bodies[i].vx + bodies[i].vy * bodies[i].vy + bodies[i].vz * bodies[i].vz);
    printf("nbody %d %d %.6e\n", n, steps, energy);
    free(bodies);
    return 0;
}

/* Small structures that functions get and return, in loops whose versions change: the sum is handed over as a copy.
   The address of one variable is kept here, that of another in the library, and so it is these variables themselves
   that all versions have. */
#include <stdio.h>
#include <stdlib.h>

typedef struct { double x, y, z; } Vector;

static Vector add(Vector a, Vector b) {
    Vector sum = {a.x + b.x, a.y + b.y, a.z + b.z};
    return sum;
}

static Vector scaled(Vector a, double by) {
    Vector product = {a.x * by, a.y * by, a.z * by};
    return product;
}

__attribute__((noinline)) static Vector summed(const Vector *all, int n, int rounds) {
    Vector sum = {0, 0, 0};
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < n; i++)
            sum = add(sum, scaled(all[i], 1.0 / (1 + round)));
        sum.x *= 0.5;
    }
    return sum;
}

static Vector *kept;

__attribute__((noinline)) static void keep(Vector *v) { kept = v; }

__attribute__((noinline)) static double through(const Vector *all, int n, int rounds) {
    Vector own = {1, 2, 3};
    keep(&own);
    double sum = 0;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < n; i++) {
            own.y += all[i].x;
            sum += kept->y;
        }
        kept->x += sum * 1e-9;
        sum += own.x;
    }
    return sum;
}

/* A function of another file keeps the address. */
__attribute__((noinline)) static long elsewhere(int n) {
    char own[] = "KEPT=a";
    putenv(own);
    long sum = 0;
    for (int i = 0; i < n; i++) {
        own[5] = 'a' + i % 26;
        for (int k = 0; k < 3; k++)
            sum = sum * 3 + getenv("KEPT")[0] * k;
    }
    putenv("KEPT=");
    return sum;
}

int main(void) {
    enum { N = 60 };
    static Vector all[N];
    for (int i = 0; i < N; i++)
        all[i] = (Vector){i % 7, i % 5 * 0.25, i};
    Vector sum = summed(all, N, 500);
    printf("%.12g %.12g %.12g %.12g %ld\n", sum.x, sum.y, sum.z, through(all, N, 300), elsewhere(900));
    return 0;
}

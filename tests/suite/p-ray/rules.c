// What the p-ray paper's rules say of it stands beside each function; tests/suite/tests/p_ray.rs holds them to it.
#include <stdio.h>
#define N 40000

static int a[10 * N], b[N], c[N], d[N], e[N], f[N];

// DLP: no children, parallelism above P_DLP. The best first step: two lines, and most of the work.
static void fill(void) {
    for (int i = 0; i < 10 * N; i++)
        a[i] = (i * 3 + 1) ^ (i * 5) ^ (i * 7) ^ (i * 11) ^ (i * 13) ^ (i * 17);
}

// One chain through all n elements.
static int walk(int *p, int n, int x) {
    for (int i = 0; i < n; i++) {
        x = x * 3 + p[i];
        p[i] = x;
    }
    return x;
}

// Two chains of different lengths, none waits for the other: perfect-TLP.
static int pair(void) { return walk(b, N, 1) ^ walk(c, N / 2, 2); }

// Two equal chains at the same time, twice the parallelism of each: homogeneous, DLP.
static int twins(void) { return walk(d, N, 1) ^ walk(e, N, 1); }

// The second chain begins where the first ends: no-TLP.
static int line(void) { return walk(f, N / 2, walk(f + N / 2, N / 4, 1)); }

// Rule 1 of the p-chart: `chain` is serial, so everything inside is dropped.
static int link(int x) {
    for (int i = 0; i < 8; i++)
        x = x * 5 + 1;
    return x;
}
static int chain(void) {
    int x = 1;
    for (int i = 0; i < N / 8; i++)
        x = link(x);
    return x;
}

// Rule 2: hardly any work.
static int little(int x) {
    for (int i = 0; i < 5; i++)
        x ^= a[i] * i;
    return x;
}

int main(void) {
    fill();
    int x = pair() + twins() + line() + chain();
    printf("%d %d\n", x, little(x));
    return 0;
}

// Area under a curve by independent pseudo-random points, each from its own number (as in NAS EP).  Argument: points.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

int main(int argc, char **argv) {
    long points = argc > 1 ? atol(argv[1]) : 12000000;
    long inside = 0;
    double sum = 0;
    for (long i = 0; i < points; i++) {
        double x = (double)(mix(2 * (uint64_t)i) >> 11) / 9007199254740992.0;
        double y = (double)(mix(2 * (uint64_t)i + 1) >> 11) / 9007199254740992.0;
        if (y * y < 1 - x * x * x) {
            inside++;
            sum += sqrt(x + y);
        }
    }
    printf("montecarlo %ld %ld %.6e\n", points, inside, sum);
    return 0;
}

// Histograms of bytes and of 16-bit pairs, then an equalisation of the bytes.  Arguments: bytes, rounds.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t bins[256], pairs[65536];

int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 8000000;
    int rounds = argc > 2 ? atoi(argv[2]) : 4;
    uint8_t *data = malloc(n);
    if (!data)
        return 1;
    uint32_t state = 99;
    for (long i = 0; i < n; i++) {
        state = state * 1103515245u + 12345u;
        data[i] = (uint8_t)((state >> 16 & 127) + (state >> 24 & 63));
    }
    uint64_t sum = 0;
    for (int round = 0; round < rounds; round++) {
        memset(bins, 0, sizeof bins);
        memset(pairs, 0, sizeof pairs);
        for (long i = 0; i < n; i++)
            bins[data[i]]++;
        for (long i = 1; i < n; i++)
            pairs[data[i - 1] << 8 | data[i]]++;
        uint8_t map[256];
        uint64_t below = 0;
        for (int b = 0; b < 256; b++) {
            below += bins[b];
            map[b] = (uint8_t)(below * 255 / n);
        }
        for (long i = 0; i < n; i++)
            data[i] = map[data[i]];
        for (int b = 0; b < 65536; b++)
            sum += (uint64_t)pairs[b] * (uint32_t)b;
    }
    printf("histogram %ld %d %016llx\n", n, rounds, (unsigned long long)sum);
    free(data);
    return 0;
}

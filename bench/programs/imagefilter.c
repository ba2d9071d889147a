// Sharpening and edges of an 8-bit image, blur of a float image.  Arguments: width, height, rounds.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint8_t clamp(int v) { return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v); }

static void sharpen(int w, int h, const uint8_t *restrict from, uint8_t *restrict to) {
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            const uint8_t *p = from + (size_t)y * w + x;
            to[(size_t)y * w + x] = clamp(5 * p[0] - p[-1] - p[1] - p[-w] - p[w]);
        }
}

static void edges(int w, int h, const uint8_t *restrict from, uint8_t *restrict to) {
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            const uint8_t *p = from + (size_t)y * w + x;
            int gx = p[-w + 1] + 2 * p[1] + p[w + 1] - p[-w - 1] - 2 * p[-1] - p[w - 1];
            int gy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[-w + 1];
            to[(size_t)y * w + x] = clamp(abs(gx) + abs(gy));
        }
}

static void blur(int w, int h, const float *restrict from, float *restrict to, const float kernel[3][3]) {
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            float sum = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    sum += kernel[dy + 1][dx + 1] * from[(size_t)(y + dy) * w + x + dx];
            to[(size_t)y * w + x] = sum;
        }
}

int main(int argc, char **argv) {
    int w = argc > 1 ? atoi(argv[1]) : 1600, h = argc > 2 ? atoi(argv[2]) : 1200, rounds = argc > 3 ? atoi(argv[3]) : 5;
    size_t n = (size_t)w * h;
    uint8_t *a = malloc(n), *b = calloc(n, 1), *c = calloc(n, 1);
    float *f = malloc(n * sizeof *f), *g = calloc(n, sizeof *g);
    if (!a || !b || !c || !f || !g)
        return 1;
    uint32_t state = 5;
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        a[i] = (uint8_t)(i % w / 8 + (state >> 28));
        f[i] = a[i];
    }
    const float kernel[3][3] = {{1 / 16.f, 2 / 16.f, 1 / 16.f}, {2 / 16.f, 4 / 16.f, 2 / 16.f}, {1 / 16.f, 2 / 16.f, 1 / 16.f}};
    for (int round = 0; round < rounds; round++) {
        sharpen(w, h, a, b);
        edges(w, h, b, c);
        blur(w, h, f, g, kernel);
        blur(w, h, g, f, kernel);
    }
    uint64_t sum = 0;
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        sum += c[i] * (i % 251);
        total += f[i];
    }
    printf("imagefilter %d %d %d %016llx %.6e\n", w, h, rounds, (unsigned long long)sum, total);
    free(a), free(b), free(c), free(f), free(g);
    return 0;
}

// Measures the runtime's hot paths in isolation. `measure.sh` builds and runs it; the figures stand in the headers of
// src/regions.rs, src/shadow/mod.rs and src/init.rs.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <x86intrin.h>

typedef uint32_t Vector __attribute__((vector_size(32)));
typedef struct {
    _Alignas(64) Vector m;
    Vector b, ctrl, ret;
    uint64_t work;
    void *ret_fn, *arg_fn;
    int64_t depth;
    void *byval[16];
    Vector args[16];
} State;
typedef struct { _Alignas(64) uint32_t id; uint32_t kind; uint64_t cache[7]; } Region;
typedef struct {
    uint32_t abi_version, tick_bits, lanes, region_count;
    Region *regions;
    uint32_t blind_count, registered;
    uint64_t *blind;
    const void *blob;
    uint64_t blob_len;
    uint64_t *counters;
    uint64_t counter_count;
} Module;

extern __thread State __ps_state;
void __ps_register(Module *);
void __ps_enter(Region *);
void __ps_exit(void);
typedef struct { Region *region; uint64_t cp, work, child_count; const void *children; } Static;
typedef struct { Region *region; const Static *iteration; } Loop;
void __ps_loop_end(const Loop *, int64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint32_t);
void __ps_copy(void *, const void *, uint64_t, const Vector *, uint32_t, Vector *);
void __ps_fill(void *, uint64_t, const Vector *);
void __ps_store(void *, uint64_t, const Vector *);
void __ps_load(const void *, uint64_t, Vector *);
void __ps_forget(void *, uint64_t);
void __ps_forget_heap(void *);

static Region regions[10];
static uint64_t blind[1];
static Module module = {2, 32, 8, 10, regions, 0, 0, blind, "", 0};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static long resident(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (fscanf(file, "%*s %ld", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * 4;
}

static double registered;
__attribute__((constructor(101))) static void construct(void) {
    double start = now();
    __ps_register(&module);
    registered = now() - start;
}

static void step(uint64_t work, Vector by) {
    __ps_state.work += work;
    __ps_state.m += by;
}

// Least time per repetition of `body` over several batches, in ns.
#define BEST(repetitions, body) ({ \
    double best = 1e18; \
    for (int batch = 0; batch < 100; batch++) { \
        double start = now(); \
        for (long i = 0; i < (repetitions); i++) { body; } \
        double each = (now() - start) / (repetitions); \
        best = each < best ? each : best; \
    } \
    best; })

int main(void) {
    printf("registration of the first module  %8.0f us, resident then %ld KiB\n", registered / 1000, resident());
    Vector five = {0, 0, 5};
    double cycle = BEST(100000, __asm__ volatile("" ::: "memory"));
    long x = 0;
    cycle = BEST(100000, __asm__ volatile("add $1, %0" : "+r"(x)));
    printf("a cycle (dependent add)            %8.3f ns\n", cycle);
    __ps_enter(&regions[0]);
    __ps_enter(&regions[1]);
#define ROW(name, body) do { double t = BEST(20000, body); printf("%-34s %8.2f ns %6.0f cycles\n", name, t, t / cycle); } while (0)
    ROW("work between boundaries alone", step(10, five); __asm__ volatile("" ::: "memory"));
    ROW("enter, exit, same as last", __ps_enter(&regions[2]); step(10, five); __ps_exit());
    ROW("enter, exit, alternating work", __ps_enter(&regions[2]); step(10 + i % 2, five); __ps_exit());
    ROW("enter, exit, 64 kinds in turn", __ps_enter(&regions[2]); step(10 + i % 64, five); __ps_exit());
    ROW("two nested, same as last", __ps_enter(&regions[3]); __ps_enter(&regions[4]); step(10, five); __ps_exit(); __ps_exit());
    Static iteration = {.region = &regions[9]};
    Loop loop = {.region = &regions[8], .iteration = &iteration};
    ROW("loop, equal iterations", uint64_t start = __ps_state.work; step(30, five); __ps_loop_end(&loop, __ps_state.depth + 1, start, 5, 10, 3, 0));
    ROW("loop, 1 to 4 iterations", uint64_t start = __ps_state.work; step(10 * (1 + i % 4), five); __ps_loop_end(&loop, __ps_state.depth + 1, start, 5, 10, 1 + i % 4, 0));
    ROW("two different callees", __ps_enter(&regions[6 + i % 2]); step(10, five); __ps_exit());
    ROW("enter, exit, never the same", __ps_enter(&regions[2]); step(i, five); __ps_exit());
    __ps_exit();
    __ps_exit();

    Vector t = {1, 2, 3, 4, 5, 6, 7, 8}, m = {0};
    static char small_a[8192] __attribute__((aligned(64))), small_b[8192] __attribute__((aligned(64)));
#define RATE(name, bytes, body) do { double ns = BEST(3000000L / (bytes) + 1, body); printf("%-34s %8.2f GB/s\n", name, (bytes) / ns); } while (0)
    RATE("fill 4 KiB", 4096, __ps_fill(small_a, 4096, &t));
    RATE("copy 4 KiB", 4096, __ps_copy(small_b, small_a, 4096, &t, 4, &m));
    RATE("copy 4 KiB, off by 4", 4096, __ps_copy(small_b, small_a + 4, 4096, &t, 4, &m));
    RATE("copy 4 KiB, off by 1", 4096, __ps_copy(small_b, small_a + 1, 4096, &t, 4, &m));
    RATE("load 4 KiB", 4096, __ps_load(small_a, 4096, &m));
    RATE("store 1 byte", 1, __ps_store(small_a + 9, 1, &t));
    RATE("copy 4 KiB from bytes", 4096, for (int j = 0; j < 4096; j++) if (!batch && !i) __ps_store(small_a + j, 1, &t);
         __ps_copy(small_b, small_a, 4096, &t, 4, &m));
    RATE("forget and fill 4 KiB", 4096, __ps_fill(small_a, 4096, &t); __ps_forget(small_a, 4096));
    size_t size = 8 << 20;
    char *a = malloc(size), *b = malloc(size);
    double start = now();
    __ps_fill(a, size, &t);
    printf("%-34s %8.2f GB/s, resident then %ld KiB\n", "fill 8 MiB, first time", size / (now() - start), resident());
    RATE("fill 8 MiB", size, __ps_fill(a, size, &t));
    RATE("copy 8 MiB", size, __ps_copy(b, a, size, &t, 4, &m));
    start = now();
    __ps_forget_heap(a);
    __ps_forget_heap(b);
    printf("%-34s %8.0f us, resident then %ld KiB\n", "forget 16 MiB", (now() - start) / 1000, resident());
    return 0;
}

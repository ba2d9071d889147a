// A program as the pass would make it, by hand: registers a module, opens and closes regions, and does what argv[1]
// says. With -DLIBRARY the same source is a shared library that registers a module of its own.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct { _Alignas(32) uint32_t lane[8]; } Time;
typedef struct {
    _Alignas(64) Time m;
    Time b, ctrl, ret;
    uint64_t work;
    void *ret_fn, *arg_fn;
    int64_t depth;
    void *byval[16];
    Time args[16];
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
    const void *sites, *sites_end;
} Module;

extern __thread State __ps_state;
extern const Time __ps_lane_masks[9];
void __ps_register(Module *);
void __ps_enter(Region *);
void __ps_exit(void);
void __ps_exit_to(int64_t);
typedef struct { Region *region; uint64_t cp, work, child_count; const void *children; } Static;
typedef struct { Region *region; const Static *iteration; } Loop;
void __ps_loop_end(const Loop *, int64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint32_t);
void __ps_load(const void *, uint64_t, Time *);
void __ps_store(const void *, uint64_t, const Time *);
void __ps_open(const void *);
void __ps_copy(void *, const void *, uint64_t, const Time *, uint32_t, Time *);
void __ps_fill(void *, uint64_t, const Time *);
uint64_t __ps_string(const char *, uint64_t);
uint64_t __ps_number(const char *, char **, uint32_t);
uint64_t __ps_compared(const char *, const char *, uint64_t, uint32_t);
uint32_t __ps_hidden(uint32_t, uint32_t, Time *, const Time *);
void __ps_forget(const void *, uint64_t);
void __ps_forget_heap(void *);
void __ps_blind(uint64_t *);
void __ps_finish(void);

static Region regions[4];
static uint64_t early_blind[2];
static Module module = {ABI_VERSION, 32, 8, 4, regions, 2, 0, early_blind, "the blob", 8, 0, 0, 0, 0};

static void work(uint64_t units, int64_t lanes) {
    __ps_state.work += units;
    for (int64_t lane = 0; lane < lanes && lane < 8; lane++)
        __ps_state.m.lane[lane] += units;
}

#ifdef LIBRARY

__attribute__((constructor(101))) static void construct(void) { __ps_register(&module); }

void library_function(void) {
    __ps_enter(&regions[3]);
    work(100, __ps_state.depth + 1);
    __ps_exit();
}

#else

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "driver: line %d: %s\n", __LINE__, #condition); \
            abort(); \
        } \
    } while (0)

// Runs before registration: everything must be safe to call, and count for nothing.
__attribute__((constructor(101))) static void construct(void) {
    __ps_enter(&regions[0]);
    Static iteration = {.region = &regions[2]};
    Loop loop = {.region = &regions[1], .iteration = &iteration};
    __ps_loop_end(&loop, __ps_state.depth + 1, 0, 1, 1, 1, 0);
    __ps_exit();
    __ps_exit_to(__ps_state.depth);
    __ps_blind(module.blind);
    __ps_finish();
    __ps_register(&module);
    CHECK(module.registered == (getenv("PARASCAN_DIR") != NULL));
}

static void call(void) {
    __ps_enter(&regions[1]);
    work(10, __ps_state.depth + 1);
    __ps_exit();
}

static void *thread(void *unused) {
    int64_t depth = __ps_state.depth;
    call();
    call();
    __ps_exit_to(depth);
    CHECK(__ps_state.depth >= (int64_t)1 << 40);
    return unused;
}

static void shadow(void) {
    char *a = malloc(100000), *b = malloc(100000);
    Time t = {{1, 2, 3, 4, 5, 6, 7, 8}}, seen = {{0}}, out = {{0}};
    __ps_store(a + 3, 5, &t);
    __ps_copy(b, a, 8, &t, 10, &seen);
    CHECK(seen.lane[7] == 18);
    __ps_load(b + 3, 1, &out);
    CHECK(out.lane[0] == 11);
    __ps_fill(b, 100000, &t);
    memset(&out, 0, sizeof out);
    __ps_load(b + 99999, 1, &out);
    CHECK(out.lane[7] == 8);
    __ps_forget_heap(b);
    memset(&out, 0, sizeof out);
    __ps_load(b, 100000, &out);
    CHECK(out.lane[7] == 0);
    strcpy(a, "twelve bytes");
    CHECK(__ps_string(a, UINT64_MAX) == 13 && __ps_number("12 ", NULL, 10) == 3 && __ps_compared(a, "twig", 9, 0) == 3);
    __ps_load(a, __ps_string(a, UINT64_MAX), &out);
    CHECK(out.lane[7] == 8);
    __ps_open(a);
    __ps_forget(a, 100000);
    __ps_hidden(1, 3, &out, &out);
    CHECK(out.lane[7] == 11);
    CHECK(__ps_lane_masks[2].lane[2] == UINT32_MAX && __ps_lane_masks[2].lane[1] == 0 && __ps_lane_masks[8].lane[0] == 0);
    free(a);
    free(b);
}

static sigjmp_buf back;
static volatile sig_atomic_t ticks;

static void tick(int signal) {
    (void)signal;
    ticks++;
    call();
}

static void jump(int signal) {
    (void)signal;
    call();
    siglongjmp(back, 1);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int64_t depth = __ps_state.depth;
    __ps_enter(&regions[0]);
    work(5, __ps_state.depth + 1);
    call();
    shadow();
    if (!strcmp(what, "kill")) {
        __ps_enter(&regions[2]);
        work(7, 2);
        call();
        kill(getpid(), SIGKILL);
    } else if (!strcmp(what, "exit")) {
        __ps_enter(&regions[2]);
        work(7, 2);
        exit(3);
    } else if (!strcmp(what, "_exit")) {
        __ps_enter(&regions[2]);
        __ps_finish();
        _exit(4);
    } else if (!strcmp(what, "fork")) {
        __ps_enter(&regions[2]);
        work(7, 2);
        pid_t child = fork();
        if (child == 0) {
            work(1000, 2);
            call();
            __ps_exit_to(depth);
            exit(0);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child && status == 0);
        call();
        __ps_exit();
    } else if (!strcmp(what, "exec")) {
        __ps_finish();
        execl("/nonexistent", "nonexistent", NULL);
        call();
        __ps_finish();
        execl(argv[0], argv[0], NULL);
        abort();
    } else if (!strcmp(what, "vfork")) {
        pid_t child = vfork();
        if (child == 0) {
            __ps_finish();
            _exit(0);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child);
    } else if (!strcmp(what, "threads")) {
        pthread_t threads[3];
        for (int i = 0; i < 3; i++)
            pthread_create(&threads[i], NULL, thread, NULL);
        for (int i = 0; i < 3; i++)
            pthread_join(threads[i], NULL);
    } else if (!strcmp(what, "signals")) {
        signal(SIGALRM, tick);
        ualarm(50, 50);
        int64_t inside = __ps_state.depth;
        while (ticks < 2000) {
            call();
            CHECK(__ps_state.depth == inside);
        }
        ualarm(0, 0);
        signal(SIGALRM, jump);
        for (volatile int i = 0; i < 200; i++) {
            if (!sigsetjmp(back, 1)) {
                ualarm(50, 0);
                for (;;)
                    call();
            }
            __ps_exit_to(inside);
            CHECK(__ps_state.depth == inside);
        }
    } else if (!strcmp(what, "library")) {
        void *library = dlopen(argv[2], RTLD_NOW);
        CHECK(library);
        ((void (*)(void))dlsym(library, "library_function"))();
        dlclose(library);
        call();
    } else if (!strcmp(what, "blind")) {
        __ps_blind(&module.blind[1]);
        __ps_blind(&module.blind[1]);
    }
    __ps_exit();
    CHECK(__ps_state.depth == depth || getenv("PARASCAN_DIR") == NULL);
    puts("done");
    return 0;
}

#endif

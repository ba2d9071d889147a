// Alarms that come while the program does nothing but compute: each arrives, and nothing that was computed is lost.
#include <immintrin.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile sig_atomic_t alarms;

static void handler(int signal) {
    volatile double value = 1.5;
    for (int i = 0; i < 10; i++)
        value = value * 1.1 + signal;
    alarms++;
}

static void start(long first, long next) {
    struct itimerval timer = {{0, next}, {0, first}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

__attribute__((target("avx2"))) static void compute(void) {
    __m256d sum = _mm256_set_pd(1, 2, 3, 4);
    unsigned long a = 1, b = 2, c = 3, d = 4, e = 5, f = 6;
    long double old = 1;
    for (long i = 0; i < 3000000; i++) {
        sum = _mm256_add_pd(_mm256_mul_pd(sum, _mm256_set1_pd(1.0000001)), _mm256_set1_pd(1e-9));
        a = a * 6364136223846793005UL + b;
        b ^= a >> 13;
        c += b;
        d = d * 3 + c;
        e ^= d << 1;
        f += e;
        old = old * 1.0000000001L + 1e-12L;
    }
    double parts[4];
    _mm256_storeu_pd(parts, sum);
    printf("%a %a %a %a %lx %lx %lx %lx %La\n", parts[0], parts[1], parts[2], parts[3], a, b, c, f, old);
}

int main(void) {
    signal(SIGALRM, handler);
    for (int round = 1; round <= 5; round++) {
        volatile long count = 0;
        start(50000, 0);
        while (alarms < round)
            count++;
    }
    start(1000, 1000);
    if (__builtin_cpu_supports("avx2"))
        compute();
    start(0, 0);
    puts(alarms > 5 ? "done" : "no alarms");
    return 0;
}

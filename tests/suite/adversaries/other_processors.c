// Once a directive that does not compile: vector instructions of a processor for which only this function is compiled.
#include <stdio.h>
#define N 1000
float f[8*N], g[8*N];
#ifdef __x86_64__
#include <immintrin.h>
#define AVX __attribute__((target("avx2")))
__attribute__((target("avx2")))
static void add(int n) { int i;
  for (i = 0; i < n; i++)
    _mm256_storeu_ps(f + 8 * i, _mm256_add_ps(_mm256_loadu_ps(f + 8 * i), _mm256_loadu_ps(g + 8 * i)));
}
AVX static void twice(int n) {
  __m256 two = _mm256_set1_ps(2);
  for (int i = 0; i < n; i++)
    _mm256_storeu_ps(f + 8 * i, _mm256_mul_ps(_mm256_loadu_ps(f + 8 * i), two));
}
#endif
int main(void) { int i; double s = 0;
  for (i = 0; i < 8*N; i++)
    f[i] = g[i] = i;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) {
    add(N);
    twice(N);
  }
#endif
  for (i = 0; i < 8*N; i++)
    s += f[i] * (i % 7);
  printf("%.10g\n", s); return 0; }

/* Once wrong directives: what masked stores and loads, gathers and `maskmovdqu` access was not seen. */
#include <stdio.h>
#include <immintrin.h>
#define N 1000
float f[2*N], g[2*N]; char cb[2*N]; int h[2*N];
__attribute__((target("avx2"))) int main(void) { int i; double s = 0; __m256i m = _mm256_set1_epi32(-1);
  for (i = 0; i < N; i++)  /*S*/
    _mm256_maskstore_ps(f + i, m, _mm256_set1_ps(i));
  for (i = 8; i < N; i++)  /*S*/
    _mm256_storeu_ps(g + i, _mm256_add_ps(_mm256_set1_ps(1), _mm256_maskload_ps(g + i - 8, m)));
  for (i = 8; i < N; i++)  /*S*/
    h[i] = 1 + _mm256_extract_epi32(_mm256_i32gather_epi32(h, _mm256_set1_epi32(i - 1), 4), 0);
  for (i = 0; i < N; i++)  /*S*/
    _mm_maskmoveu_si128(_mm_set1_epi8(i), _mm_set1_epi8(-1), cb + i);
  for (i = 0; i < 2*N; i++) s += f[i] * (i % 7) + g[i] + cb[i] * (i % 7) + h[i];
  printf("%.10g\n", s); return 0; }

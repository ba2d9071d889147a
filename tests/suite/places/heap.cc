// Dependences in memory of the heap. `// taken NAME` stands where the block is taken in which the loop with `// in NAME` has one.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#define N 500

static double *helper(int n) {
  return (double *)malloc(n * sizeof(double)); // taken malloc
}

struct Owner {
  double *at;
  explicit Owner(int n) : at(new double[n]) {} // taken new
  ~Owner() { delete[] at; }
};

int main() {
  double *a = helper(N);
  a[0] = 1;
  for (int i = 1; i < N; i++) // in malloc
    a[i] = a[i - 1] * 0.5 + i;
  double *b = (double *)calloc(N, sizeof(double)); // taken calloc
  for (int i = 1; i < N; i++) // in calloc
    b[i] = b[i - 1] * 0.5 + i;
  Owner c(N);
  c.at[0] = 1;
  for (int i = 1; i < N; i++) // in new
    c.at[i] = c.at[i - 1] * 0.5 + i;
  std::vector<double> d(N); // taken vector
  for (int i = 1; i < N; i++) // in vector
    d[i] = d[i - 1] * 0.5 + i;
  double *e = (double *)malloc(8);
  e = (double *)realloc(e, N * sizeof(double)); // taken realloc
  e[0] = 1;
  for (int i = 1; i < N; i++) // in realloc
    e[i] = e[i - 1] * 0.5 + i;
  void *f = nullptr;
  if (posix_memalign(&f, 64, N * sizeof(double))) // taken posix_memalign
    return 1;
  double *g = (double *)f;
  g[0] = 1;
  for (int i = 1; i < N; i++) // in posix_memalign
    g[i] = g[i - 1] * 0.5 + i;
  // The same place again.
  free(a);
  double *again = (double *)malloc(N * sizeof(double)); // taken again
  again[0] = 2;
  for (int i = 1; i < N; i++) // in again
    again[i] = again[i - 1] * 0.5 + i;
  std::printf("%g %g %g %g %g %g %g\n", again[N - 1], b[N - 1], c.at[N - 1], d[N - 1], e[N - 1], g[N - 1], again[7]);
}

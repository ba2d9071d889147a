// With -DLIBRARY: a library with constructs of many kinds. Without: a program that loads several such libraries, each of
// which brings an OpenMP runtime of its own, calls them in turn, and then unloads and loads them the other way round.
#ifdef LIBRARY
static double step(double *a, int n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++) {
    a[i] = a[i] * 0.5 + i;
    s += a[i];
  }
#pragma omp parallel
  {
#pragma omp single
    for (int k = 0; k < 20; k++)
#pragma omp task shared(s)
    {
#pragma omp critical
      s += k;
    }
#pragma omp for schedule(dynamic, 100)
    for (int i = 0; i < n; i++) {
      a[i] += 1;
#pragma omp cancel for if (i < 0)
    }
#pragma omp barrier
  }
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(5)
  for (int k = 0; k < 20; k++) {
#pragma omp atomic
    s += k;
  }
  return s;
}

double work(double *a, int n) {
  return step(a, n);
}

// Ends with a call that may be a jump.
void last(double *a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] *= 2;
}
#else
#include <dlfcn.h>
#include <stdio.h>

enum { N = 1000 };
static double a[N];

static void *call(const char *path, int rounds) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    puts(dlerror());
    return 0;
  }
  double (*work)(double *, int) = (double (*)(double *, int))dlsym(library, "work");
  void (*last)(double *, int) = (void (*)(double *, int))dlsym(library, "last");
  for (int round = 0; round < rounds; round++) {
    printf("%.3f\n", work(a, N));
    last(a, N);
  }
  return library;
}

int main(int argc, char **argv) {
  void *libraries[8] = {0};
  for (int i = 1; i < argc && i < 8; i++) libraries[i] = call(argv[i], 2);
  for (int i = 1; i < argc && i < 8; i++) dlclose(call(argv[i], 3));
  for (int i = 1; i < argc && i < 8; i++) dlclose(libraries[i]);
  for (int i = argc - 1; i > 0; i--) dlclose(call(argv[i], 2));
  return 7;
}
#endif

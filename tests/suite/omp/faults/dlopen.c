// With -DLIBRARY: a library with a region and a task. Without: a program that loads it, for itself alone, and knows nothing of OpenMP.
#ifdef LIBRARY
int work(int n) {
  int s = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task shared(s)
    s += n;
#pragma omp taskwait
#pragma omp critical
    s += n;
  }
  return s;
}
#else
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **words) {
  void *library = dlopen(words[count - 1], RTLD_NOW | RTLD_LOCAL);
  if (!library) return 1;
  int (*work)(int) = (int (*)(int))dlsym(library, "work");
  printf("%d\n", work(21));
}
#endif

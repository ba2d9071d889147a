// Loads libraries for itself alone, each of which brings the OpenMP runtime that it was built for, and calls them in
// turn.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int (*team[8])(void);
  for (int i = 1; i < argc && i < 8; i++) {
    void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      puts(dlerror());
      return 1;
    }
    team[i] = (int (*)(void))dlsym(library, "team");
  }
  for (int round = 0; round < 3; round++)
    for (int i = 1; i < argc && i < 8; i++)
      printf("%d ", team[i]());
  puts("");
  return 0;
}

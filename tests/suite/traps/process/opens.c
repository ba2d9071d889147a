// Opens the library named by its argument, calls into it, closes it.
#include <dlfcn.h>
int main(int argc, char **argv) {
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
  if (!library)
    return 2;
  int (*f)(int);
  *(void **)&f = dlsym(library, "in_library");
  if (!f || f(4) != 4)
    return 3;
  dlclose(library);
  return 0;
}

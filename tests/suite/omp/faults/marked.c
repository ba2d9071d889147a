// Marks for other tools, by the protocols of NVTX and ITT (their headers do no more than this): 6 ranges, 5 tasks, 4 frames, each
// with a parallel region in it.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int sink;
static void work(void) {
#pragma omp parallel num_threads(2)
  sink = 1;
}

// NVTX: tables of pointers to function pointers, which the tool fills in.
typedef void (*function)(void);
static function core[16], core2[16];
static function *core_slots[16], *core2_slots[16];
static int table(int module, function ***out, unsigned *size) {
  *out = module == 1 ? core_slots : module == 5 ? core2_slots : 0;
  *size = 16;
  return *out != 0;
}
static struct {
  size_t size;
  int (*table)(int, function ***, unsigned *);
} callbacks = {sizeof callbacks, table};
static const void *export_table(unsigned id) { return id == 1 ? &callbacks : 0; }

static void nvtx(void) {
  for (int i = 1; i < 16; i++) core_slots[i] = &core[i], core2_slots[i] = &core2[i];
  void *library = dlopen(getenv("NVTX_INJECTION64_PATH"), RTLD_LAZY);
  int (*start)(const void *(*)(unsigned)) = (int (*)(const void *(*)(unsigned)))dlsym(library, "InitializeInjectionNvtx2");
  if (!start || start(export_table) != 1) exit(1);
  for (int i = 0; i < 6; i++) {
    ((int (*)(const char *))core[9])("range");
    work();
    ((int (*)(void))core[11])();
  }
}

// ITT: one table of named function pointers.
struct domain {
  volatile int flags;
  const char *name;
};
struct id {
  unsigned long long d[3];
};
static function create_domain, create_string, task_begin, task_end, frame_begin, frame_end, other;
static void nothing(void) {}
static struct api {
  const char *name;
  function *pointer;
  void *initial;
  function null;
  int group;
} list[] = {{"__itt_domain_create", &create_domain, 0, nothing, 1}, {"__itt_string_handle_create", &create_string, 0, nothing, 1},
            {"__itt_task_begin", &task_begin, 0, nothing, 1},       {"__itt_task_end", &task_end, 0, nothing, 1},
            {"__itt_frame_begin_v3", &frame_begin, 0, nothing, 1},  {"__itt_frame_end_v3", &frame_end, 0, nothing, 1},
            {"__itt_something_else", &other, 0, nothing, 1},        {0, 0, 0, 0, 0}};
static struct {
  unsigned char magic[8];
  unsigned long version[3];
  long state[3];
  pthread_mutex_t mutex;
  void *library, *error;
  const char **path;
  struct api *list;
  void *rest[8];
} global = {.magic = {0xED, 0xAB, 0xAB, 0xEC, 0x0D, 0xEE, 0xDA, 0x30}, .list = list};

static void itt(void) {
  void *library = dlopen(getenv("INTEL_LIBITTNOTIFY64"), RTLD_LAZY);
  void (*start)(void *, int) = (void (*)(void *, int))dlsym(library, "__itt_api_init");
  if (!start) exit(2);
  start(&global, -1);
  if (other != nothing) exit(3);
  struct domain *domain = ((struct domain * (*)(const char *)) create_domain)("frame");
  void *name = ((void *(*)(const char *))create_string)("task");
  if (!domain->flags || strcmp(domain->name, "frame")) exit(4);
  struct id none = {{0, 0, 0}};
  for (int i = 0; i < 5; i++) {
    ((void (*)(struct domain *, struct id, struct id, void *))task_begin)(domain, none, none, name);
    work();
    ((void (*)(struct domain *))task_end)(domain);
  }
  for (int i = 0; i < 4; i++) {
    ((void (*)(struct domain *, struct id *))frame_begin)(domain, 0);
    work();
    ((void (*)(struct domain *, struct id *))frame_end)(domain, 0);
  }
}

int main(void) {
  nvtx();
  itt();
  puts("marked");
}

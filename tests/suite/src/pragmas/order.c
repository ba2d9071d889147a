// Hands out the iterations of OpenMP loops with schedule(runtime) one by one, in an order that is not theirs, to a
// single thread: linked into a program it takes the place of libomp's own dispatch. Whether iterations depend on each
// other then no longer hangs on luck. PARASCAN_ORDER is `reverse`, or a number above 0 that shuffles; with
// PARASCAN_ORDER_LAST the last iteration stays the last one, as lastprivate wants it.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct loop {
  struct loop *outer;
  int64_t low, step;
  uint64_t count, next;
  uint64_t *order;
} loop;

static loop *open_loop;

static void start(int64_t low, uint64_t count, int64_t step) {
  const char *how = getenv("PARASCAN_ORDER");
  loop *l = malloc(sizeof *l);
  uint64_t free_ones = count, i;
  if (!l || !(l->order = malloc((count + 1) * sizeof *l->order)))
    abort();
  l->outer = open_loop;
  l->low = low;
  l->step = step;
  l->count = count;
  l->next = 0;
  if (getenv("PARASCAN_ORDER_LAST") && count)
    free_ones = count - 1;
  for (i = 0; i < count; i++)
    l->order[i] = i;
  if (!how || !strcmp(how, "reverse")) {
    for (i = 0; i < free_ones; i++)
      l->order[i] = free_ones - 1 - i;
  } else {
    uint64_t seed = strtoull(how, NULL, 10) * 0x9e3779b97f4a7c15u + 1;
    for (i = free_ones; i > 1; i--) {
      uint64_t other, kept = l->order[i - 1];
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      other = (seed >> 33) % i;
      l->order[i - 1] = l->order[other];
      l->order[other] = kept;
    }
  }
  open_loop = l;
}

// The value of the next iteration, with whether it is the last one; 0 when all are done.
static int advance(int32_t *is_last, int64_t *value, int64_t *step) {
  loop *l = open_loop;
  uint64_t iteration;
  if (l->next == l->count) {
    open_loop = l->outer;
    free(l->order);
    free(l);
    return 0;
  }
  iteration = l->order[l->next++];
  if (is_last && iteration + 1 == l->count)
    *is_last = 1;
  *value = l->low + (int64_t)iteration * l->step;
  *step = l->step;
  return 1;
}

#define DISPATCH(suffix, type, stride)                                                                                    \
  void __kmpc_dispatch_init_##suffix(void *place, int32_t thread, int32_t schedule, type low, type high, stride step,     \
                                     stride chunk) {                                                                      \
    uint64_t count = 0;                                                                                                   \
    (void)place, (void)thread, (void)schedule, (void)chunk;                                                               \
    if (step > 0 ? low <= high : low >= high)                                                                             \
      count = step > 0 ? (uint64_t)(high - low) / (uint64_t)step + 1 : (uint64_t)(low - high) / (uint64_t)-step + 1;      \
    start((int64_t)low, count, step);                                                                                     \
  }                                                                                                                       \
  int32_t __kmpc_dispatch_next_##suffix(void *place, int32_t thread, int32_t *is_last, type *low, type *high,             \
                                        stride *step) {                                                                   \
    int64_t value, by;                                                                                                    \
    (void)place, (void)thread;                                                                                            \
    if (!advance(is_last, &value, &by))                                                                                   \
      return 0;                                                                                                           \
    *low = *high = (type)value;                                                                                           \
    *step = (stride)by;                                                                                                   \
    return 1;                                                                                                             \
  }

DISPATCH(4, int32_t, int32_t)
DISPATCH(4u, uint32_t, int32_t)
DISPATCH(8, int64_t, int64_t)
DISPATCH(8u, uint64_t, int64_t)

void __kmpc_dispatch_deinit(void *place, int32_t thread) { (void)place, (void)thread; }

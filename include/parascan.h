/* Marks for parascan omp: phases, iterations and named regions of a C or C++ program. Header only, nothing to link.
 *
 *   #include "parascan.h"
 *   for (int step = 0; step < steps; step++) {
 *     parascan_iteration("time step");
 *     ...
 *   }
 *   parascan_phase_end("time step");
 *
 * Without parascan the calls do nothing: they look for the collector once, and find none. Names are told apart by
 * content. Marks are for the thread that calls them; phases and iterations are those of the program's first thread.
 * PARASCAN_DISABLE removes them at compile time. */
#if !defined(PARASCAN_H) && !defined(__ASSEMBLER__)
#define PARASCAN_H

#ifdef PARASCAN_DISABLE
#define parascan_phase_begin(name) ((void)(name))
#define parascan_phase_end(name) ((void)(name))
#define parascan_iteration(name) ((void)(name))
#define parascan_region_begin(name) ((void)(name))
#define parascan_region_end(name) ((void)(name))
#else

/* dlsym, by a name of our own: no header is included, so that macros that select features of the C library may still be
 * defined by the program after this header. */
#ifdef __cplusplus
extern "C"
#else
extern
#endif
void *parascan_dlsym_(void *handle, const char *symbol) __asm__("dlsym");

/* Not seen by -finstrument-functions: a mark belongs to the function that it stands in. */
#define PARASCAN_QUIET_ __attribute__((no_instrument_function, unused))

typedef void (*parascan_mark_)(const char *);

PARASCAN_QUIET_ static inline void parascan_no_mark_(const char *name) { (void)name; }

/* The collector's function, or one that does nothing. */
PARASCAN_QUIET_ static inline parascan_mark_ parascan_find_(const char *symbol) {
  void *found = parascan_dlsym_((void *)0 /* RTLD_DEFAULT */, symbol);
  parascan_mark_ mark = parascan_no_mark_;
  if (found) __builtin_memcpy(&mark, &found, sizeof mark);
  return mark;
}

#define PARASCAN_MARK_(function)                                                   \
  PARASCAN_QUIET_ static inline void parascan_##function(const char *name) {       \
    static parascan_mark_ mark;                                                    \
    parascan_mark_ known = __atomic_load_n(&mark, __ATOMIC_RELAXED);               \
    if (!known) {                                                                  \
      known = parascan_find_("__parascan_" #function);                             \
      __atomic_store_n(&mark, known, __ATOMIC_RELAXED);                            \
    }                                                                              \
    known(name);                                                                   \
  }

/* A phase begins; it ends with parascan_phase_end of the same name. */
PARASCAN_MARK_(phase_begin)
PARASCAN_MARK_(phase_end)
/* The next iteration begins: ends the phase of this name, if one is open, and begins it again. */
PARASCAN_MARK_(iteration)
/* A region of the program, as a node of its own in the control flow. */
PARASCAN_MARK_(region_begin)
PARASCAN_MARK_(region_end)

#undef PARASCAN_MARK_
#undef PARASCAN_QUIET_
#endif
#endif

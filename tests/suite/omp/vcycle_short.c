// The V-cycles of multigrid.c, 60 over 5 levels, whose regions take 5 to 50 microseconds: snapshots at all entries
// would take a noticeable part of the run.
// phases: 60
#define SIZES LEVELS = 5, FINEST = 1 << 12, CYCLES = 60
#include "multigrid.c"

// Functions with -finstrument-functions: recursion, a long jump out of two of them, phases by marks.
#include "parascan.h"
#include <setjmp.h>
#include <stdio.h>

static jmp_buf out;
static int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }
static void jumper(int n) {
  if (n == 0) longjmp(out, 1);
  jumper(n - 1);
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 4; i++) {
    parascan_iteration("step");
    sum += depth(300);
    if (!setjmp(out)) jumper(1);
  }
  parascan_phase_end("step");
  parascan_region_begin("tail <&>");
  sum += depth(1);
  parascan_region_end("tail <&>");
  printf("%d\n", sum);
}

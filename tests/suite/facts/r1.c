// levels: O0 O1 O3
// R1: p = work / critical path; assignments cost nothing; constants never delay; control-dependent code is not available
// before its branch condition.
static int c;

// expect-function: ANY work=0 cp=0 tp=1
static int assign(int x) {
  int y = x;
  int z = y;
  return z;
}

// expect-function: ANY work=1 cp=1 tp=1
static int constant(int b) { return b + 1; }

// expect-function: ANY work=1+7+12+1+4+1 cp=7+12+1+4+1 tp=26/25
// the condition takes two multiplications 6 and a compare 1; the division 12 and the store 1 wait for it although a is there
// after 1; then load 4, add 1
static int guarded(int b, int x) {
  int a = b + 1;
  if (x * x * x > 10)
    c = a / 3;
  else
    c = a / 5;
  return c + 5;
}

// expect-function: ANY work=3*13 cp=13 tp=3
// three divisions 12 and stores 1
static void side_by_side(int *o, int x) {
  o[0] = x / 3;
  o[1] = x / 5;
  o[2] = x / 7;
}

int main(int argc, char **argv) {
  (void)argv;
  int o[3];
  side_by_side(o, argc);
  return assign(argc) + constant(argc) + guarded(argc, argc) + o[0] < 0;
}

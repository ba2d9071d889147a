// levels: O0 O1 O3
// K2: SP(R) = (sum of the children's critical paths + self-work) / cp(R), worked by hand.

// expect-function: ANY work=7 cp=4 sp=7/4 self_work=7
// two multiplications side by side 3, add 1
static int first(int v) { return v * 3 + v * 5; }

// expect-function: ANY work=12 cp=12 sp=1
static int second(int v) { return v / 7; }

// expect-function: ANY work=1 cp=1 sp=1
static int third(int v) { return v + 1; }

// expect-function: ANY work=24 self_work=4 cp=13 sp=(4+12+1+4)/13 tp=24/13
// a at 4, c at 5, c * 5 at 8, b at 12, sum at 13
static int parent(int p) {
  int a = first(p);
  int b = second(p);
  int c = third(a);
  return b + c * 5;
}

// expect-function: ANY work=24 self_work=0 cp=13 sp=1 tp=24/13
// one child: its parallelism is its own
static int wrapper(int p) { return parent(p); }

int main(int argc, char **argv) {
  (void)argv;
  return wrapper(argc) > 100;
}

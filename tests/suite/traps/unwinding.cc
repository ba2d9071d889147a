// levels: O1 O3
// Exceptions: work and longest path survive unwinding, regions left that way are closed, iteration counts stay right.
static int sink, b[64];

// expect-function: ANY instances=8 work=8*(12+1) cp=8*(12+1)
// divide 12, store 1, then thrown out (the throw itself is in library code)
static void heavy(int x) { sink = x / 3; }

// expect-function: ANY instances=8
static void thrower(int x) {
  heavy(x);
  throw x;
}

static void nested(int x) {
  // expect: ANY iters=8*1 instances=8
  for (int i = 0; i < 4; i++)
    // expect: ANY iters=8*1 instances=8
    for (int j = 0; j < 4; j++)
      thrower(x + i + j);
}

struct Guard {
  int *where;
  // expect-function: ANY instances=8 work=8*(4+4+1+1)
  // runs while unwinding: load the pointer 4, load 4, add 1, store 1
  ~Guard() { *where += 1; }
};
static int destroyed;

static void cleanup(int x) {
  Guard guard{&destroyed};
  nested(x);
}

int main() {
  // expect: ANY iters=8 instances=1
  for (int i = 0; i < 8; i++) {
    try {
      cleanup(i);
    } catch (int caught) {
      b[i] = caught;
    }
  }
  // expect: DOALL sp=64 cp=8 instances=1
  // after all that a plain loop still has its own clock: load 4, multiply 3, store 1
  for (int i = 0; i < 64; i++)
    b[i] = b[i] * 3;
  return destroyed != 8;
}

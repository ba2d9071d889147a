// levels: O0 O1 O3
// Control dependence: ||, &&, continue, goto, switch; loads through pointers keep the conditions apart in the IR.
enum { N = 64 };
static int a[N], b[N], m[8][8], o, table[4][4];

// expect-function: ANY work=6 cp=6
// *x > 5 holds: load 4, compare 1; the second condition is not evaluated; store 1
static void or_first(const int *x, const int *y) {
  if (*x > 5 || *y > 7)
    o = 1;
}

// expect-function: ANY work=11 cp=11
// *x > 5 fails: the second load starts at 5, its compare ends at 10, store 11
static void or_second(const int *x, const int *y) {
  if (*x > 5 || *y > 7)
    o = 1;
}

// expect-function: ANY work=11 cp=11
static void and_both(const int *x, const int *y) {
  if (*x > 5 && *y > 7)
    o = 1;
}

// expect-function: ANY work=12 cp=11
// the store to a[0] is behind both branches and waits for neither
static void joined(const int *x, const int *y) {
  if (*x > 5)
    if (*y > 7)
      o = 1;
  a[0] = 2;
}

static void continues(void) {
  // expect: DOALL sp=(32*10+32*5)/10
  // test: load 4, compare 1; load 4, store 1 behind it. The next iteration waits for none of that
  for (int i = 0; i < N; i++) {
    if (a[i])
      continue;
    b[i] = a[N - 1];
  }
}

static int goto_out(int x) {
  int i, j = 0;
  // expect: SERIAL sp=1
  // leaving both loops from the inner one: every element waits for the test of the one before
  for (i = 0; i < 8; i++)
    // expect: SERIAL sp=1 iters=46
    for (j = 0; j < 8; j++)
      if (m[i][j] == x)
        goto found;
found:
  return i * 8 + j;
}

static void goto_loop(int n) {
  int i = 0;
  // expect: DOALL sp=64
  // a loop made of a label and a goto
again: b[i] = a[i] + 1;
  if (++i < n)
    goto again;
}

static void switches(void) {
  // expect: DOALL sp=16*(7+9+18+6)/18
  // selector: load 4, and 1; the arms wait for it: add 1, multiply 3, divide 12 or nothing, and store 1
  for (int i = 0; i < N; i++)
    switch (a[i] & 0x7fffffff) {
    case 0: b[i] = i + 1; break;
    case 1: b[i] = i * 5; break;
    case 2: b[i] = i / 7; break;
    default: b[i] = 0;
    }
}

static int machine(const int *input) {
  int state = 0;
  // expect: SERIAL sp=64*8/(64*4+4)
  // input: load 4; table[state][input]: load 4 behind it and behind the state before
  for (int i = 0; i < N; i++)
    state = table[state][input[i]];
  return state;
}

static int leave_by_switch(const int *input) {
  int i = 0;
  // expect: SERIAL sp=1
  // the exit is an arm of a switch
  for (;;) {
    switch (input[i]) {
    case 3: return i;
    default: i++;
    }
  }
}

int main(void) {
  int big = 9, small = 1;
  or_first(&big, &big);
  or_second(&small, &big);
  and_both(&big, &big);
  joined(&big, &big);
  for (int i = 0; i < N; i++)
    a[i] = i % 2, m[i / 8][i % 8] = i;
  continues();
  int r = goto_out(45);
  goto_loop(N);
  for (int i = 0; i < N; i++)
    a[i] = i % 4;
  switches();
  return r + machine(a) + leave_by_switch(a) == 48 ? 0 : 1;
}

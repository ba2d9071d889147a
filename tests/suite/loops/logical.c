// levels: O0 O1 O3
// "And" and "or" that look no further once they are decided: no iteration waits for an earlier one.
#include <stdbool.h>
#include <stdio.h>
enum { N = 64 };
static int a[N], p[N];
static double d[N];

static int all(void) {
  int ok = 1;
  // expect: DOALL_REDUCTION(&:ok) sp=64
  // clauses: reduction(&:ok)
  for (int i = 0; i < N; i++)
    ok = ok && a[i] >= 0;
  return ok;
}

static int any(void) {
  int found = 0;
  // expect: DOALL_REDUCTION(|:found) sp=64
  // clauses: reduction(|:found)
  for (int i = 0; i < N; i++)
    found = found || a[i] > 1000;
  return found;
}

static bool both(void) {
  bool fits = true;
  // expect: DOALL_REDUCTION(&:fits)
  // clauses: reduction(&:fits)
  for (int i = 0; i < N; i++)
    fits = fits && a[i] < 200 && d[i] > 0;
  return fits;
}

static int guarded(void) {
  int fine = 1;
  // expect: DOALL_REDUCTION(&:fine)
  // clauses: reduction(&:fine)
  for (int i = 0; i < N; i++)
    if (fine)
      fine = d[i] < 1e6;
  return fine;
}

/* What a decision that was made keeps from being done is more than looking. */
static int until(void) {
  int going = 1, sum = 0;
  // expect: SERIAL
  // carried: going +3->+1 distance any
  for (int i = 0; i < N; i++)
    if (going) {
      sum += a[i];
      going = a[i] < 90;
    }
  return sum;
}

/* It is read elsewhere. */
static int counted(void) {
  int still = 1, n = 0;
  // expect: SERIAL
  // carried: still +1->+1 distance 1
  for (int i = 0; i < N; i++) {
    still = still && a[i] < 90;
    n += still;
  }
  return n;
}

/* Set anew where it was decided. */
static int toggled(void) {
  int on = 1;
  // expect: SERIAL
  // carried: on +2->+1 distance any
  // carried: on +4->+1 distance any
  for (int i = 0; i < N; i++) {
    if (on)
      on = a[i] < 90;
    else
      on = p[i] > 3;
  }
  return on;
}

int main(void) {
  for (int i = 0; i < N; i++) {
    a[i] = i * 37 % 101;
    p[i] = i % 7;
    d[i] = i + 0.5;
  }
  printf("%d %d %d %d %d %d %d\n", all(), any(), both(), guarded(), until(), counted(), toggled());
  return 0;
}

// Variables with static storage as scratch space, in the manner of old C: which clauses their loops need.
#include <math.h>
#include <stdio.h>

#define N 600

static double a[N], b[N], c[N];
static double t, left, right;
static int j, count;
int seen;
double far;
static double *row;
static double grid[N][4];

static double twice(double x) { return 2 * x; }
static void tell(void) { far = t; }

void scratch(void) {
  int i;
  // clauses: lastprivate(t)
  for (i = 0; i < N; i++) {
    t = sqrt(a[i]);
    b[i] = t * t + t;
  }
}

void inner_index(void) {
  int i;
  // clauses: lastprivate(t,j)
  for (i = 0; i < N; i++) {
    t = 0;
    for (j = 0; j < 4; j++)
      t += grid[i][j];
    c[i] = t;
  }
}

void on_every_path(void) {
  int i;
  // clauses: lastprivate(left,right)
  for (i = 0; i < N; i++) {
    if (a[i] > 3) {
      left = a[i];
      right = 1;
    } else {
      left = 1;
      right = a[i];
    }
    b[i] = left - right;
  }
}

void through_a_pointer(void) {
  int i;
  // clauses: unchecked lastprivate(row) -- what is written through `row` has no name of its own
  for (i = 0; i < N; i++) {
    row = grid[i];
    row[0] = a[i];
    row[1] = b[i];
  }
}

void exported(void) {
  int i;
  // clauses: lastprivate(far)
  for (i = 0; i < N; i++) {
    far = a[i] + i;
    c[i] = far * far;
  }
}

void on_some_paths(void) {
  int i;
  // clauses: unchecked private(left) -- what the last iteration that set it left may be read later
  for (i = 0; i < N; i++)
    if (a[i] > 3) {
      left = a[i];
      b[i] = left * left;
    }
}

void with_a_call(void) {
  int i;
  // clauses: unchecked private(t) -- `tell` reads the global itself
  for (i = 0; i < N; i++) {
    t = a[i];
    b[i] = t * t;
    if (seen > N)
      tell();
  }
}

void declared_in_the_loop(void) {
  int i;
  // clauses: unchecked private(own) -- a directive above the loop does not know its name
  for (i = 0; i < N; i++) {
    static double own;
    own = a[i];
    b[i] = own * own;
  }
}

void shadowed(void) {
  int i;
  double t = 1;
  // clauses: firstprivate(t)
  for (i = 0; i < N; i++)
    b[i] = t * a[i];
}

double counted(void) {
  int i;
  // clauses: reduction(+:count)
  for (i = 0; i < N; i++)
    if (a[i] > 3)
      count++;
  return count;
}

int main(void) {
  int i, k;
  double s = 0;
  for (i = 0; i < N; i++) {
    a[i] = i % 7;
    for (k = 0; k < 4; k++)
      grid[i][k] = i + k;
  }
  scratch();
  s += b[5] + t;
  inner_index();
  s += c[7] + t + j;
  on_every_path();
  s += b[9] + left + right;
  through_a_pointer();
  s += grid[3][1] + row[1];
  exported();
  s += c[11] + far;
  on_some_paths();
  s += b[13];
  with_a_call();
  s += b[15];
  declared_in_the_loop();
  s += b[17];
  shadowed();
  s += b[19] + counted() + twice(1);
  printf("%.3f %d\n", s, seen);
  return 0;
}

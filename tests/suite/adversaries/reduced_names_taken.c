/* A member that is summed where the file has a name like those that lines around the loop would make. */
#include <stdio.h>
#define N 2000
struct node {
  double sum;
  int n;
};
double x[N];
static void taken(struct node *s) {
  int i, parascan_s = 3;
  for (i = 0; i < N; i++) {
    s->sum += x[i];
    s->n += parascan_s;
  }
}
static void both(struct node *s, struct node own_s) {
  int i;
  for (i = 0; i < N; i++) {
    s->n += 2;
    own_s.n += x[i] > 2;
  }
  printf("%d\n", own_s.n);
}
int main(void) {
  int i;
  struct node s = {0, 0};
  for (i = 0; i < N; i++)
    x[i] = i % 7;
  taken(&s);
  both(&s, s);
  printf("%g %d\n", s.sum, s.n);
  return 0;
}

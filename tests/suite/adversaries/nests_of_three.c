/* Nests of three loops that must not be collapsed as far as they look, or only just may: each prints something else, or crashes, if the
   directive takes too many of them. All are called again with numbers for which there is nothing to do. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TWO 2
#define FEW 3
#define MANY 200
#define LONG(x) (sqrt((x) + 2) / (1 + (x)) + 1 / (2 + sqrt(x)))
#define WORK(p) (LONG(b[plane][row][p]) + LONG(b[plane][row][p] + plane + 1))
#define OF_PLANE (MANY - plane * 20)
#define UP_TO(n) k = 0; k < (n); k++
#define HALF(n) ((n) / parts)

static double a[TWO][FEW][MANY], b[TWO][FEW][MANY], wide[4][5][MANY];
static int width = MANY, widths[TWO + 1] = {MANY, MANY - 30, MANY - 60}, starts[FEW + 1] = {0, 20, 50, 90}, counts[8];
static struct size { int planes, rows, columns; } size = {TWO, FEW, MANY}, *sized = &size;
static volatile int looks = MANY;

/* The innermost bound is of the outermost loop, in the text, in a macro, through an array. */
static void of_the_outermost(int planes) {
  int plane, row, k;
  for (plane = 0; plane < planes; plane++)
    for (row = 0; row < FEW; row++)
      for (k = 0; k < MANY - plane * 50; k++)
        a[plane][row][k] += WORK(k);
  for (plane = 0; plane < planes; plane++)
    for (row = 0; row < FEW; row++)
      for (k = 0; k < OF_PLANE; k++)
        a[plane][row][k] += WORK(k);
  for (plane = 0; plane < planes; plane++)
    for (row = 0; row < FEW; row++)
      for (UP_TO(MANY - 20 * plane))
        a[plane][row][k] += WORK(k);
  for (plane = 0; plane < planes; plane++)
    for (row = 0; row < FEW; row++)
      for (k = plane; k < widths[plane]; k++)
        a[plane][row][k] += WORK(k);
  for (plane = 0; plane < planes; plane++)
    for (row = 0; row < FEW; row++)
      for (k = MANY - 1; k >= starts[row]; k--)
        a[plane][row][k] += WORK(k);
  for (plane = 0; plane < planes; plane++)
    for (row = plane; row < FEW; row++)
      for (k = row; k < MANY; k++)
        a[plane][row][k] += WORK(k);
}

/* What the body, or a loop around, sets. */
static void of_what_is_set(int planes, int n) {
  int plane, row, k, last = MANY;
  for (plane = 0; plane < planes; plane++)
    for (row = 0; row < FEW; row++)
      for (k = 0; k < widths[TWO]; k++) {
        a[plane][row][k] += WORK(k);
        if (plane == 7)
          widths[TWO] = MANY;
      }
  for (plane = 0; plane < planes; plane++)
    for (row = 0; row < FEW; row++) {
      last = MANY - 10 * row;
      for (k = 0; k < last; k++)
        a[plane][row][k] += WORK(k);
    }
  for (plane = 0; plane < planes; plane++) {
    n = MANY - 15 * plane;
    for (row = 0; row < FEW; row++)
      for (k = 0; k < n; k++)
        a[plane][row][k] += WORK(k);
  }
  for (plane = 0; plane < planes; plane++)
    for (row = 0; row < FEW; row++)
      for (k = 0; k < sized->columns; k++) {
        a[plane][row][k] += WORK(k);
        if (k == 0)
          counts[plane * FEW + row] = plane + row;
      }
}

/* Numbers of iterations that cannot be computed where there are none of the loops around. */
static void divided(int planes, int n, int parts) {
  int plane, row, k;
  for (plane = 0; plane < planes; plane++)
    for (row = 0; row < FEW; row++)
      for (k = 0; k < n / planes; k++)
        a[plane][row][k] += WORK(k);
  for (plane = 0; plane < planes; plane++)
    for (row = 0; row < parts; row++)
      for (k = n % parts; k < n; k++)
        a[plane][row][k] += WORK(k);
  for (plane = 0; plane < planes; plane++)
    for (row = 0; row < parts; row++)
      for (k = 0; k < HALF(n); k++)
        a[plane][row][k] += WORK(k);
  for (plane = 0; plane < planes; plane++)
    for (row = 0; row < parts; row++)
      for (k = 0; k < n; k += parts)
        a[plane][row][k] += WORK(k);
  for (plane = 0; plane < parts; plane++)
    for (k = 0; k < n / parts; k++)
      a[0][plane % FEW][k] += LONG(b[0][0][k]) + LONG(b[1][0][k] + plane);
  for (plane = 0; plane < planes; plane++)
    for (row = 0; row < FEW; row++)
      for (k = 0; k < (planes > 0 ? n / planes : 9); k++)
        a[plane][row][k] += WORK(k);
  for (plane = 0; plane < planes; plane++)
    for (row = 0; row < FEW; row++)
      for (k = n / 8; k < n - n % 3; k++)
        a[plane][row][k] += WORK(k);
}

/* Elements and members that may lie nowhere then. */
static void nowhere(int planes, const int *of, int which) {
  int plane, row, k;
  for (plane = 0; plane < planes; plane++)
    for (row = 0; row < FEW; row++)
      for (k = 0; k < *of; k++)
        a[plane][row][k] += WORK(k);
  for (plane = 0; plane < planes; plane++)
    for (row = 0; row < FEW; row++)
      for (k = 0; k < widths[which]; k++)
        a[plane][row][k] += WORK(k);
}

/* Members of structures behind pointers, of which the outermost loop's test reads others, or not in any case. */
static void members(const struct size *in, const struct size *none, const int *sizes, int pairs) {
  int plane, row, k;
  for (plane = 0; plane < in->planes; plane++)
    for (row = 0; row < in->rows; row++)
      for (k = 0; k < in->columns; k++)
        a[plane][row][k] += WORK(k);
  for (plane = 0; plane < in->planes; plane++)
    for (row = 0; row < FEW; row++)
      for (k = 0; k < none->columns; k++)
        a[plane][row][k] += WORK(k);
  for (plane = 0; plane < (none ? none->planes : 0); plane++)
    for (row = 0; row < none->rows; row++)
      for (k = 0; k < none->columns; k++)
        a[plane][row][k] += WORK(k);
  for (plane = 0; plane < sizes[0]; plane++)
    for (row = 0; row < sizes[1]; row++)
      for (k = 0; k < sizes[2]; k++)
        a[plane][row][k] += WORK(k);
  for (plane = 0; plane < in->planes; plane++)
    for (row = 0; row < in[-pairs].rows; row++)
      for (k = 0; k < in[1 - pairs].columns; k++)
        a[plane][row][k] += WORK(k);
  for (plane = 0; plane < pairs; plane++)
    for (row = 0; row < FEW; row++)
      for (k = 0; k < looks; k++)
        a[plane][row][k] += WORK(k);
}

/* The nest changes them, or the pointer. */
static int changing(struct size *in, int *column, struct size *to) {
  int plane, row, k, sum = 0;
  for (plane = 0; plane < in->planes; plane++)
    for (row = 0; row < in->rows; row++)
      for (k = 0; k < in->columns; k++) {
        a[plane][row][k] += WORK(k);
        if (k == 0)
          *column = MANY - 10 * row;
      }
  in->columns = MANY;
  for (plane = 0; plane < in->planes; plane++)
    for (row = 0; row < in->rows; row++)
      for (k = 0; k < in->columns; k++) {
        a[plane][row][k] += WORK(k);
        sum += (int)(8 * WORK(k));
        to->columns = MANY;
      }
  for (plane = 0; plane < in->planes; plane++)
    for (row = 0; row < in->rows; row++) {
      for (k = 0; k < in->columns; k++)
        a[plane][row][k] += WORK(k);
      in = to;
    }
  return sum;
}

/* Dependences at one level. */
static double carried(int planes) {
  int plane, row, k;
  double s = 0, t;
  for (plane = 0; plane < planes; plane++)
    for (row = 1; row < FEW; row++)
      for (k = 0; k < MANY; k++)
        a[plane][row][k] = LONG(a[plane][row - 1][k] + 2) + WORK(k);
  for (plane = 1; plane < planes; plane++)
    for (row = 0; row < FEW; row++)
      for (k = 0; k < MANY; k++)
        a[plane][row][k] = LONG(a[plane - 1][row][k] + 2) + WORK(k);
  for (plane = 0; plane < planes; plane++)
    for (row = 0; row < FEW; row++)
      for (k = 1; k < MANY; k++)
        a[plane][row][k] = LONG(a[plane][row][k - 1] + 2) + WORK(k);
  for (plane = 0; plane < planes; plane++)
    for (row = 0; row < FEW; row++)
      for (k = 0; k < MANY; k++)
        a[plane][0][k] += (int)(16 * WORK(k));
  for (plane = 0; plane < planes; plane++)
    for (row = 0; row < FEW; row++)
      for (k = 0; k < MANY; k++)
        a[plane][row][0] += (int)(16 * WORK(k));
  for (plane = 0; plane < planes; plane++)
    for (row = 0; row < FEW; row++)
      for (k = 0; k < MANY; k++) {
        if (k % 64 == 0)
          t = LONG(b[plane][row][k]);
        s += (int)(16 * (t + WORK(k)));
      }
  for (plane = 0; plane < planes; plane++)
    for (row = 0; row < FEW; row++)
      for (k = 0; k < MANY; k++) {
        double scratch[4];
        scratch[k % 4] = WORK(k);
        scratch[(k + 1) % 4] = LONG(scratch[k % 4]);
        s += (int)(8 * scratch[(k + 1) % 4]);
      }
  return s;
}

/* Indexes that are one, are read behind or looked at; ways out. */
static double indexes(int planes) {
  int plane, row = 0, k = 0, *p = &k, sum = 0;
  double s = 0;
  for (plane = 0; plane < planes; plane++)
    for (row = 0; row < FEW; row++)
      for (int plane = 0; plane < MANY; plane++)
        a[0][row][plane] += LONG(b[0][row][plane]) + LONG(b[1][row][plane] + 1) + LONG(b[1][row][plane] + 3);
  sum += row;
  for (plane = 0; plane < planes; plane++)
    for (row = 0; row < FEW; row++)
      for (k = 0; k < MANY - 4; k++)
        a[plane][row][k] += WORK(k);
  sum += *p;
  for (plane = 0; plane < planes; plane++)
    for (int row = 0; row < FEW; row++)
      for (int k = 0; k < MANY; k++) {
        if (k > 150 + plane)
          break;
        a[plane][row][k] += WORK(k);
      }
  for (plane = 0; plane < planes; plane++)
    for (int row = 0; row < FEW; row++)
      for (int k = 0; k < MANY; k++) {
        if ((k + row) % 7 == plane)
          continue;
        a[plane][row][k] += WORK(k);
        s += (int)(64 * WORK(k));
      }
  return s + sum + plane;
}

/* Fewer loops than there are: the outer two of these, or the inner two. */
static void parts_of(int n) {
  int plane, row, k;
  for (plane = 0; plane < 4; plane++)
    for (row = 0; row < 5; row++)
      for (k = plane; k < n - row; k++)
        wide[plane][row][k] += LONG((double)k) + LONG((double)k + plane);
  for (plane = 0; plane < 4; plane++)
    for (row = 0; row < 5 - plane; row++)
      for (k = plane; k < n; k++)
        wide[plane][row][k] += LONG((double)k) + LONG((double)k + row);
  for (plane = 0; plane < 4; plane++)
    for (row = 0; row < 5; row++)
      for (k = 1; k < n; k++)
        wide[plane][row][k] += LONG(wide[plane][row][k - 1]) + LONG((double)k + row);
}

/* Numbers of iterations of which the product does not fit `int`, in types of their own. */
static long products(int planes, long none) {
  long sum = 0;
  for (int plane = 0; plane < planes; plane++)
    for (unsigned char row = 1; row < 4; row++)
      for (int k = -2000000000; k < 2000000000; k += 20000000)
        sum += (long)(1000 * LONG((double)(plane + 1) * (k < 0 ? -k : k) + row) + 1000 * LONG((double)row));
  for (long plane = planes; plane > 0; plane--)
    for (short row = -2; row <= none; row++)
      for (unsigned k = 4294967000u; k > 4294966800u; k -= 2)
        sum += (long)(1000 * LONG((double)plane + k) + 1000 * LONG((double)(row + 5)) + 100 * LONG((double)(k % 17)));
  return sum;
}

static double all(int planes, int n, int parts, const int *of, int which) {
  double s = 0;
  of_the_outermost(planes);
  of_what_is_set(planes, n);
  divided(planes, n, parts);
  nowhere(planes, of, which);
  int sizes[] = {planes, FEW, MANY};
  struct size full[2] = {{planes, FEW, MANY}, {planes, FEW, MANY}}, copy = full[0];
  members(&full[planes > 0], of ? full : NULL, planes > 0 ? sizes : &sizes[0], planes / TWO);
  s += changing(full, &full[0].columns, &copy);
  s += carried(planes) + indexes(planes) + products(planes, parts > 0 ? 0 : -1);
  parts_of(n);
  return s;
}

int main(int argc, char **argv) {
  int plane, row, k, one = argc > 0;
  double s = 0;
  for (plane = 0; plane < TWO; plane++)
    for (row = 0; row < FEW; row++)
      for (k = 0; k < MANY; k++)
        b[plane][row][k] = plane * 0.25 + row + k % 17;
  s += all(TWO * one, MANY, FEW * one, &width, 1);
  s += all(TWO - 2 * one, MANY, FEW - 3 * one, NULL, -1000000000);
  for (plane = 0; plane < TWO; plane++)
    for (row = 0; row < FEW; row++)
      for (k = 0; k < MANY; k++)
        s += a[plane][row][k] * (plane + 1) + counts[k % 8] + wide[plane][row][k];
  printf("%.9g %s\n", s, argv[0] ? "" : "nameless");
  return 0;
}

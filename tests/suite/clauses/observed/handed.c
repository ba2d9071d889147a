// Variables that called functions set, scratch arrays, sums beside calls: what a run shows of where they lie.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 60

struct work {
  double scale, part[4];
};

static double out[N], place[N][3], total, *kept;
static int count, lengths[N];
static double *of_total = &total;
static struct keeper {
  double *at;
} kept_by[N];
static char text[N][16];

static void apart(int i, int j, double *r) {
  int k;
  for (k = 0; k < 3; k++)
    r[k] = place[i][k] - place[j][k];
}
static void split(double x, double *whole, double *rest) {
  *whole = floor(x);
  *rest = x - *whole;
}
static void sometimes(int i, double *v) {
  if (i % 3 == 0)
    *v = i;
}
static void parts(struct work *w, int i) {
  int k;
  for (k = 0; k < 4; k++)
    w->part[k] = w->scale * (i + k);
}
static double sum(const struct work *w) {
  return w->part[0] + w->part[1] + w->part[2] + w->part[3];
}
static void add(double *s, double x) {
  *s += x;
}
static double price(double s) {
  return exp(-log(s + 1) / sqrt(s + 2));
}
static double *half(double *v) {
  v[0] *= 0.5;
  return v;
}
static void keep(double *v, int i) {
  if (!kept)
    kept = v;
  *kept = i;
}
static void attach(struct keeper *k, double *at, int i) {
  k->at = at;
  *at = i;
}
static double reset(double x) {
  total *= 0.5;
  return x;
}

int main(void) {
  int i, j, exponent, hits = 0, streak = 0;
  double r[3], whole, rest, last, old = 0, all = 0, since = 0, q, w[2], before = 0;
  double history[N], t[3];
  struct work work;
  char line[32], shown[32], *end;
  for (i = 0; i < N; i++)
    for (j = 0; j < 3; j++)
      place[i][j] = sin(i * 3 + j);
  work.scale = 2;

  // clauses: private(j) firstprivate(r)
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) {
      apart(i, j, r);
      out[i] += r[0] * r[1] + r[2];
    }
  // clauses: private(whole,rest)
  for (i = 0; i < N; i++) {
    split(i * 1.37, &whole, &rest);
    out[i] += whole * rest;
  }
  // clauses: private(exponent) -- a function of the library
  for (i = 0; i < N; i++) {
    out[i] += frexp(i * 3.7, &exponent);
    out[i] += exponent;
  }
  // clauses: firstprivate(work)
  for (i = 0; i < N; i++) {
    parts(&work, i);
    out[i] += sum(&work);
  }
  // clauses: firstprivate(line)
  for (i = 0; i < N; i++) {
    snprintf(line, sizeof line, "%d", i * 77);
    lengths[i] = strlen(line);
  }
  // clauses: words -- puts() shows it
  for (i = 0; i < N; i++) {
    snprintf(shown, sizeof shown, "%d", i * 77);
    lengths[i] += strlen(shown);
  }
  puts(shown);
  // clauses: private(end)
  for (i = 0; i < N; i++) {
    snprintf(text[i], 16, "%d.5x", i);
    out[i] += strtod(text[i], &end);
    lengths[i] += end - text[i];
  }
  // clauses: words -- half() gives the address back
  for (i = 0; i < N; i++) {
    w[0] = i;
    w[1] = 2;
    out[i] += half(w)[0] + w[1];
  }
  // clauses: words -- last is read after the loop
  for (i = 0; i < N; i++) {
    split(i * 0.77, &last, &rest);
    out[i] += rest;
  }
  // clauses: words -- what an iteration does not set it has from an earlier one
  for (i = 0; i < N; i++) {
    sometimes(i, &old);
    out[i] += old;
  }
  // clauses: words -- a sum in a function
  for (i = 0; i < N; i++)
    add(&all, out[i]);
  // clauses: words -- somebody keeps the address
  for (i = 0; i < N; i++) {
    q = 3;
    keep(&q, i);
    out[i] += q;
  }
  // clauses: reduction(+:total) -- price() works with errno
  for (i = 0; i < N; i++)
    total += price(out[i] * out[i]);
  // clauses: reduction(+:count)
  for (i = 0; i < N; i++)
    if (price(i) > 0.2)
      count++;
  // clauses: words -- begun anew
  for (i = 0; i < N; i++) {
    if (out[i] > 1)
      streak++;
    else
      streak = 0;
  }
  // clauses: words -- begun anew
  for (i = 0; i < N; i++) {
    since += out[i];
    if (i % 7 == 3)
      since = 0;
  }
  // clauses: words -- compares what total has become meanwhile
  for (i = 0; i < N; i++) {
    total += i;
    lengths[i] += memcmp(of_total, &out[0], sizeof total) > 0;
  }
  // clauses: words -- attach() keeps the address
  for (i = 0; i < N; i++)
    attach(&kept_by[i], &q, i);
  // clauses: words -- reset() changes total
  for (i = 0; i < N; i++)
    total += reset(out[i]);
  // clauses: reduction(+:hits) -- a counter that nobody reads in the loop
  for (i = 0; i < N; i++) {
    out[i] *= 2;
    hits++;
  }
  // clauses: words -- the sum as it was before the last iteration
  for (i = 0; i < N; i++) {
    before = all;
    all += out[i];
  }
  // clauses: private(j,t) -- filled by memset, as the source shows
  for (i = 0; i < N; i++) {
    memset(t, 0, sizeof t);
    for (j = 0; j < 7; j++)
      t[j * i % 3] += j;
    lengths[i] += t[0] + 2 * t[1];
  }
  // clauses: words -- elements of earlier iterations are read
  for (i = 0; i < N; i++) {
    history[i] = out[i];
    lengths[i] += history[i / 2] > 3;
  }
  for (i = 0; i < N; i++)
    all += out[i] + lengths[i];
  printf("%f %f %f %d %d %f %f\n", all, last, total, count, hits, before, q);
  printf("%d %f %f\n", streak, since, *kept_by[3].at);
  return 0;
}

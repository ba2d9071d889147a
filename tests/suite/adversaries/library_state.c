#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>
#include <setjmp.h>
#include <fenv.h>
#include <math.h>
#include <errno.h>
#define N 2000
double a[N], b[N], w[N]; int k[N], step = 1, gn = N; char str[N+1]; jmp_buf jb; int lim2 = 1500; static __thread double coef; struct cfg { int n; double s; } cfg = { N, 2 }; double *rows[40]; int cnts[4];
static void chk(int i){ if (i == lim2) longjmp(jb, 1); }
static void setc(double c){ coef = c; }
static double mulc(double x){ return x * coef; }
static void shrink(int i){ if (i == 700) gn = 900; }
static int get(const int *p){ return *p; }
static int side(int i){ cnts[i & 3]++; return i; }
static void die(int i){ if (i == 1800) { printf("die %g\n", w[1700]); exit(0); } }
static void fin(void){ double s = 0; int i; for (i = 0; i < N; i++) s += w[i]; printf("fin %g\n", s); }
void l1(void){ int i;
 if (!setjmp(jb)) {
 for (i = 0; i < N; i++) { /*S*/
  w[i] += a[i]; chk(i); } } }
void l2(void){ int i; setc(3);
 for (i = 0; i < N; i++) /*S*/
  w[i] += mulc(a[i]); }
void l3(void){ int i;
 for (i = 0; i < N; i += step) { /*S*/
  w[i] += 1; if (i == 100) step = 2; } step = 1; }
void l4(void){ int i;
 for (i = 0; i < gn; i++) { /*S*/
  w[i] += 1; shrink(i); } gn = N; }
void l5(void){ size_t i;
 for (i = 0; i < strlen(str); i++) /*P*/
  str[i] = toupper((unsigned char)str[i]); }
void l6(void){ size_t i;
 for (i = 0; i < strlen(str); i++) { /*S*/
  w[i] += 1; if (i == 1000) str[i+5] = 0; } }
void l7(void){ int i; k[0] = 1500;
 for (i = 0; i < k[0]; i++) /*S*/
  k[i] = 1000 + i % 7; }
void l8(void){ int i, n = N, *pn = &n;
 for (i = 0; i < n; i++) { /*S*/
  w[i] += 2; if (i == 999) *pn = 1200; } }
void l9(void){ int i;
 for (i = 0; i < N; i++) /*P*/
  w[i] += get(&i); }
void l10(void){ int i;
 for (i = 0; i < N; i++) /*S*/
  w[i] += side(i); printf("%d\n", cnts[1]); }
void l11(void){ int i; fesetround(FE_UPWARD);
 for (i = 0; i < N; i++) /*P*/
  b[i] = rint(a[i] + 0.1); fesetround(FE_TONEAREST); }
void l12(void){ int i; errno = 7;
 for (i = 0; i < N; i++) /*S*/
  w[i] += errno; }
void l13(struct cfg *c){ int i;
 for (i = 0; i < c->n; i++) /*P*/
  w[i] *= c->s; }
void l14(struct cfg *c){ int i;
 for (i = 0; i < c->n; i++) { /*S*/
  w[i] *= c->s; if (i == 1200) c->n = 1300; } c->n = N; }
void l15(void){ int i, j;
 for (i = 0; i < 40; i++) { /*P*/
  rows[i] = calloc(20, 8); for (j = 0; j < 20; j++) rows[i][j] = i*j; } 
 for (i = 1; i < 40; i++) /*S*/
  for (j = 0; j < 20; j++) /*P*/
   rows[i][j] += rows[i-1][j]; 
 for (i = 0; i < 40; i++) /*P*/
  free(rows[i]); }
void l16(void){ int i; char *e = str + strlen(str), *p;
 for (p = str; p < e; ++p) /*P*/
  if (*p == 'a') *p = 'b'; }
void l17(void){ int i; char *p;
 for (p = str; *p; ++p) /*?*/
  if (*p == 'a') *p = 'b'; }
void l18(void){ int i; double *p = w, *q = w + N - 1;
 for (; p < q; p++, q--) { /*?*/
  double t = *p; *p = *q; *q = t; } }
void l19(void){ int i; int n = 0; int idx[N];
 for (i = 0; i < N; i++) /*S*/
  if (k[i] % 3 == 0) idx[n++] = i;
 for (i = 0; i < n; i++) /*P*/
  w[idx[i]] += 5; }
void l20(void){ long i; 
 for (i = 0; i < N; i++) { /*?*/
  double *restrict p = w + i; const double *restrict q = w + (i ? i - 1 : 0); b[i] = *p + *q; } }
void l21(void){ int i; 
 for (i = 0; i < N; i++) { /*S*/
  w[i] += 1; die(i); } }
int main(void){ int i;
 for (i = 0; i < N; i++) { a[i] = (i*7919%1000)/100.0; k[i] = i * 7919 % 1001; str[i] = 'a' + i % 26; }
 atexit(fin);
 l1();l2();l3();l4();l5();l6();l7();l8();l9();l10();l11();l12();l13(&cfg);l14(&cfg);l15();l16();l17();l18();l19();l20();
 { double s = 0; for (i = 0; i < N; i++) s += b[i]*(i%3)+w[i]; printf("%g\n", s); }
 l21(); return 0; }

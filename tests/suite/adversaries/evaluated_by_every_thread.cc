// Once wrong directives: every thread evaluates the start of a `for` and a range, with its own copies of what the clauses name.
#include <cstdio>
#include <vector>
const int N=2000; int a[N], b[N]; int calls, pos=4; std::vector<std::vector<int>> v(3,std::vector<int>(N,2));
std::vector<int> u(N,5), z(N);
struct P { int x, y; }; struct Lexer { const char *s; int at=0; int start(){ while(s[at]==' ') at++; return at; } };
std::vector<int> load(){ calls++; return std::vector<int>(N,calls); }
#define FIRST c
int main(){ long s=0; int c=3, k=1, last=3, from=3, *p=a; P m={5,1}; int t[2]={7,0}; char text[N+1];
  for(int i=0;i<N;i++)
    a[i]=i%17;
  for(int i=c++;i<N;i++)
    s+=a[i];
  for(int x: load())
    s+=x;
  for(int x: v[k])
    k+=x;
  for(int i=m.x;i<N;i++) {
    m.x=a[i]; b[i]+=m.x; }
  for(int i=t[0];i<N;i++) {
    t[0]=a[i]; t[1]=2; b[i]+=t[0]*t[1]; }
  for(int i=pos;i<N;i++) {
    pos=a[i]; b[i]+=pos; }
  for(int i=last+1;i<N;++i) {
    last=b[i]; b[i]=last+1; }
  for(int* q=p+5;q<a+N;q++) {
    p=q; *p+=1; }
  a[0]=5;
  for(int i=a[0];i<N;i++)
    a[i-5]=b[i]+i;
  for(int i=u[0];i<N;i++)
    u[i-5]=b[i]+i;
  for(int i=FIRST;
      i<N;i++) {
    c=a[i]&7; b[i]+=c; }
  for(int i=(from+=2);i<N;i++)
    s+=b[i];
  for(int i=0;i<N;i++)
    text[i]=i<9?' ':'a'+i%26;
  text[N]=0; Lexer l{text};
  for(int i=l.start();i<N;i++)
    z[i]=text[i]-'a';
  for(int i=0;i<N;i++)
    s+=(a[i]+b[i]+u[i]+z[i])*(i%7);
  printf("%ld %d %d %d %d %d %d\n",s,c,k,calls,last,from,l.at); }

// Objects that keep the address of a local: views, jobs, logs.
#include <cstdio>
#include <vector>
#include <memory>
static const int N=100;
static int z[N];
struct View { int *p; int n; View():p(0),n(0){} View(int *b,int m):p(b),n(m){ for(int k=0;k<n;k++) p[k]=0; } int get(int k)const{return p[k];} };
struct Job { int &res; explicit Job(int &r):res(r){ res=-1; } void run(int i){ res=i; } };
struct Log { int last; void set(int v){ last=v; } };
struct Obj { Log *log; void attach(Log &l,int i){ log=&l; l.set(i); } };
int main(){
  int buf[8]; std::vector<View> vs(N);

  for(int i=0;i<N;i++) vs[i]=View(buf,8);
  vs[0].p[0]=7; printf("%d\n",vs[N-1].get(0));
  int r; std::vector<std::unique_ptr<Job>> js(N);

  for(int i=0;i<N;i++) js[i].reset(new Job(r));
  js[0]->run(5); printf("%d\n",js[N-1]->res);
  Log log; Obj os[N];

  for(int i=0;i<N;i++) os[i].attach(log,i);
  os[0].log->set(9); printf("%d\n",os[N-1].log->last);
  Log log2; int m;

  for(int i=0;i<N;i++){ os[i].log=&log2; log2.last=i; z[i]=i; }
  os[0].log->set(9); printf("%d\n",os[N-1].log->last);
}

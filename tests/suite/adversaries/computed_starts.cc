// Starts, ranges and bounds that only compute: their directives must keep the results.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>
const int N=4000; double a[N+8], b[N+8]; int row_[N+1]; int first_=3; const int first0=2;
struct Grid { int n, lo; double *p; double *begin(){ return p; } double *end(){ return p+n; } int size() const { return n; }
  void scale(){ 
    for(int i=lo;i<n;i++)
      p[i]*=1.5; }
  double cells[N];
  void fill(){
    for(int i=lo;i<size();i++)
      cells[i]=i%7; } };
__attribute__((noinline)) double sparse(int n,const int*row,const int*col,const double*val,const double*x,double*y){
  for(int i=0;i<n;i++)
    for(int j=row[i];j<row[i+1];j++)
      y[i]+=val[j]*x[col[j]];
  double s=0;
  for(int i=0;i<n;i++)
    s+=y[i]*(i%7);
  return s; }
__attribute__((noinline)) double vsparse(const std::vector<int>&row,const std::vector<double>&val,std::vector<double>&y){
  for(int i=0;i<8;i++) {
    double t=0;
    for(int j=row[i];j<row[i+1];j++)
      t+=val[j];
    y[i]=t; }
  return y[3]; }
int main(){ std::vector<int> row(N+1), col(4*N); std::vector<double> val(4*N), x(N), y(N), z(N);
  for(int i=0;i<=N;i++)
    row[i]=4*i;
  for(int i=0;i<4*N;i++) {
    col[i]=i*7919L%N; val[i]=i%13; }
  for(int i=0;i<N;i++)
    x[i]=i%5;
  double s=sparse(N,row.data(),col.data(),val.data(),x.data(),y.data());
  std::vector<int> r8(9); for(int i=0;i<9;i++) r8[i]=i*500;
  s+=vsparse(r8,val,z);
  for(double &v: y)
    v*=2;
  for(double &v: a)
    v+=3;
  for(double *p=a+first_;p<a+N;p++)
    *p+=1;
  for(double *p=a;p!=a+N;++p)
    *p+=1;
  for(int i=std::max(first_,1);i<N;i++)
    b[i]=i;
  for(int i=(int)y.size()-1;i>=0;i--)
    y[i]+=1;
  for(int i=(int)std::sqrt(100.0);i<N;i++)
    b[i]+=i;
  for(int i=first0;i<std::min(N,(int)y.size());i++)
    b[i]+=i;
  for(int i=row[2];i<N;i++)
    b[i]+=i;
  Grid g{N,2,b};
  for(double &v: g)
    v+=0.5;
  for(int i=g.lo;i<g.size();i++)
    g.p[i]+=1;
  g.scale(); static Grid h; h=g; h.fill();
  for(int i=g.size()-1;i>=0;--i)
    g.p[i]+=1;
  std::string t(N,'x');
  for(char &c: t)
    c='a'+(&c-&t[0])%26;
  for(int c='a';c<='z';c++)
    b[c]+=c;
  std::for_each(y.begin(),y.begin()+3,[&](double q){
    for(int i=0;i<N;i++)
      z[i]+=q;
  });
  for(int i=0;i<N;i++)
    s+=(a[i]+b[i]+y[i]+z[i]+t[i]+h.cells[i])*(i%7);
  printf("%.10g\n",s); }

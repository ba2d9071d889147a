// Iterators and references that every iteration sets, and that are declared outside of the loop: they live in registers, where a run sees nothing.
#include <cstdio>
#include <functional>
#include <vector>
std::vector<double> a(2000), c(2000); double f1(){ std::vector<double>::iterator it;
  for(int i=0;i<2000;i++) {
    it=c.begin()+i; *it=a[i];
  }
  return *it; }
double f2(std::vector<double>& v){
  std::vector<double>::iterator it;
  for(int i=0;i<2000;i++) {
    it=v.begin()+i; *it=*it*2+1;
  }
  return *it; }
double f3(){ 
  std::reference_wrapper<double> r=a[0];
  for(int i=0;i<2000;i++) {
    r=c[i]; r.get()=a[i]*2;
  }
  return r; }
double f4(){ 
  std::initializer_list<double> il;
  for(int i=0;i<2000;i++) {
    il={1.,2.,3.}; c[i]+=il.size();
  }
  return il.size(); }
double f5(){
  std::vector<double>::iterator it;
  for(int i=0;i<2000;i++) {
    it=c.begin(); it[i]=a[i]*3;
  }
  return *it; }
int main(){
  for(int i=0;i<2000;i++)
    a[i]=i%31;
  double x=f1()+f2(c)+f3()+f4()+f5(), t=0;
  for(int i=0;i<2000;i++)
    t+=c[i]*(i+1);
  printf("%.10g %.10g\n",x,t); }

// References that std::min and std::max give back to variables that the loop writes.
#include <algorithm>
#include <cstdio>
double a[600], c[600];
double f1(){ double s=0,q=1; const double& m=std::max(s,q);
  for(int i=0;i<600;i++) {
    q=a[i]; c[i]+=m*q;
  }
  return 0; }
int f2(){ int s=0,q=1; const int& m=std::min(s,q);
  for(int i=0;i<600;i++) {
    s=i; c[i]+=m;
  }
  return s+q; }
int main(){
  for(int i=0;i<600;i++)
    a[i]=i%31;
  double x=f1()+f2(), t=0;
  for(int i=0;i<600;i++)
    t+=c[i]*(i+1);
  printf("%.10g %.10g\n",x,t); }

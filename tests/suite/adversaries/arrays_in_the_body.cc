// Once refused in wrong words: array declared in the loop's body.
#include <cstdio>
#include <vector>
const int N=5000; std::vector<double> a(N), b(N);
int main(){
  for(int i=0;i<N;i++)
    a[i]=(i*7919)%1009;
  for(int i=0;i<N;i++) {
    double t[4];
    for(int k=0;k<4;k++) t[k]=a[i]*k;
    double s=0;
    for(int k=0;k<4;k++) s+=t[k];
    b[i]+=s;
  }
  for(int i=0;i<N;i++) {
    double t[3]={a[i],1,2};
    b[i]+=t[i%3];
  }
  double q=0;
  for(int i=0;i<N;i++)
    q+=b[i];
  printf("%g\n",q); }

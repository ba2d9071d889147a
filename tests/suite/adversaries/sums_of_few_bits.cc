// Sums and flags of bool, short and char, minima through references, sums in two elements.
#include <cstdio>
#include <vector>
#include <algorithm>
const int N=20000; std::vector<double> a(N); std::vector<int> ia(N);
int main(){ bool any=false, all=true, hit=false; short sh=0; unsigned char uc=0; long double l=0; int lastf=-1, cnt=0, firstf=N; double sum2[2]={0,0};
  for(int i=0;i<N;i++) {
    a[i]=(i*7919L)%1009; ia[i]=i%200; }
  for(int i=0;i<N;i++)
    any |= a[i]>500;
  for(int i=0;i<N;i++)
    all = all && a[i]>=0;
  for(int i=0;i<N;i++)
    if(a[i]>500) hit=true;
  for(int i=0;i<N;i++)
    sh += ia[i];
  for(int i=0;i<N;i++)
    uc |= ia[i];
  for(int i=0;i<N;i++)
    l += a[i];
  for(int i=0;i<N;i++)
    if(ia[i]==77) lastf=i;
  for(int i=0;i<N;i++)
    if(ia[i]==77) { cnt++; firstf=std::min(firstf,i); }
  for(int i=0;i<N;i++)
    { sum2[0]+=a[i]; sum2[1]+=a[i]*a[i]; }
  printf("%d %d %d %d %d %Lg %d %d %d %g\n",any,all,hit,sh,uc,l,lastf,cnt,firstf,sum2[0]+sum2[1]); }

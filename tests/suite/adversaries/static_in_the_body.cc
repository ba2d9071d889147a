// Once a directive that does not compile: static declared inside the loop's body: reduction(+:calls) above the loop, where `calls` is not in scope.
#include <cstdio>
#include <vector>
const int N=20000; std::vector<double> b(N);
int main(){
  for(int i=0;i<N;i++) {
    static int calls=0;
    calls++;
    b[i]+=1;
    if(i==-1) printf("%d",calls); }
  for(int i=0;i<N;i++) {
    static int c2=0;
    c2++;
    b[i]+=1; }
  printf("%g\n",b[3]); }

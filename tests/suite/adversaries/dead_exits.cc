// Once a directive that does not compile: break/return/goto in a branch that the front-end folds away (constant condition, after continue): OpenMP forbids it in the source all the same.
#include <cstdio>
#include <vector>
const int N=20000; std::vector<double> b(N); const bool debug=false; static constexpr int verbose=0; enum{LIM=0};
int main(){
  for(int i=0;i<N;i++) {
    if(debug) break;
    b[i]+=1; }
  for(int i=0;i<N;i++) {
    if(verbose) return 3;
    b[i]+=1; }
  for(int i=0;i<N;i++) {
    if(sizeof(long)==4) break;
    b[i]+=1; }
  for(int i=0;i<N;i++) {
    if(LIM && i>LIM) break;
    b[i]+=1; }
  for(int i=0;i<N;i++) {
    if(verbose) goto out;
    b[i]+=1; }
out:
  printf("%g\n",b[3]); }

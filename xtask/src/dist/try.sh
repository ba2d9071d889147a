# Uses the package, then the archive, in a clean Debian 12: compiles, records, plans, proves, and looks at a program of
# the system.
set -eu
cd /root
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -q -y ./parascan.deb >/dev/null
for tool in cargo rustc; do
    if command -v $tool; then
        echo "$tool is here: this is no clean system" >&2
        exit 1
    fi
done
cat >sum.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    int n = 3000000;
    double *a = malloc(n * sizeof *a);
    for (int i = 0; i < n; i++)
        a[i] = (double)i / (i % 7 + 1) + i % 13;
    double s = 0;
    for (int k = 0; k < 20; k++)
        for (int i = 0; i < n; i++)
            s += a[i] * k;
    printf("%.6e\n", s);
    return 0;
}
END

try() {
    "$1"parascan-cc -O2 -g sum.c -o sum
    rm -f parascan.prof
    "$1"parascan record --explain -- ./sum
    "$1"parascan plan >plan.txt
    grep -q 'pragma omp parallel for' plan.txt
    "$1"parascan apply >sum.patch
    grep -q '^+.*pragma omp' sum.patch
    "$1"parascan report -o report.html
    "$1"parascan ilp -o ilp.txt -- /bin/true
    test -s report.html
    test -s ilp.txt
    test -s "$2"/share/man/man1/parascan-record.1
    test -s "$2"/share/bash-completion/completions/parascan
    test -s "$2"/share/doc/parascan/THIRD-PARTY
    test -s "$2"/share/doc/parascan/docs/tutorial/kmeans.c
}

try '' /usr
apt-get install -q -y --no-install-recommends libomp-22-dev libclang-rt-22-dev >/dev/null
parascan prove --build '{cc} -O2 sum.c -o sum' -- ./sum
apt-get remove -q -y parascan >/dev/null
if [ -e /usr/bin/parascan ] || [ -e /usr/lib/parascan ]; then
    echo "the package left parascan behind" >&2
    exit 1
fi
# Anywhere, also behind a space.
mkdir '/opt/some where'
tar -xzf parascan.tar.gz -C '/opt/some where'
try "$(echo /opt/some\ where/parascan-*)/bin/" "$(echo /opt/some\ where/parascan-*)"
echo "all fine"

//! Random C programs for the comparison, made from a list of choices.
//!
//! Programs have no undefined behaviour: integers are unsigned or converted, indices are below the arrays' length,
//! loops have few iterations whatever the data says, divisors are odd, floating-point values are checked before they
//! become integers. Structures have no padding, whose times would be those of whatever lay there before.

mod bound;
mod carried;
mod choices;
mod expression;
mod kernel;
mod statement;
mod strategy;

use choices::Choices;
use parascan_formats::c_writer::CodeWriter;
pub use strategy::{ProgramSample, Programs};

/// Length of all arrays.
const LENGTH: u64 = 12;
/// Integer arrays and their element types.
const INTEGERS: [(&str, &str); 7] = [
    ("w", "unsigned"),
    ("l", "unsigned long"),
    ("b", "unsigned char"),
    ("h", "unsigned short"),
    ("i", "int"),
    ("v", "unsigned"),
    ("c", "signed char"),
];
/// Floating-point arrays and their element types.
const REALS: [(&str, &str); 3] = [("d", "double"), ("f", "float"), ("e", "double")];
/// Most times that the statements of one function may be executed, roughly.
const HEAVIEST: u64 = 40_000;

/// What functions look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FunctionShape {
    /// `unsigned long f(unsigned long x, unsigned y)`
    Plain,
    /// The same, calling itself; `y` counts down.
    Recursive,
    /// `unsigned long f(unsigned *q, unsigned long x)`; `q` points to an array.
    Array,
    /// `struct rec f(struct rec x, struct pair z)`
    Record,
    /// `double f(double x, float y)`
    Real,
}

/// A function that later ones may call.
#[derive(Clone, Copy, Debug)]
struct GeneratedFunction {
    shape: FunctionShape,
    /// How many statements a call executes, roughly.
    weight: u64,
}

/// The program that some choices make.
pub fn program(choices: &[u32]) -> String {
    let mut writer = ProgramWriter {
        choices: Choices::new(choices),
        code: CodeWriter::default(),
        functions: Vec::new(),
        loops: Vec::new(),
        times: 1,
        weight: 0,
        names: 0,
        exits: Vec::new(),
        shape: FunctionShape::Plain,
    };
    writer.program();
    writer.code.into_text()
}

struct ProgramWriter<'c> {
    choices: Choices<'c>,
    code: CodeWriter,
    functions: Vec<GeneratedFunction>,
    /// Loops around the current place, outermost first.
    loops: Vec<GeneratedLoop>,
    /// How often the current place is executed in one call, at most.
    times: u64,
    /// Statements of the current function so far, times how often.
    weight: u64,
    names: usize,
    /// Labels behind the outermost loop that were jumped to.
    exits: Vec<String>,
    shape: FunctionShape,
}

#[derive(Clone, Debug)]
struct GeneratedLoop {
    /// Variable below [`LENGTH`], if there is one.
    index: Option<String>,
    /// Whether `break` and `continue` here mean this loop.
    inside_switch: bool,
}

impl ProgramWriter<'_> {
    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.choices.below(list.len() as u64) as usize]
    }

    fn program(&mut self) {
        self.code.line("#include <math.h>");
        self.code.line("#include <stdio.h>");
        self.code.line("#include <stdlib.h>");
        self.code.line("#include <string.h>");
        self.code.line(&format!("enum {{ N = {LENGTH} }};"));
        for (name, ty) in INTEGERS.iter().chain(&REALS) {
            self.code.line(&format!("static {ty} {name}[N];"));
        }
        self.code.line("struct rec { unsigned long big; double real; unsigned word; unsigned short half; unsigned char bytes[2]; };");
        self.code.line("struct pair { unsigned a, b; };");
        self.code.line("static struct rec s[N];");
        self.code.line(
            "static unsigned grid[N][N], table[N][N], memory[N], histogram[N], extreme = 9, place;",
        );
        self.code.line("static double sums[N];");
        self.code.line("static struct pair p[N];");
        self.code.line("static unsigned long g0, g1;");
        self.code.line("static unsigned n0 = 7, n1;");
        self.code.line("static double z0;");
        // Bounds in memory.
        self.code.line(
            "struct limits { unsigned n; int m; unsigned *p, *end, *count; unsigned long l; };",
        );
        self.code
            .line("static struct limits limits = { 7, 5, w, w + 9, &n0, 6 }, *lim = &limits;");
        self.code.line("static unsigned scratch[N];");
        self.code.line(
            "#define rounded(a) ((a) > -1e9 && (a) < 1e9 ? (unsigned long)(long)((a) * 16) : 3ul)",
        );
        // Small functions that are the same every time.
        self.code.line("static unsigned long mixed(double a) { return a > -1e9 && a < 1e9 ? (unsigned long)(long)(a * 16) : 3; }");
        self.code.line("static unsigned long twist(unsigned long a, unsigned long b) { return (a ^ b * 3) + w[a % N]; }");
        self.code
            .line("static unsigned long nest(unsigned a) { return twist(a, 7) * 5 + mixed(a); }");
        self.code.line("static unsigned draw(void) { static unsigned seed = 5; return seed = seed * 69069u + 1; }");
        self.code
            .line("static void poke(unsigned i, unsigned a) { w[i % N] = a; }");
        self.code.line(
            "static __attribute__((noinline)) unsigned peek(unsigned i) { return w[i % N]; }",
        );
        self.code.line("static __attribute__((noinline)) unsigned whole(struct rec x) { return x.word + x.bytes[0]; }");
        self.code
            .line("static double blend(double a, double b) { return sqrt(fabs(a)) * 0.5 + b; }");
        let functions = 1 + self.choices.below(4);
        for number in 0..functions {
            self.function(number);
        }
        self.main();
    }

    fn function(&mut self, number: u64) {
        self.shape = match self.choices.below(8) {
            4 => FunctionShape::Recursive,
            5 => FunctionShape::Array,
            6 => FunctionShape::Record,
            7 => FunctionShape::Real,
            _ => FunctionShape::Plain,
        };
        let linkage = self.pick(&["static ", "", "static __attribute__((noinline)) "]);
        let head = match self.shape {
            FunctionShape::Plain | FunctionShape::Recursive => {
                "unsigned long f#(unsigned long x, unsigned y)"
            }
            FunctionShape::Array => "unsigned long f#(unsigned *q, unsigned long x)",
            FunctionShape::Record => "struct rec f#(struct rec x, struct pair z)",
            FunctionShape::Real => "double f#(double x, float y)",
        };
        let head = head.replace('#', &number.to_string());
        self.code.open(&format!("{linkage}{head}"));
        match self.shape {
            FunctionShape::Plain | FunctionShape::Recursive => {
                self.code.line("unsigned long r = x, t = y; unsigned u = y; double k = 1.5;");
            }
            FunctionShape::Array => {
                self.code.line("unsigned long r = x, t = 1; unsigned u = q[3], y = q[1]; double k = 0.25;");
            }
            FunctionShape::Record => self.code.line(
                "unsigned long r = x.big, t = x.half; unsigned u = x.word, y = z.a; double k = x.real;",
            ),
            FunctionShape::Real => self.code.line(
                "unsigned long r = rounded(x), t = 2; unsigned u = 5, yy = rounded(y); double k = x * y;",
            ),
        }
        if self.shape == FunctionShape::Real {
            self.code.line("{ unsigned y = yy; unsigned long x = r;");
        }
        if self.shape == FunctionShape::Record {
            self.code
                .line("{ struct rec xx = x; unsigned long x = xx.big;");
        }
        self.code.line(
            "unsigned a[N]; struct rec o = s[1]; (void)t, (void)u, (void)k, (void)x, (void)y;",
        );
        self.code
            .line("for (unsigned j = 0; j < N; j++) a[j] = w[j] + j;");
        if self.shape == FunctionShape::Recursive {
            self.code.line("if (y == 0) return x;");
        }
        (self.times, self.weight) = (1, 10 + LENGTH);
        self.statements(3);
        match self.shape {
            FunctionShape::Plain | FunctionShape::Array => {
                let value = self.integer(1);
                self.code.line(&format!(
                    "return r + t * 3 + u + rounded(k) + o.word + a[2] + {value};"
                ));
            }
            FunctionShape::Recursive => {
                let value = self.integer(1);
                self.weight *= 4;
                self.code.line(&format!(
                    "return f{number}({value}, y - 1) + r + t + a[u % N];"
                ));
            }
            FunctionShape::Record => {
                self.code
                    .line("o.big = r + a[5]; o.word = u; o.half = t; o.real = k; return o; }");
            }
            FunctionShape::Real => self
                .code
                .line("return k + r % 64 + u % 8 + a[t % N] % 16; }"),
        }
        self.code.close();
        self.functions.push(GeneratedFunction {
            shape: self.shape,
            weight: self.weight,
        });
    }

    fn main(&mut self) {
        self.shape = FunctionShape::Plain;
        self.code.open("int main(void)");
        self.code.line("unsigned long r = 1, t = 2, x = 3; unsigned u = 4, y = 5, a[N]; double k = 0.75; struct rec o = { 1, 2, 3, 4, { 5, 6 } };");
        self.code.open("for (unsigned j = 0; j < N; j++)");
        for (n, (name, _)) in INTEGERS.iter().chain(&REALS).enumerate() {
            self.code
                .line(&format!("{name}[j] = (j + {n}) * {} % 97;", 2 * n + 3));
        }
        self.code.line("s[j].big = j * 5; s[j].real = j * 0.5; s[j].word = j; s[j].half = j * 3; s[j].bytes[0] = j; s[j].bytes[1] = 7;");
        self.code
            .line("p[j].a = j; p[j].b = j * j; a[j] = j; grid[j][j] = j;");
        self.code.close();
        self.code
            .line("(void)t, (void)u, (void)k, (void)x, (void)y, (void)o;");
        (self.times, self.weight) = (1, 100);
        for number in 0..self.functions.len() {
            self.call(number);
            self.fixed_call(number);
        }
        self.statements(3);
        self.code.open("for (unsigned j = 0; j < N; j++)");
        for (name, _) in INTEGERS {
            self.code.line(&format!("r = r * 31 + {name}[j];"));
        }
        for (name, _) in REALS {
            self.code.line(&format!("r = r * 31 + mixed({name}[j]);"));
        }
        self.code.line("r += s[j].big + rounded(s[j].real) + s[j].word * 3 + s[j].half * 5 + s[j].bytes[0] + s[j].bytes[1] * 7;");
        self.code.line(
            "r += p[j].a + p[j].b * 11 + a[j] + memory[j] + histogram[j] * 3 + rounded(sums[j]);",
        );
        self.code
            .line("for (unsigned i = 0; i < N; i++) r = r * 3 + grid[i][j] + table[j][i];");
        self.code.close();
        self.code.line(
            "printf(\"%lu %lu %lu %lu %u %u %u\\n\", r, t, g0, g1, n0, n1, u ^ extreme ^ place);",
        );
        self.code
            .line("printf(\"%lu %lu %lu\\n\", rounded(k), rounded(z0), o.big);");
        self.code
            .line("printf(\"%u %d %lu %u\\n\", limits.n, limits.m, limits.l, scratch[5]);");
        self.code.line("return r % 251;");
        self.code.close();
    }
}

#[cfg(test)]
mod tests {
    use super::program;

    #[test]
    fn no_choices_make_a_program() {
        assert!(program(&[]).contains("int main"));
        assert_eq!(program(&[7; 50]), program(&[7; 50]));
        assert_ne!(program(&[]), program(&[7; 50]));
    }
}

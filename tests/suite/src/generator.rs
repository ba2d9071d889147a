//! Random C programs of loop nests over arrays of all integer and floating-point types, in the manner of YARPGen.
//!
//! Programs are free of undefined behaviour by construction: integers are unsigned, indices are reduced modulo the
//! array length, divisors are made odd, floating-point values stay within a small range, and there is no aliasing
//! between types.

use parascan_formats::c_writer::CodeWriter;

const LENGTH: u64 = 24;
const INTEGERS: [&str; 4] = [
    "unsigned char",
    "unsigned short",
    "unsigned",
    "unsigned long",
];
const ARRAYS: u64 = 8;
/// Types of further arguments.
const FURTHER: [&str; 7] = [
    INTEGERS[0],
    INTEGERS[1],
    INTEGERS[2],
    INTEGERS[3],
    "double",
    "struct pair",
    "struct block",
];

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut generator = Generator {
        state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        code: CodeWriter::default(),
        further: Vec::new(),
    };
    generator.program();
    generator.code.into_text()
}

struct Generator {
    state: u64,
    code: CodeWriter,
    /// Of each function: types of its arguments behind `x` and `y`. Ten at most, so that some travel on the stack.
    further: Vec<Vec<&'static str>>,
}

impl Generator {
    fn below(&mut self, bound: u64) -> u64 {
        // xorshift64*
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len() as u64) as usize]
    }

    fn program(&mut self) {
        self.code.line("#include <stdio.h>");
        self.code.line("#include <string.h>");
        self.code.line(&format!("enum {{ N = {LENGTH} }};"));
        for array in 0..ARRAYS {
            let kind = INTEGERS[(array % 4) as usize];
            self.code
                .line(&format!("static {kind} a{array}[N], *p{array} = a{array};"));
        }
        self.code.line("static double d0[N], d1[N];");
        self.code.line("static struct { unsigned char tag; unsigned low : 5, high : 11; unsigned long big; } s[N];");
        self.code
            .line("struct pair { unsigned short low; unsigned long high; };");
        self.code.line("struct block { unsigned long v[5]; };");
        self.code.line("static unsigned long total;");
        let functions = 2 + self.below(3);
        for function in 0..functions {
            let result = self.pick(&["unsigned long", INTEGERS[0], INTEGERS[1], "_Bool"]);
            let count = self.below(4) * self.below(4);
            let further: Vec<&str> = (0..count)
                .map(|_| FURTHER[self.below(FURTHER.len() as u64) as usize])
                .collect();
            let declared: String = (further.iter().enumerate())
                .map(|(index, kind)| format!(", {kind} e{index}"))
                .collect();
            self.code.open(&format!(
                "static {result} f{function}(unsigned long x, unsigned long y{declared})"
            ));
            self.code.line("unsigned long r = x;");
            for (index, kind) in further.iter().enumerate() {
                let part = match *kind {
                    "struct pair" => ".high",
                    "struct block" => ".v[3]",
                    _ => "",
                };
                self.code
                    .line(&format!("r = r * 3 + (unsigned long)e{index}{part};"));
            }
            self.further.push(further);
            self.statements(0, function);
            self.code.line("return r;");
            self.code.close();
        }
        self.code.open("int main(void)");
        self.code.line("unsigned long x = 3, y = 7;");
        self.code.line("for (unsigned i = 0; i < N; i++)");
        for array in 0..ARRAYS {
            let factor = 3 + self.below(90);
            self.code.line(&format!("  a{array}[i] = i * {factor}u,"));
        }
        self.code.line("  d0[i] = i / 7.0, d1[i] = i * 0.5, s[i].tag = i, s[i].low = i, s[i].high = i * 9, s[i].big = i;");
        for function in 0..functions {
            let call = self.call(function, &format!("{}ul", function + 1), "5ul");
            self.code.line(&format!("total += {call};"));
        }
        self.code.open("for (unsigned i = 0; i < N; i++)");
        self.code
            .line("total = total * 31 + s[i].tag + s[i].low * 3 + s[i].high * 5 + s[i].big;");
        for array in 0..ARRAYS {
            self.code
                .line(&format!("total = total * 31 + a{array}[i];"));
        }
        self.code
            .line("total += (unsigned long)(d0[i] * 1024 + d1[i] * 64);");
        self.code.close();
        self.code.line("printf(\"%lu\\n\", total);");
        self.code.line("return total % 251;");
        self.code.close();
    }

    /// A call of a function with these as `x` and `y`.
    fn call(&mut self, function: u64, x: &str, y: &str) -> String {
        let further: String = (self.further[function as usize].clone().into_iter())
            .map(|kind| {
                let value = self.below(200);
                match kind {
                    "double" => format!(", {value} * 0.5"),
                    "struct pair" => format!(", (struct pair){{{value}, x + {value}}}"),
                    "struct block" => format!(", (struct block){{{{1, x, {value}, {value} * y}}}}"),
                    _ => format!(", ({kind})(x + {value})"),
                }
            })
            .collect();
        format!("f{function}({x}, {y}{further})")
    }

    fn statements(&mut self, loops: usize, functions: u64) {
        for _ in 0..2 + self.below(3) {
            match self.below(12) {
                0..=4 if loops < 3 => self.any_loop(loops, functions),
                5 => self.condition(loops, functions),
                6 => {
                    let (to, from) = (self.below(ARRAYS), self.below(ARRAYS));
                    if to % 4 == from % 4 && to != from {
                        self.code.line(&format!(
                            "memcpy(a{to} + 3, a{from} + 5, 9 * sizeof a{to}[0]);"
                        ));
                    } else {
                        self.code
                            .line(&format!("memmove(a{to} + 2, a{to}, 7 * sizeof a{to}[0]);"));
                    }
                }
                7 => {
                    let index = self.index(loops);
                    let value = self.value(loops, functions, 1);
                    self.code.line(&format!("s[{index}].high = {value};"));
                    self.code
                        .line(&format!("s[{index}].big += s[{index}].low;"));
                }
                8 => {
                    let (to, from) = (self.index(loops), self.index(loops));
                    self.code
                        .line(&format!("d0[{to}] = d1[{from}] * 0.5 + d0[{from}] * 0.25;"));
                }
                9 => {
                    let (to, from) = (self.index(loops), self.index(loops));
                    self.code.line(&format!("s[{to}] = s[{from}];"));
                }
                10 => {
                    let operator = self.pick(&["+=", "^=", "|=", "-="]);
                    let value = self.value(loops, functions, 2);
                    self.code.line(&format!("r {operator} {value};"));
                }
                _ => {
                    let array = self.below(ARRAYS);
                    let (index, value) = (self.index(loops), self.value(loops, functions, 2));
                    let operator = self.pick(&["=", "=", "=", "+=", "^=", "*="]);
                    self.code
                        .line(&format!("a{array}[{index}] {operator} {value};"));
                }
            }
        }
    }

    fn any_loop(&mut self, loops: usize, functions: u64) {
        let (i, start, step) = (format!("i{loops}"), self.below(4), 1 + self.below(3));
        match self.below(5) {
            0 => self
                .code
                .open(&format!("for (unsigned {i} = N - 1; {i} > {start}; {i}--)")),
            1 => {
                let array = self.below(ARRAYS);
                let bound = 30 + self.below(200);
                self.code.open(&format!("for (unsigned {i} = {start}; {i} < N && a{array}[{i}] != {bound}; {i} += {step})"));
            }
            2 => self.code.open(&format!(
                "for (unsigned long {i} = y % {}; {i} < N; {i} += {step})",
                start + 1
            )),
            _ => self.code.open(&format!(
                "for (unsigned {i} = {start}; {i} < N; {i} += {step})"
            )),
        }
        self.statements(loops + 1, functions);
        if self.below(4) == 0 {
            let value = self.value(loops + 1, 0, 1);
            let leave = self.pick(&["break", "continue"]);
            self.code.line(&format!("if (({value}) % 7 == 3)"));
            self.code.line(&format!("  {leave};"));
        }
        if self.below(3) == 0 {
            self.code.line(&format!("r += {i};"));
        }
        self.code.close();
    }

    fn condition(&mut self, loops: usize, functions: u64) {
        let (left, right) = (self.value(loops, 0, 1), self.value(loops, 0, 1));
        let relation = self.pick(&["<", ">=", "==", "!="]);
        let join = self.pick(&["&&", "||"]);
        self.code
            .open(&format!("if ({left} {relation} {right} {join} r % 3 != 1)"));
        let array = self.below(ARRAYS);
        let (index, value) = (self.index(loops), self.value(loops, functions, 2));
        self.code.line(&format!("a{array}[{index}] = {value};"));
        self.code.close();
    }

    fn index(&mut self, loops: usize) -> String {
        let array = self.below(ARRAYS);
        let offset = self.below(LENGTH);
        match self.below(4) {
            0 => offset.to_string(),
            1 if loops > 0 => format!("(i{} + {offset}) % N", self.below(loops as u64)),
            2 => format!("a{array}[{offset}] % N"),
            _ if loops > 0 => format!("i{} % N", self.below(loops as u64)),
            _ => "x % N".into(),
        }
    }

    fn value(&mut self, loops: usize, functions: u64, depth: u32) -> String {
        if depth == 0 {
            let array = self.below(ARRAYS);
            let index = self.index(loops);
            return match self.below(6) {
                0 => format!("{}ul", self.below(1000)),
                1 => "y".into(),
                2 => format!("*(p{array} + {index})"),
                3 => format!("s[{index}].low"),
                4 if loops > 0 => format!("i{}", self.below(loops as u64)),
                _ => format!("(unsigned long)a{array}[{index}]"),
            };
        }
        let (left, right) = (
            self.value(loops, functions, depth - 1),
            self.value(loops, functions, depth - 1),
        );
        match self.below(9) {
            0 => format!("({left} / ({right} | 1ul))"),
            1 => format!("({left} << ({right} % 8))"),
            2 => format!("({left} < {right} ? {right} : {left})"),
            3 if functions > 0 && loops < 3 => {
                let function = self.below(functions);
                self.call(function, &format!("{left} % 64"), &format!("{right} % 64"))
            }
            n => format!(
                "(1ul * {left} {} {right})",
                ["+", "-", "*", "^", "&", "|"][n as usize % 6]
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::program;

    #[test]
    fn a_seed_always_gives_the_same_program() {
        assert_eq!(program(7), program(7));
        assert_ne!(program(7), program(8));
    }
}

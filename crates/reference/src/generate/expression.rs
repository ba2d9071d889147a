//! Expressions, conditions and indices of random programs.

use super::{FunctionShape, INTEGERS, ProgramWriter, REALS};

impl ProgramWriter<'_> {
    /// A name of an integer array.
    pub(super) fn array(&mut self) -> &'static str {
        INTEGERS[self.choices.below(INTEGERS.len() as u64) as usize].0
    }

    fn real_array(&mut self) -> &'static str {
        REALS[self.choices.below(REALS.len() as u64) as usize].0
    }

    /// Index of a loop around, if any has one.
    fn loop_index(&mut self) -> Option<String> {
        let all: Vec<String> = self.loops.iter().filter_map(|l| l.index.clone()).collect();
        let n = self.choices.below(all.len().max(1) as u64) as usize;
        // The innermost is the simplest choice.
        all.into_iter().rev().nth(n)
    }

    /// An expression below the arrays' length.
    pub(super) fn index(&mut self) -> String {
        let choice = self.choices.below(10);
        let offset = self.choices.below(super::LENGTH);
        if let (0..=2, Some(i)) = (choice, self.loop_index()) {
            return i;
        }
        match choice {
            3 => self
                .loop_index()
                .map_or("u % N".into(), |i| format!("({i} + {offset}u) % N")),
            4 => format!("b[{offset}] % N"),
            5 => {
                let inner = self.loop_index().unwrap_or_else(|| offset.to_string());
                let array = self.pick(&["w", "l", "h", "b"]);
                format!("{array}[{inner}] % N")
            }
            6 => "r % N".into(),
            7 => self
                .loop_index()
                .map_or("t % N".into(), |i| format!("(N - 1 - {i})")),
            8 => self
                .loop_index()
                .map_or("y % N".into(), |i| format!("{i} / 2")),
            _ => offset.to_string(),
        }
    }

    /// Something of integer type to assign to.
    pub(super) fn place(&mut self) -> String {
        let choice = self.choices.below(20);
        match choice {
            0..=2 => "r".into(),
            18 => self
                .pick(&["limits.n", "lim->n", "lim->l", "*lim->count"])
                .into(),
            19 => format!("lim->p[{}]", self.index()),
            3 => "t".into(),
            4 => "u".into(),
            5 => self.pick(&["g0", "g1", "n1"]).into(),
            6 => format!("s[{}].{}", self.index(), self.field()),
            7 => format!("p[{}].{}", self.index(), self.pick(&["a", "b"])),
            8 => format!("a[{}]", self.index()),
            9 => format!("o.{}", self.field()),
            11 | 12 => format!("grid[{}][{}]", self.index(), self.index()),
            10 if self.shape == FunctionShape::Array => format!("q[{}]", self.index()),
            10 => format!(
                "((unsigned char *)w)[{} * 4 + {}]",
                self.index(),
                self.choices.below(4)
            ),
            _ => format!("{}[{}]", self.array(), self.index()),
        }
    }

    fn field(&mut self) -> &'static str {
        self.pick(&["big", "word", "half", "bytes[0]", "bytes[1]"])
    }

    /// An integer expression of an unsigned type of at least 32 bits: arithmetic with it never overflows.
    pub(super) fn unsigned(&mut self, depth: u32) -> String {
        let ty = self.pick(&["unsigned long", "unsigned"]);
        format!("({ty})({})", self.integer(depth))
    }

    /// An integer expression.
    pub(super) fn integer(&mut self, depth: u32) -> String {
        if depth == 0 || self.choices.exhausted() {
            let choice = self.choices.below(14);
            return match choice {
                0 | 1 => format!("{}ul", self.choices.below(200)),
                2 => "x".into(),
                3 => "y".into(),
                4 => "r".into(),
                5 => "t".into(),
                6 => self.loop_index().unwrap_or_else(|| "u".into()),
                7 => self.pick(&["g0", "g1", "n0", "n1"]).into(),
                8 => "rounded(k)".into(),
                _ => self.place(),
            };
        }
        let choice = self.choices.below(28);
        let left = self.integer(depth - 1);
        if choice >= 17 {
            return match choice {
                17 => format!("(unsigned char){left}"),
                18 => format!("(signed char)({left})"),
                19 => format!("(int)({left})"),
                20 => format!("~{left}"),
                21 => format!("__builtin_popcountl({left})"),
                22 => {
                    let value = self.real(depth - 1);
                    format!("rounded({value})")
                }
                23 => format!("__builtin_bswap32({left})"),
                24 => format!("nest({left})"),
                25 | 26 => format!("twist({left}, {})", self.integer(0)),
                _ => format!("mixed({})", self.real(depth - 1)),
            };
        }
        let right = self.integer(depth - 1);
        let wide = self.pick(&["unsigned long", "unsigned"]);
        match choice {
            0 | 1 => format!("(({wide}){left} + {right})"),
            2 => format!("(({wide}){left} - {right})"),
            3 | 4 => format!("(({wide}){left} * {right})"),
            5 => format!("({left} ^ {right})"),
            6 => format!("({left} & {right})"),
            7 => format!("({left} | {right})"),
            8 => format!("(({left}) / (({right}) | 1ul))"),
            9 => format!("(({left}) % (({right}) | 1ul))"),
            10 => format!("((unsigned long)({left}) << (({right}) & 7))"),
            11 => format!("((unsigned long)({left}) >> (({right}) & 7))"),
            12 => format!("({left} < {right} ? {right} : {left})"),
            13 => {
                let condition = self.condition();
                format!("({condition} ? {left} : {right})")
            }
            14 => format!("({left} == {right})"),
            15 => {
                let condition = self.condition();
                format!("({condition})")
            }
            _ => format!("((unsigned)({left}) * (unsigned)({right}))"),
        }
    }

    /// A floating-point expression.
    pub(super) fn real(&mut self, depth: u32) -> String {
        if depth == 0 || self.choices.exhausted() {
            return match self.choices.below(7) {
                0 => "0.5".into(),
                1 => "k".into(),
                2 => "z0".into(),
                3 => format!("s[{}].real", self.index()),
                4 => self.loop_index().unwrap_or_else(|| "3.25".into()),
                _ => format!("{}[{}]", self.real_array(), self.index()),
            };
        }
        let choice = self.choices.below(15);
        let (left, right) = (self.real(depth - 1), self.real(depth - 1));
        match choice {
            0 | 1 => format!("({left} + {right})"),
            2 | 3 => format!("({left} * {right})"),
            4 => format!("({left} - {right})"),
            5 => format!("({left} / ({right} + 3.0))"),
            6 => format!("({left} < {right} ? {left} : {right})"),
            7 => format!("sqrt(fabs({left}))"),
            8 => format!("fabs({left} - {right})"),
            9 => format!("({left} * 0.5 + {right})"),
            10 => format!("fmax({left}, {right})"),
            13 | 14 => format!("blend({left}, {right})"),
            11 => {
                let value = self.integer(depth - 1);
                format!("(double)(int)({value})")
            }
            _ => format!("floor({left})"),
        }
    }

    /// Something of floating-point type to assign to.
    pub(super) fn real_place(&mut self) -> String {
        match self.choices.below(6) {
            0 => "k".into(),
            1 => "z0".into(),
            2 => format!("s[{}].real", self.index()),
            _ => format!("{}[{}]", self.real_array(), self.index()),
        }
    }

    /// A comparison of numbers in C, or two of integers joined by `&&` or `||`.
    pub(super) fn condition(&mut self) -> String {
        let choice = self.choices.below(8);
        let relation = self.pick(&["<", ">", "!=", "==", "<=", ">="]);
        match choice {
            6 => {
                let (left, right) = (self.real(1), self.real(1));
                format!("{left} {relation} {right}")
            }
            4 | 5 => {
                let join = self.pick(&["&&", "||"]);
                let (first, second, third) = (self.integer(0), self.integer(0), self.integer(0));
                format!("({first} {relation} {second} {join} {third} % 3 == 1)")
            }
            3 => format!("{} % 4 {relation} 2", self.integer(1)),
            _ => {
                let (left, right) = (self.integer(1), self.integer(0));
                format!("{left} {relation} {right}")
            }
        }
    }
}

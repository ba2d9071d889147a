//! Statements of random programs.

use super::{FunctionShape, GeneratedLoop, HEAVIEST, LENGTH, ProgramWriter};

impl ProgramWriter<'_> {
    /// A few statements, nested at most so deep.
    pub(super) fn statements(&mut self, depth: u32) {
        let outermost = self.loops.is_empty();
        for _ in 0..1 + self.choices.below(4) {
            self.statement(depth);
            if outermost && self.loops.is_empty() {
                for label in std::mem::take(&mut self.exits) {
                    self.code.line(&format!("{label}: ;"));
                }
            }
            if self.choices.exhausted() {
                break;
            }
        }
    }

    fn statement(&mut self, depth: u32) {
        self.weight += self.times;
        let choice = self.choices.below(58);
        match choice {
            10..=17 if depth > 0 && self.loops.len() < 3 => self.any_loop(depth),
            18..=20 if depth > 0 => {
                let condition = self.condition();
                self.code.open(&format!("if ({condition})"));
                self.statements(depth - 1);
                self.code.close();
                if self.choices.below(2) == 1 {
                    self.code.open("else");
                    self.statements(depth - 1);
                    self.code.close();
                }
            }
            21 if depth > 0 => self.switch(depth),
            22 | 23 => self.minmax(),
            24 | 25 => self.reduction(),
            26 => self.pointers(),
            27 | 28 => self.memory(),
            29..=31 if !self.functions.is_empty() => {
                let number = self.choices.below(self.functions.len() as u64) as usize;
                self.call(number);
            }
            32 | 33 if !self.loops.is_empty() => self.leave(),
            34 => self.heap(),
            35 if self.loops.len() < 2 && depth > 0 => self.backward(depth),
            36 if self.times < 20 => {
                let value = self.integer(1);
                self.code
                    .line(&format!("printf(\"%lu\\n\", (unsigned long)({value}));"));
            }
            46..=51 if self.loops.len() < 3 => self.carried(depth),
            52..=54 if depth > 0 && self.loops.len() < 3 => self.bounded(depth),
            55 | 56 => self.limit(),
            37..=42 if self.loops.len() < 3 => self.kernel(depth),
            43 => self.check(),
            44 | 45 if self.loops.len() < 3 => self.narrow(),
            4..=6 => {
                let place = self.real_place();
                let operator = self.pick(&["=", "+=", "*=", "-="]);
                let value = self.real(2);
                self.code.line(&format!("{place} {operator} {value};"));
            }
            _ => {
                let place = self.place();
                let operator = self.pick(&["=", "+=", "^=", "-=", "*=", "|=", "="]);
                let depth = 1 + self.choices.below(2) as u32;
                let value = self.unsigned(depth);
                self.code.line(&format!("{place} {operator} {value};"));
            }
        }
    }

    /// A loop over a variable of few bits, or a flag.
    fn narrow(&mut self) {
        let (s, i) = (self.name("s"), self.name("i"));
        self.weight += self.times * LENGTH;
        let (array, value) = (self.array(), self.choices.below(90));
        let kind = self.pick(&["short", "unsigned char", "signed char", "unsigned short"]);
        let operator = self.pick(&["+=", "^=", "-=", "*=", "|=", "&="]);
        let loops = format!("for (unsigned {i} = 0; {i} < N; {i}++)");
        let (kind, body) = match self.choices.below(8) {
            0 => ("_Bool", format!("{s} |= {array}[{i}] > {value};")),
            1 => ("_Bool", format!("{s} &= {array}[{i}] > {value};")),
            2 => ("int", format!("if ({array}[{i}] > {value}) {s} = 1;")),
            3 => (
                kind,
                format!("if (({kind}){array}[{i}] > {s}) {s} = ({kind}){array}[{i}];"),
            ),
            4 => (
                kind,
                format!("{s} = {s} < ({kind}){array}[{i}] ? {s} : ({kind}){array}[{i}];"),
            ),
            _ => (kind, format!("{s} {operator} {array}[{i}];")),
        };
        self.code.line(&format!("{kind} {s} = {};", value % 2));
        self.code.line(&format!("{loops} {{ {body} }}"));
        self.code.line(&format!("r += {s};"));
    }

    /// A way out that is never taken.
    fn check(&mut self) {
        let value = self.unsigned(1);
        let end = self.pick(&["abort()", "abort()", "exit(2)", "exit(0)"]);
        self.code.line(&format!("if ((({value}) & 7) == 9) {end};"));
    }

    fn any_loop(&mut self, depth: u32) {
        let i = self.name("i");
        let start = self.choices.below(4);
        let step = 1 + self.choices.below(2);
        let kind = self.pick(&["unsigned", "unsigned long", "int", "unsigned char"]);
        let mut index = Some(i.clone());
        let mut bound = LENGTH;
        let mut end = "}".to_owned();
        let heads = self.choices.below(15);
        match heads {
            0..=2 => self.code.line(&format!(
                "for ({kind} {i} = {start}; {i} < N; {i} += {step}) {{"
            )),
            3 => self.code.line(&format!(
                "for ({kind} {i} = N - 1; {i} > {start}; {i} -= 1) {{"
            )),
            4 => self.code.line(&format!(
                "for (unsigned {i} = y % 3; {i} < n0 && {i} < N; {i}++) {{"
            )),
            5 => {
                let array = self.array();
                let bound = self.choices.below(60);
                self.code.line(&format!(
                    "for (unsigned {i} = {start}; {i} < N && {array}[{i}] != {bound}; {i} += {step}) {{"
                ));
            }
            6 => self.code.line(&format!(
                "for (unsigned {i} = 0, m = x % N; {i} < m; {i}++) {{"
            )),
            7 => {
                let value = self.unsigned(1);
                self.code.line(&format!(
                    "for (unsigned {i} = ({value}) % 32; {i} != 0;) {{"
                ));
                let update = self
                    .pick(&["/= 2", "&= {i} - 1", "-= 1"])
                    .replace("{i}", &i);
                self.code.line(&format!("  {i} {update};"));
                index = None;
            }
            8 => {
                let value = self.unsigned(1);
                self.code.line(&format!("unsigned {i} = ({value}) % 8;"));
                self.code.line("do {");
                let condition = self.condition();
                end = format!("}} while ({i}-- > 0 && {condition});");
                index = None;
            }
            9 => {
                self.code.line(&format!("unsigned {i} = {start};"));
                self.code.line(&format!("while ({i} < N) {{"));
                end = format!("{i} += {step}; }}");
                // `continue` would not advance.
                self.code
                    .line(&format!("  if (g1 % 5 == 4) {{ {i}++; continue; }}"));
            }
            10 => self
                .code
                .line(&format!("for (unsigned {i} = 0; {i} < n0 % N; {i}++) {{")),
            11 => {
                self.code.line(&format!("unsigned {i} = 0;"));
                self.code.line("for (;;) {");
                let condition = self.condition();
                self.code
                    .line(&format!("  if ({i} >= N || {condition}) break;"));
                end = format!("{i}++; }}");
                self.code
                    .line(&format!("  if (g0 % 7 == 4) {{ {i}++; continue; }}"));
            }
            12 | 13 => {
                bound = 2 + self.choices.below(3);
                self.code
                    .line(&format!("for ({kind} {i} = 0; {i} < {bound}; {i}++) {{"));
            }
            _ => {
                self.code.line(&format!("unsigned {i} = 0;"));
                self.code.line("do {");
                end = format!("}} while (++{i} < N);");
            }
        }
        self.code.begin();
        self.loops.push(GeneratedLoop {
            index,
            inside_switch: heads == 9 || heads == 11,
        });
        let times = self.times;
        self.times *= bound;
        self.statements(depth - 1);
        self.times = times;
        self.loops.pop();
        self.code.end(&end);
    }

    fn switch(&mut self, depth: u32) {
        let value = self.integer(1);
        self.code.open(&format!("switch (({value}) % 6)"));
        let before = self.loops.last().is_some_and(|l| l.inside_switch);
        if let Some(l) = self.loops.last_mut() {
            l.inside_switch = true;
        }
        for case in 0..2 + self.choices.below(3) {
            self.code.line(&format!("case {case}:"));
            self.statements(depth.saturating_sub(1).min(1));
            if self.choices.below(4) != 3 {
                self.code.line("break;");
            }
        }
        if self.choices.below(2) == 1 {
            self.code.line("default:");
            self.statements(depth.saturating_sub(1).min(1));
        }
        if let Some(l) = self.loops.last_mut() {
            l.inside_switch = before;
        }
        self.code.close();
    }

    /// Minimum or maximum in its many forms.
    fn minmax(&mut self) {
        let relation = self.pick(&["<", ">", "<=", ">="]);
        if self.choices.below(3) == 2 {
            let (value, place) = (self.real(1), self.pick(&["k", "z0"]));
            match self.choices.below(2) {
                0 => self.code.line(&format!(
                    "if ({value} {relation} {place}) {place} = {value};"
                )),
                _ => self.code.line(&format!(
                    "{place} = {value} {relation} {place} ? {value} : {place};"
                )),
            }
            return;
        }
        let (array, index) = (self.array(), self.index());
        let place = self.pick(&["r", "t", "u", "g0", "n1"]);
        let value = match self.choices.below(2) {
            0 => format!("(unsigned){array}[{index}]"),
            _ => format!("({})", self.integer(1)),
        };
        match self.choices.below(3) {
            0 => self.code.line(&format!(
                "if ({value} {relation} {place}) {place} = {value};"
            )),
            1 => self.code.line(&format!(
                "{place} = {place} {relation} {value} ? {place} : {value};"
            )),
            _ => self.code.line(&format!(
                "if ({place} {relation} {value}) {place} = {value};"
            )),
        }
    }

    /// Sums and histograms.
    fn reduction(&mut self) {
        let operator = self.pick(&["+=", "^=", "-=", "*=", "|=", "&="]);
        let value = self.integer(1);
        match self.choices.below(6) {
            0 => {
                let place = self.pick(&["r", "t", "u", "g0", "g1"]);
                self.code.line(&format!("{place} {operator} {value};"));
            }
            1 => {
                let index = self.index();
                let (table, keys) = (self.pick(&["w", "v", "l"]), self.pick(&["h", "b", "l"]));
                self.code.line(&format!("{table}[{keys}[{index}] % N]++;"));
            }
            2 => {
                let value = self.real(1);
                let (place, operator) = (self.pick(&["k", "z0"]), self.pick(&["+=", "-=", "*="]));
                self.code.line(&format!("{place} {operator} {value};"));
            }
            3 => {
                let condition = self.condition();
                let place = self.pick(&["r", "g0", "t"]);
                self.code
                    .line(&format!("if ({condition}) {place} {operator} {value};"));
            }
            4 => {
                let offset = self.choices.below(LENGTH);
                self.code.line(&format!("v[{offset}] {operator} {value};"));
            }
            _ => {
                let (first, second) = (self.pick(&["r", "t", "g0"]), self.integer(0));
                self.code.line(&format!(
                    "{first} {operator} {value}; {first} {operator} {second};"
                ));
            }
        }
    }

    /// Loops over pointers.
    fn pointers(&mut self) {
        let (q, e) = (self.name("q"), self.name("e"));
        let start = self.choices.below(4);
        self.weight += self.times * LENGTH;
        let value = self.integer(1);
        match self.choices.below(4) {
            0 => self.code.line(&format!(
                "for (unsigned *{q} = w + {start}, *{e} = w + N; {q} < {e}; {q}++) r += *{q};"
            )),
            1 => self.code.line(&format!(
                "for (unsigned long *{q} = l, *{e} = l + N; {q} != {e}; {q}++) *{q} = *{q} * 3 + {value};"
            )),
            2 => self.code.line(&format!(
                "{{ unsigned char *{q} = b, *{e} = b + N; while ({q} < {e} && *{q} != 9) t = t * 3 + *{q}++; }}"
            )),
            _ => self.code.line(&format!(
                "for (struct pair *{q} = p + {start}; {q} < p + N; {q}++) {q}->b += {q}->a, u ^= {q}->b;"
            )),
        }
    }

    /// Copies, fills, structures.
    fn memory(&mut self) {
        let (first, second) = (self.choices.below(5), self.choices.below(5));
        let count = 1 + self.choices.below(7);
        let (to, from) = (self.index(), self.index());
        match self.choices.below(10) {
            0 => self.code.line(&format!("s[{to}] = s[{from}];")),
            1 => self.code.line(&format!("p[{to}] = p[{from}];")),
            2 => self.code.line(&format!("memcpy(w + {first}, v + {second}, {count} * sizeof *w);")),
            3 => self.code.line(&format!("memmove(w + {first}, w + {second}, {count} * sizeof *w);")),
            4 => self.code.line(&format!("memset(b + {first}, {second}, {count});")),
            5 => self.code.line(&format!("memcpy((char *)l + {first}, (char *)w + {second}, {count} * 3);")),
            6 => self.code.line(&format!("o = s[{from}]; o.word += {first}; s[{to}] = o;")),
            7 => self.code.line(&format!(
                "{{ struct pair m = {{ {first}, r }}; p[{to}] = m; m.a += p[{from}].b; t += m.a; }}"
            )),
            8 => self.code.line(&format!("memcpy(a, w, {} * sizeof *a);", count + 2)),
            _ => self.code.line(&format!(
                "{{ unsigned m[4] = {{ {first}, 2, u, 9 }}; u += m[r % 4] + m[{} % 4]; m[t % 4] = 1; r ^= m[u % 4]; }}",
                from
            )),
        }
    }

    /// A call with fixed arguments.
    pub(super) fn fixed_call(&mut self, number: usize) {
        self.code.line(&match self.functions[number].shape {
            FunctionShape::Plain => format!("r += f{number}(t + 9, 5);"),
            FunctionShape::Recursive => format!("r += f{number}(r, 3);"),
            FunctionShape::Array => format!("r += f{number}(v, 7);"),
            FunctionShape::Record => format!("s[2] = f{number}(s[4], p[3]);"),
            FunctionShape::Real => format!("k = f{number}(d[3], 2.5f);"),
        });
    }

    /// A call, unless it takes too long.
    pub(super) fn call(&mut self, number: usize) {
        let function = self.functions[number];
        let weight = function.weight * self.times;
        if self.weight + weight > HEAVIEST {
            self.code.line("r += 5;");
            return;
        }
        self.weight += weight;
        let (first, second) = (self.integer(1), self.unsigned(0));
        match function.shape {
            FunctionShape::Plain => {
                if self.choices.below(4) == 3 {
                    self.code.line(&format!(
                        "{{ unsigned long (*fp)(unsigned long, unsigned) = f{number}; r ^= fp({first}, {second}); }}"
                    ));
                } else {
                    self.code
                        .line(&format!("r += f{number}({first}, {second});"));
                }
            }
            FunctionShape::Recursive => self
                .code
                .line(&format!("r += f{number}({first}, ({second}) % 4);")),
            FunctionShape::Array => {
                let array = self.pick(&["w", "a", "v"]);
                self.code
                    .line(&format!("r -= f{number}({array}, {first});"));
            }
            FunctionShape::Record => {
                let (from, to) = (self.index(), self.index());
                self.code
                    .line(&format!("s[{to}] = f{number}(s[{from}], p[{to}]);"));
            }
            FunctionShape::Real => {
                let value = self.real(1);
                self.code
                    .line(&format!("k = f{number}({value}, ({second}) % 8);"));
            }
        }
    }

    /// Ways out of a loop.
    pub(super) fn leave(&mut self) {
        let condition = self.condition();
        let stays = self.loops.last().is_some_and(|l| l.inside_switch);
        let choice = self.choices.below(6);
        let how = match choice {
            0 | 1 => "break".to_owned(),
            2 if !stays => "continue".to_owned(),
            3 if matches!(
                self.shape,
                FunctionShape::Plain | FunctionShape::Recursive | FunctionShape::Array
            ) && !self.functions.is_empty() =>
            {
                "return r".to_owned()
            }
            4 => {
                let label = self.name("out");
                self.exits.push(label.clone());
                format!("goto {label}")
            }
            _ => "break".to_owned(),
        };
        self.code.line(&format!("if ({condition}) {how};"));
    }

    /// Memory from the heap.
    fn heap(&mut self) {
        let (h, j) = (self.name("h"), self.name("j"));
        let (value, index) = (self.unsigned(1), self.index());
        self.weight += self.times * LENGTH;
        let get = self.pick(&[
            "malloc(N * sizeof(unsigned))",
            "calloc(N, sizeof(unsigned))",
        ]);
        self.code.line(&format!("{{ unsigned *{h} = {get};"));
        self.code.line(&format!(
            "  for (unsigned {j} = 0; {j} < N; {j}++) {h}[{j}] = {value} + {j};"
        ));
        self.code
            .line(&format!("  r += {h}[{index}]; free({h}); }}"));
    }

    /// A loop made of `goto`.
    fn backward(&mut self, depth: u32) {
        let (label, fuel) = (self.name("again"), self.name("m"));
        self.code.line(&format!("unsigned {fuel}; {fuel} = 0;"));
        self.code.line(&format!("{label}: ;"));
        let times = self.times;
        self.times *= 4;
        self.loops.push(GeneratedLoop {
            index: None,
            inside_switch: true,
        });
        // `break` would leave something else: only plain statements.
        for _ in 0..1 + self.choices.below(2) {
            let (place, value) = (self.place(), self.integer(2));
            self.code.line(&format!("{place} = {value};"));
        }
        self.loops.pop();
        self.times = times;
        let condition = self.condition();
        self.code
            .line(&format!("if ({fuel}++ < 3 && {condition}) goto {label};"));
        let _ = depth;
    }
}

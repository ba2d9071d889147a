//! Loops that combine values in variables of their own: the reductions that the pass looks for, and near misses.

use super::{GeneratedLoop, LENGTH, ProgramWriter};

impl ProgramWriter<'_> {
    /// A nest of one or two loops around a few accumulations, each into a variable or array that nothing else uses.
    pub(super) fn kernel(&mut self, depth: u32) {
        let (sum, real, at) = (self.name("sum"), self.name("real"), self.name("at"));
        let start = self.unsigned(0);
        let ty = self.pick(&["unsigned", "unsigned long", "unsigned short", "int"]);
        self.code.open("");
        self.code.line(&format!(
            "{ty} {sum} = {start}; double {real} = k; unsigned {at} = 0; (void){sum}, (void){real};"
        ));
        let nested = self.choices.below(3) == 2;
        let times = self.times;
        for _ in 0..=u32::from(nested) {
            self.kernel_loop();
            if self.choices.below(4) == 3 {
                self.accumulate(&sum, &real, &at);
            }
        }
        for _ in 0..1 + self.choices.below(2) {
            self.accumulate(&sum, &real, &at);
        }
        match self.choices.below(6) {
            4 if depth > 0 => self.statements(depth - 1),
            5 => self.leave(),
            _ => {}
        }
        for _ in 0..=u32::from(nested) {
            self.loops.pop();
            self.code.close();
            if self.choices.below(6) == 5 {
                self.accumulate(&sum, &real, &at);
            }
        }
        self.times = times;
        let into = self.pick(&["r", "t", "g0", "w[3]"]);
        self.code
            .line(&format!("{into} += {sum} + {at}; k = {real} * 0.5;"));
        self.code.close();
    }

    pub(super) fn kernel_loop(&mut self) {
        let i = self.name("i");
        let bound = 2 + self.choices.below(LENGTH - 1);
        match self.choices.below(7) {
            0..=2 => self
                .code
                .open(&format!("for (unsigned {i} = 0; {i} < {bound}; {i}++)")),
            5 | 6 => {
                let bound = self.bound();
                self.code
                    .open(&format!("for (unsigned {i} = 0; {i} < {bound}; {i}++)"));
            }
            3 => self
                .code
                .open(&format!("for (int {i} = {bound} - 1; {i} >= 0; {i}--)")),
            _ => self.code.open(&format!(
                "for (unsigned long {i} = x % 3; {i} < {bound} && h[{i}] != 40; {i}++)"
            )),
        }
        self.times *= bound;
        self.weight += self.times;
        self.loops.push(GeneratedLoop {
            index: Some(i),
            inside_switch: false,
        });
    }

    /// One accumulation.
    fn accumulate(&mut self, sum: &str, real: &str, at: &str) {
        self.weight += self.times;
        let operator = self.pick(&["+=", "+=", "-=", "*=", "^=", "|=", "&="]);
        let relation = self.pick(&["<", ">", "<=", ">="]);
        let index = self.index();
        let array = self.array();
        match self.choices.below(27) {
            0 | 1 => {
                let value = self.unsigned(1);
                self.code.line(&format!("{sum} {operator} {value};"));
            }
            2 => self.code.line(&format!("{sum} {operator} (unsigned){array}[{index}];")),
            3 | 4 => {
                let (condition, value) = (self.condition(), self.unsigned(1));
                self.code.line(&format!("if ({condition}) {sum} {operator} {value};"));
            }
            5 | 6 => self.code.line(&format!(
                "if ((unsigned){array}[{index}] {relation} (unsigned){sum}) {sum} = {array}[{index}];"
            )),
            7 => self.code.line(&format!(
                "{sum} = w[{index}] {relation} {sum} ? w[{index}] : {sum};"
            )),
            8 => {
                let (condition, value) = (self.condition(), self.unsigned(0));
                self.code.line(&format!(
                    "if ({condition}) {sum} {operator} {value}; else {sum} {operator} 3u;"
                ));
            }
            9 => {
                let value = self.real(1);
                self.code.line(&format!("{real} += {value};"));
            }
            10 => {
                let value = self.real(0);
                self.code.line(&format!("if ({value} {relation} {real}) {real} = {value};"));
            }
            11 => {
                let (left, right) = (self.real(0), self.real(0));
                self.code.line(&format!("{real} += {left} * {right};"));
            }
            12 => {
                let value = self.unsigned(1);
                self.code.line(&format!("{sum} = (unsigned){sum} * 3 + {value};"));
            }
            13 | 14 => {
                let (value, offset) = (self.unsigned(1), self.choices.below(LENGTH));
                self.code.line(&format!("memory[{offset}] {operator} {value};"));
            }
            15 => self.code.line(&format!("histogram[b[{index}] % N]++;")),
            16 => {
                let value = self.unsigned(1);
                self.code.line(&format!("histogram[w[{index}] % N] {operator} {value};"));
            }
            17 => {
                let value = self.unsigned(1);
                let other = self.index();
                self.code.line(&format!("table[{index}][{other}] {operator} {value};"));
            }
            18 => {
                let value = self.real(1);
                self.code.line(&format!("sums[{index}] += {value};"));
            }
            19 => self.code.line(&format!(
                "if (w[{index}] {relation} extreme) extreme = w[{index}];"
            )),
            // Several updates of one object.
            20 => {
                let (value, other) = (self.unsigned(1), self.index());
                let second = self.pick(&["+=", "-=", "^="]);
                self.code.line(&format!(
                    "histogram[b[{index}] % N] += {value}; histogram[w[{other}] % N] {second} 3u;"
                ));
            }
            // Elements that are read elsewhere, before and after, and now and then the same.
            21 | 22 => {
                let (first, other) = (2 + self.choices.below(LENGTH - 2), self.index());
                let read = format!("histogram[w[{other}] % 3 + {}]", first.min(LENGTH - 3));
                if self.choices.below(2) == 0 {
                    self.code.line(&format!("histogram[b[{index}] % {first}] {operator} {read};"));
                } else {
                    let value = self.unsigned(1);
                    self.code.line(&format!(
                        "histogram[b[{index}] % {first}] {operator} {value}; {sum} += {read};"
                    ));
                }
            }
            // What is set, counted or left out with an extreme value.
            23 => self.code.line(&format!(
                "if ((unsigned){array}[{index}] {relation} (unsigned){sum}) {{ {sum} = {array}[{index}]; {at} = w[{index}]; }}"
            )),
            24 => {
                let also = self.pick(&["place = 3u;", "place++;", "sums[0] += 1;"]);
                self.code.line(&format!(
                    "if (w[{index}] {relation} extreme) {{ extreme = w[{index}]; {also} }}"
                ));
            }
            25 => self.code.line(&format!(
                "if ((unsigned){array}[{index}] {relation} (unsigned){sum}) {{ {sum} = {array}[{index}]; {at}++; }}"
            )),
            _ => self.code.line(&format!(
                "if (w[{index}] < extreme) extreme = w[{index}]; else if (w[{index}] > {at}) {at} = w[{index}];"
            )),
        }
    }
}

//! Loops whose iterations hand values on, now and then, in registers, memory or callees; and near misses.

use super::{LENGTH, ProgramWriter};

/// Variables of one nest, which nothing else uses.
struct Names {
    previous: String,
    other: String,
    flag: String,
    pointer: String,
}

impl ProgramWriter<'_> {
    /// A nest of one or two loops around a few statements that may take something from earlier iterations.
    pub(super) fn carried(&mut self, depth: u32) {
        let names = Names {
            previous: self.name("prev"),
            other: self.name("other"),
            flag: self.name("flag"),
            pointer: self.name("at"),
        };
        let Names {
            previous,
            other,
            flag,
            pointer,
        } = &names;
        let start = self.unsigned(0);
        self.code.open("");
        self.code.line(&format!(
            "unsigned {previous} = {start}, {other} = 3, {flag} = 0; struct pair *{pointer} = p;"
        ));
        let times = self.times;
        let nested = self.choices.below(3) == 2;
        for level in 0..=u32::from(nested) {
            self.kernel_loop();
            if level == 0 && nested {
                for _ in 0..self.choices.below(3) {
                    self.hand_on(&names);
                }
            }
        }
        for _ in 0..1 + self.choices.below(3) {
            self.hand_on(&names);
        }
        match self.choices.below(8) {
            5 if depth > 0 => self.statements(depth - 1),
            6 => self.leave(),
            7 => self.bounded_scratch(),
            _ => {}
        }
        for level in 0..=u32::from(nested) {
            self.loops.pop();
            self.code.close();
            if level == 0 && nested && self.choices.below(2) == 1 {
                self.hand_on(&names);
            }
        }
        self.times = times;
        self.code.line(&format!(
            "r += {previous} + {other} * 3 + {flag} + {pointer}->a;"
        ));
        self.code.close();
    }

    /// One statement that may use or leave something.
    fn hand_on(&mut self, names: &Names) {
        let Names {
            previous,
            other,
            flag,
            pointer,
        } = names;
        self.weight += 2 * self.times;
        let (index, offset) = (self.index(), self.choices.below(LENGTH));
        match self.choices.below(30) {
            0 => {
                let value = self.unsigned(1);
                self.code.line(&format!(
                    "v[{index}] = w[{index}] - {previous}; {previous} = {value};"
                ));
            }
            1 => {
                let (condition, value) = (self.condition(), self.unsigned(0));
                self.code.line(&format!("if ({condition}) {previous} = {value};"));
            }
            2 => self.code.line(&format!("v[{index}] = {previous};")),
            3 => {
                let condition = self.condition();
                self.code.line(&format!(
                    "if ({flag}) t += 3; if ({condition}) {flag} = 1;"
                ));
            }
            4 => {
                let condition = self.condition();
                self.code.line(&format!("{previous} = {condition} ? {other} : {previous};"));
            }
            5 => self.code.line(&format!(
                "{{ unsigned m = {previous}; {previous} = {other}; {other} = m; }}"
            )),
            6 => {
                let condition = self.condition();
                self.code.line(&format!("{other} = {condition} ? {offset}u : {previous};"));
            }
            7 => self.code.line(&format!("r += {other};")),
            8 => {
                let condition = self.condition();
                self.code.line(&format!(
                    "if ({condition}) {pointer} = p + {index}; {pointer}->b += {offset};"
                ));
            }
            9 => self.code.line(&format!("t ^= {pointer}->a;")),
            10 => {
                let value = self.unsigned(0);
                self.code.line(&format!(
                    "switch ({flag}) {{ case 0: {flag} = b[{index}] % 3; break; case 1: r += 7; {flag} = 2; break; default: {previous} = {value}; }}"
                ));
            }
            11 => self.long_iteration(),
            12 | 13 => {
                let array = self.pick(&["w", "v", "l", "h", "b"]);
                let value = self.unsigned(0);
                self.code.line(&format!(
                    "{array}[{index}] = {value}; t += {array}[({index} + {offset}) % N];"
                ));
            }
            14 => {
                let condition = self.condition();
                self.code.line(&format!(
                    "if ({condition}) w[{offset}] = r; else u += w[{offset}];"
                ));
            }
            15 => self.code.line("r += draw();"),
            16 => {
                let other = self.index();
                self.code.line(&format!("poke({index}, u); t += peek({other});"));
            }
            17 => {
                let count = 1 + self.choices.below(LENGTH);
                self.code.line(&format!(
                    "memmove(grid[{index}], grid[({index} + {offset}) % N], {count} * sizeof(unsigned));"
                ));
            }
            18 => self.code.line(&format!(
                "{{ unsigned m; memcpy(&m, (char *)w + ({index}) * 3 + {}, 4); r += m; }}",
                offset % 5
            )),
            19 => {
                let at = self.choices.below(4);
                self.code.line(&format!(
                    "((unsigned char *)w)[({index}) * 4 + {at}] = t; r += w[{index}];"
                ));
            }
            20 => self.code.line(&format!("r += whole(s[{index}]); s[{offset}].word = t;")),
            21 => self.code.line(&format!("s[{index}].half = u; t += s[{offset}].bytes[0];")),
            22 => {
                let condition = self.condition();
                self.code.line(&format!("if ({condition}) {previous} = {other} = {index};"));
            }
            23 => self.code.line(&format!(
                "{{ static unsigned kept[N]; if (!kept[{index}]) kept[{index}] = {offset} + 1; r += kept[{index}]; }}"
            )),
            24 if self.times < 30 => {
                let condition = self.condition();
                self.code.line(&format!("if ({condition}) printf(\"%u\\n\", {previous});"));
            }
            25 => {
                let condition = self.condition();
                self.code.line(&format!("if ({condition}) {other} += {offset};"));
            }
            26 => self.code.line(&format!(
                "r += memcmp(w + {}, v + {}, 8) == 0;",
                offset / 2,
                offset % 8
            )),
            27 => self.code.line(&format!(
                "{{ union {{ unsigned w; unsigned char b[4]; }} m; m.w = {previous}; m.b[{}] = {offset}; {other} = m.w; }}",
                offset % 4
            )),
            28 => self.bounded_scratch(),
            _ => {
                let value = self.unsigned(1);
                self.code.line(&format!("{previous} = {previous} * 3 + {value};"));
            }
        }
    }

    /// Work that grows with the index, so that what came before lies in its shadow.
    fn long_iteration(&mut self) {
        let (j, chain) = (self.name("j"), self.name("chain"));
        let bound = self.index();
        self.weight += self.times * LENGTH;
        self.code.line(&format!(
            "{{ unsigned {chain} = 1; for (unsigned {j} = 0; {j} < {bound}; {j}++) {chain} = {chain} * 5 + h[{j}]; t += {chain}; }}"
        ));
    }

    /// Scratch space that each iteration fills, nearly.
    fn bounded_scratch(&mut self) {
        let j = self.name("j");
        let (from, index) = (self.choices.below(3), self.index());
        self.weight += self.times * LENGTH;
        let place = self.pick(&["a", "scratch"]);
        self.code.line(&format!(
            "for (unsigned {j} = {from}; {j} < N; {j}++) {place}[{j}] = r + {j}; u ^= {place}[{index}];"
        ));
    }
}

//! Loops whose bounds lie in memory, and statements that may change these.

use super::{GeneratedLoop, LENGTH, ProgramWriter};

impl ProgramWriter<'_> {
    /// A value below the arrays' length, out of memory.
    pub(super) fn bound(&mut self) -> String {
        let small = 2 + self.choices.below(LENGTH - 2);
        match self.choices.below(12) {
            0 | 1 => "lim->n % N".into(),
            2 => "limits.n % N".into(),
            3 => "(unsigned)lim->m % 8".into(),
            4 => format!("*lim->count % {small}"),
            5 => "lim->l % N".into(),
            6 => format!("(lim->n < {small} ? lim->n : {small})"),
            7 => format!("w[{}] % N", self.choices.below(LENGTH)),
            8 => "((lim->n ^ lim->l) & 7)".into(),
            9 => "lim->p[n1 % N] % N".into(),
            10 => "(grid[n0 % N][2] + limits.n) % N".into(),
            _ => format!("(n0 + {small}) % N"),
        }
    }

    /// A loop that ends at a bound in memory.
    pub(super) fn bounded(&mut self, depth: u32) {
        let i = self.name("i");
        let start = self.choices.below(3);
        let step = 1 + self.choices.below(2);
        let bound = self.bound();
        let kind = self.pick(&["unsigned", "unsigned long", "int", "unsigned short"]);
        let mut end = "}".to_owned();
        let mut index = Some(i.clone());
        let mut stays = false;
        match self.choices.below(9) {
            0..=2 => self.code.line(&format!(
                "for ({kind} {i} = {start}; {i} < {bound}; {i} += {step}) {{"
            )),
            3 => {
                let other = self.bound();
                self.code.line(&format!(
                    "for (unsigned {i} = {start}; {i} < {bound} && {i} < {other}; {i}++) {{"
                ));
            }
            4 => {
                self.code.line(&format!("unsigned {i} = {start};"));
                self.code.line("do {");
                end = format!("}} while (++{i} < {bound});");
            }
            5 => {
                self.code
                    .line(&format!("for (unsigned {i} = {start}; ; {i}++) {{"));
                let (place, value) = (self.place(), self.unsigned(0));
                self.code.line(&format!("  {place} = {value};"));
                self.code.line(&format!("  if ({i} >= {bound}) break;"));
                stays = true;
            }
            6 => self.code.line(&format!(
                "for (int {i} = N - 1; {i} > (int)({bound}); {i}--) {{"
            )),
            7 => {
                self.code.line(&format!(
                    "for (unsigned *{i} = w + {start}; {i} < lim->end; {i}++) {{"
                ));
                self.code.line(&format!("  *{i} += 3;"));
                index = None;
            }
            _ => {
                let condition = self.condition();
                self.code.line(&format!(
                    "for (unsigned {i} = {start}; {i} < {bound}; {i}++) {{ if ({condition}) break;"
                ));
            }
        }
        self.code.begin();
        self.loops.push(GeneratedLoop {
            index,
            inside_switch: stays,
        });
        let times = self.times;
        self.times *= LENGTH;
        if self.choices.below(3) == 2 {
            self.limit();
        }
        self.statements(depth - 1);
        if self.choices.below(4) == 3 {
            self.limit();
        }
        self.times = times;
        self.loops.pop();
        self.code.end(&end);
    }

    /// A statement that changes a bound, or may be taken for one that does.
    pub(super) fn limit(&mut self) {
        self.weight += self.times;
        let (value, index) = (self.unsigned(0), self.index());
        let condition = self.condition();
        match self.choices.below(13) {
            0 => self.code.line(&format!("lim->p[{index}] = {value};")),
            1 => self.code.line(&format!("limits.n = {value};")),
            2 => self
                .code
                .line(&format!("if ({condition}) lim->n = {value};")),
            3 => self.code.line("if (lim->n < 9) lim->n = lim->n + 1;"),
            4 => self.code.line(&format!("lim->m = (int)(({value}) % 9);")),
            5 => self.code.line(&format!("lim->end = w + ({value}) % N;")),
            6 => self.code.line(&format!("lim->l = {value};")),
            7 => self.code.line(&format!(
                "lim->count = {condition} ? &limits.n : w + {index};"
            )),
            8 => self.code.line(&format!("*lim->count = {value};")),
            9 => self.code.line(&format!("if ({condition}) n0 = {value};")),
            10 => self.code.line(&format!(
                "((unsigned char *)lim)[{}] = 4;",
                index_in_n(&index)
            )),
            11 => self.code.line(&format!("lim->p = {condition} ? w : v;")),
            _ => self.code.line(&format!("poke({index}, u);")),
        }
    }
}

/// A byte of the structure's first member.
fn index_in_n(index: &str) -> String {
    format!("({index}) % 4")
}

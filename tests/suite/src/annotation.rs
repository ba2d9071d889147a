//! Expectations in comments of C and C++ sources, in the manner of Cranelift's file tests.
//!
//! ```text
//! // levels: O0 O1 O3                        optimization levels to compile at (default: O1)
//! // flags: --parascan-latency=unit          further flags for the compiler driver
//! // expect: DOALL_REDUCTION(+:s) sp=64      the loop that starts on this line or on the next line of code
//! // expect-function: TASK sp>=2             the function that starts there
//! // blind-spot: SERIAL sp=1 -- reason       what is found instead of the preceding expectation, and why that is accepted
//! // carried: x +2->+1 distance 1            a flow dependence that the preceding expectation's loop carries
//! // carried: none -- reason                 it carries none: iterations wait by control alone, or did not meet in this run
//! // carried: more -- reason                 besides those listed others are found, which the label does not list (also for a
//!                                            blind spot of a loop that carries none)
//! // clauses: private(j) reduction(+:s)      the clauses that its `parallel for` needs, none if nothing follows
//! // clauses: words -- reason                no directive above the loop as it stands makes it parallel
//! // proposal: private(j) -- reason          what is proposed instead, to be looked at, and why that is accepted
//! ```
//!
//! A class is `DOALL`, `DOALL_REDUCTION(op:name,...)`, `DOACROSS`, `SERIAL`, `TASK`, `CARRIED` (DOACROSS or SERIAL:
//! iterations depend on each other, whatever that costs) or `ANY` (not checked).
//! In `carried`, the variable as the source names it comes first, then the lines that write and read it, counted from
//! the loop's own line (`+1`: the next, `-3`: three above), then the distance in iterations: a number, a range (`1..8`)
//! or `any`. The name of a whole object (`a`) stands for its parts (`a[]`, `a.x`) too, `?` for what parascan has no
//! name for. A local variable is written where its value is computed (`kept = p`: where `p` is; on the loop's line if
//! that is another variable's value from before), or chosen (`if (c) x = y;`: at the `if`); of its reads in a stretch
//! of code without branches the first counts. What `parascan explain` says is held against `carried`
//! ([`crate::explained`]): all that is listed is found, and nothing else. Every directive that parascan prints for a
//! loop, complete or to be looked at, is held against `clauses`. Figures are `sp` (self-parallelism), `tp` (total
//! parallelism), `work`, `cp`, `self_work`, `iters`, `instances` and `coverage`; relations are `=` (to one part in a
//! million), `>=`, `<=` and `~` (within one per cent); values are expressions (see [`crate::expression`]). `fn=TEXT`
//! selects by function name where a line holds several regions.

use std::fmt;

use crate::expression::evaluate;

/// Annotations of one source file.
#[derive(Clone, Debug, Default)]
pub struct Annotations {
    /// Optimization levels, `O1` form.
    pub levels: Vec<String>,
    /// Further flags for the compiler driver.
    pub flags: Vec<String>,
    /// Expectations in source order.
    pub expectations: Vec<Expectation>,
}

/// Kind of region an expectation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A loop.
    Loop,
    /// A function.
    Function,
}

/// What must be found for one region.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// Loop or function.
    pub target: Target,
    /// Line on which the region starts.
    pub line: u32,
    /// Part of the function's name, where one line holds several regions.
    pub function: Option<String>,
    /// Class and figures as derived from the definitions.
    pub wanted: Claim,
    /// Flow dependences between iterations, each of which must be found.
    pub carried: Vec<ExpectedFlow>,
    /// Why a loop that is not parallel carries none.
    pub carries_none: Option<String>,
    /// Why not all that it carries are listed.
    pub carries_more: Option<String>,
    /// What the loop's directive needs; `None` when that is not checked.
    pub clauses: Option<Clauses>,
    /// Clauses that are proposed instead, sorted, with the reason why that is accepted.
    pub proposal: Option<(Vec<String>, String)>,
    /// What is found instead, where the tool is known not to see better, with the reason.
    pub blind_spot: Option<(Claim, String)>,
}

/// What it takes to make a loop parallel by a directive above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clauses {
    /// `parallel for` with these data-sharing clauses, one for each variable, sorted.
    Directive(Vec<String>),
    /// More than that, with the reason.
    Words(String),
}

/// A flow dependence between iterations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedFlow {
    /// Variable as the source names it.
    pub variable: String,
    /// Line of the file that writes.
    pub writes: u32,
    /// Line of the file that reads.
    pub reads: u32,
    /// Smallest and largest distance in iterations; `None` when it is not checked.
    pub distance: Option<(u64, u64)>,
}

/// A class and figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claim {
    /// Class, `None` when it is not checked.
    pub class: Option<String>,
    /// Reductions `op:name`, sorted.
    pub reductions: Vec<String>,
    /// What else is demanded, in the order of the label.
    pub figures: Vec<Figure>,
}

/// One demanded figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Name as in the source.
    pub name: String,
    /// How the found value must relate to it.
    pub relation: Relation,
    /// What the found one is compared with.
    pub value: f64,
}

/// Relation of a found value to the demanded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Equal to one part in a million.
    Equal,
    /// At least.
    AtLeast,
    /// At most.
    AtMost,
    /// Within one per cent.
    About,
}

const RELATIONS: [(&str, Relation); 4] = [
    (">=", Relation::AtLeast),
    ("<=", Relation::AtMost),
    ("~", Relation::About),
    ("=", Relation::Equal),
];

/// Names of figures.
pub const FIGURES: [&str; 8] = [
    "sp",
    "tp",
    "work",
    "cp",
    "self_work",
    "iters",
    "instances",
    "coverage",
];
const CLASSES: [&str; 7] = [
    "DOALL",
    "DOALL_REDUCTION",
    "DOACROSS",
    "SERIAL",
    "TASK",
    "CARRIED",
    "ANY",
];

impl Figure {
    /// Whether `found` meets the demand.
    pub fn holds(&self, found: f64) -> bool {
        let slack = |part: f64| (found - self.value).abs() <= part * self.value.abs().max(1e-9);
        match self.relation {
            Relation::Equal => slack(1e-6),
            Relation::About => slack(1e-2),
            Relation::AtLeast => found >= self.value,
            Relation::AtMost => found <= self.value,
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = RELATIONS
            .iter()
            .find(|r| r.1 == self.relation)
            .map_or("?", |r| r.0);
        write!(f, "{}{sign}{}", self.name, tidy(self.value))
    }
}

impl Claim {
    /// Whether iterations are claimed to be independent.
    pub fn parallel(&self) -> bool {
        self.class
            .as_deref()
            .is_some_and(|c| c.starts_with("DOALL"))
    }

    /// Whether iterations are claimed to wait for each other.
    pub fn waits(&self) -> bool {
        let waits = ["SERIAL", "DOACROSS", "CARRIED"];
        self.class.as_deref().is_some_and(|c| waits.contains(&c))
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.class.as_deref().unwrap_or("ANY"))?;
        if !self.reductions.is_empty() {
            write!(f, "({})", self.reductions.join(","))?;
        }
        self.figures
            .iter()
            .try_for_each(|figure| write!(f, " {figure}"))
    }
}

/// A number with at most four decimals and no trailing zeros.
pub fn tidy(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Reads the annotations of a source text.
///
/// # Errors
/// Line number and what is wrong there.
pub fn parse(source: &str) -> Result<Annotations, String> {
    let lines: Vec<&str> = source.lines().collect();
    let mut found = Annotations::default();
    for (index, line) in lines.iter().enumerate() {
        let Some(start) = line.find("// ") else {
            continue;
        };
        let comment = line[start + 3..].trim();
        let place = |e: String| format!("line {}: {e}", index + 1);
        if let Some(levels) = comment.strip_prefix("levels:") {
            found.levels = levels.split_whitespace().map(str::to_owned).collect();
        } else if let Some(flags) = comment.strip_prefix("flags:") {
            found.flags = flags.split_whitespace().map(str::to_owned).collect();
        } else if let Some(text) = comment.strip_prefix("blind-spot:") {
            let (claim, reason) = text
                .split_once(" -- ")
                .ok_or_else(|| place("` -- reason` is missing".into()))?;
            let last = found
                .expectations
                .last_mut()
                .ok_or_else(|| place("no expectation before it".into()))?;
            last.blind_spot = Some((
                parse_claim(claim).map_err(place)?.0,
                reason.trim().to_owned(),
            ));
        } else if let Some(text) = comment.strip_prefix("carried:") {
            let last = found
                .expectations
                .last_mut()
                .ok_or_else(|| place("no expectation before it".into()))?;
            let (what, reason) = reasoned(text);
            if last.wanted.parallel() && (what != "more" || last.blind_spot.is_none()) {
                return Err(place("a DOALL loop carries no dependence".into()));
            }
            match (what, reason) {
                ("none" | "more", None) => {
                    return Err(place("` -- reason` is missing".into()));
                }
                ("none", reason) => last.carries_none = reason,
                ("more", reason) => last.carries_more = reason,
                (what, _) => {
                    let carried = parse_carried(what, last.line).map_err(place)?;
                    last.carried.push(carried);
                }
            }
            if last.carries_none.is_some() && !last.carried.is_empty() {
                return Err(place("it carries none, or those listed".into()));
            }
        } else if let Some(text) = comment.strip_prefix("clauses:") {
            let last = found
                .expectations
                .last_mut()
                .ok_or_else(|| place("no expectation before it".into()))?;
            last.clauses = Some(match reasoned(text) {
                ("words", Some(reason)) => Clauses::Words(reason),
                ("words", None) => return Err(place("` -- reason` is missing".into())),
                (list, _) => Clauses::Directive(clauses(list)),
            });
        } else if let Some(text) = comment.strip_prefix("proposal:") {
            let last = found
                .expectations
                .last_mut()
                .ok_or_else(|| place("no expectation before it".into()))?;
            last.proposal = match reasoned(text) {
                (list, Some(reason)) => Some((clauses(list), reason)),
                _ => return Err(place("` -- reason` is missing".into())),
            };
        } else {
            let (target, text) = if let Some(text) = comment.strip_prefix("expect:") {
                (Target::Loop, text)
            } else if let Some(text) = comment.strip_prefix("expect-function:") {
                (Target::Function, text)
            } else {
                continue;
            };
            let (wanted, function) = parse_claim(text).map_err(place)?;
            let code = |l: &str| !l.trim().is_empty() && !l.trim().starts_with("//");
            let line = (index..lines.len())
                .find(|&i| code(lines[i]))
                .ok_or_else(|| place("no code after it".into()))?;
            found.expectations.push(Expectation {
                target,
                line: line as u32 + 1,
                function,
                wanted,
                carried: Vec::new(),
                carries_none: None,
                carries_more: None,
                clauses: None,
                proposal: None,
                blind_spot: None,
            });
        }
    }
    if found.levels.is_empty() {
        found.levels.push("O1".into());
    }
    Ok(found)
}

/// The data-sharing clauses of a directive, one for each variable (`private(j)`, `reduction(+:s)`), sorted.
pub fn clauses(directive: &str) -> Vec<String> {
    const KINDS: [&str; 5] = [
        "private",
        "firstprivate",
        "lastprivate",
        "reduction",
        "linear",
    ];
    let mut found = Vec::new();
    let mut rest = directive;
    while let Some(open) = rest.find('(') {
        let word = rest[..open]
            .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
            .next()
            .unwrap_or_default();
        let Some(close) = rest[open..].find(')') else {
            break;
        };
        let inside = &rest[open + 1..open + close];
        if KINDS.contains(&word) {
            let (operator, names) = match (word, inside.split_once(':')) {
                ("reduction", Some((operator, names))) => (format!("{}:", operator.trim()), names),
                _ => (String::new(), inside),
            };
            let names = names.split(',').map(str::trim);
            found.extend(names.map(|name| format!("{word}({operator}{name})")));
        }
        rest = &rest[open + close + 1..];
    }
    found.sort();
    found
}

/// What stands before ` -- `, and the reason behind it.
fn reasoned(text: &str) -> (&str, Option<String>) {
    // Before the reason may be nothing at all.
    match text.trim_end().split_once("-- ") {
        Some((what, reason)) => (what.trim(), Some(reason.trim().to_owned())),
        None => (text.trim(), None),
    }
}

fn parse_carried(text: &str, loop_line: u32) -> Result<ExpectedFlow, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [variable, lines, "distance", distance] = words[..] else {
        return Err("`VARIABLE +WRITE->+READ distance N` is wanted".into());
    };
    let (writes, reads) = lines
        .split_once("->")
        .ok_or_else(|| format!("`{lines}`: no `->`"))?;
    let line = |text: &str| {
        text.parse::<i64>()
            .ok()
            .filter(|_| text.starts_with(['+', '-']))
            .and_then(|offset| u32::try_from(i64::from(loop_line) + offset).ok())
            .ok_or_else(|| format!("`{text}` is not a line counted from the loop's"))
    };
    let number = |text: &str| {
        text.parse::<u64>()
            .map_err(|_| format!("`{text}` is not a distance"))
    };
    let distance = match distance.split_once("..") {
        Some((least, most)) => Some((number(least)?, number(most)?)),
        None if distance == "any" => None,
        None => Some((number(distance)?, number(distance)?)),
    };
    Ok(ExpectedFlow {
        variable: variable.to_owned(),
        writes: line(writes)?,
        reads: line(reads)?,
        distance,
    })
}

fn parse_claim(text: &str) -> Result<(Claim, Option<String>), String> {
    let mut words = text.split_whitespace();
    let class = words.next().ok_or("a class is missing")?;
    let (class, reductions) = match class.split_once('(') {
        Some((class, list)) => (class, list.strip_suffix(')').ok_or("`)` is missing")?),
        None => (class, ""),
    };
    if !CLASSES.contains(&class) {
        return Err(format!("`{class}` is not a class"));
    }
    let mut claim = Claim {
        class: (class != "ANY").then(|| class.to_owned()),
        ..Claim::default()
    };
    claim.reductions = reductions
        .split(',')
        .filter(|r| !r.is_empty())
        .map(str::to_owned)
        .collect();
    claim.reductions.sort();
    let mut function = None;
    for word in words {
        if let Some(name) = word.strip_prefix("fn=") {
            function = Some(name.to_owned());
            continue;
        }
        let (sign, relation) = RELATIONS
            .into_iter()
            .find(|r| word.contains(r.0))
            .ok_or_else(|| format!("`{word}`: no relation"))?;
        let (name, value) = word.split_once(sign).expect("just found");
        if !FIGURES.contains(&name) {
            return Err(format!("`{name}` is not a figure"));
        }
        claim.figures.push(Figure {
            name: name.to_owned(),
            relation,
            value: evaluate(value)?,
        });
    }
    Ok((claim, function))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_annotated_source_is_read() {
        let source = "// levels: O0 O3\nint f(int *a) {\n  // expect: DOALL_REDUCTION(+:s,max:m) sp=2*32 iters>=3\n  // why\n\n  for (;;) {\n";
        let found = parse(source).unwrap();
        assert_eq!(found.levels, ["O0", "O3"]);
        let expectation = &found.expectations[0];
        assert_eq!((expectation.target, expectation.line), (Target::Loop, 6));
        assert_eq!(
            expectation.wanted.to_string(),
            "DOALL_REDUCTION(+:s,max:m) sp=64 iters>=3"
        );
    }

    #[test]
    fn an_annotation_behind_code_is_about_its_own_line() {
        let found =
            parse("int x;\nfor (;;) { // expect: SERIAL\n// blind-spot: DOALL sp=4 -- because\n")
                .unwrap();
        assert_eq!(found.expectations[0].line, 2);
        let (claim, reason) = found.expectations[0].blind_spot.clone().unwrap();
        assert_eq!(
            (claim.to_string().as_str(), reason.as_str()),
            ("DOALL sp=4", "because")
        );
    }

    #[test]
    fn carried_dependences_and_clauses_belong_to_the_loop_before() {
        let source = "// expect: CARRIED\n// carried: a[i-1] +1->-2 distance 1..3\nfor (;;)\n x;\n// expect: DOALL\n// clauses: reduction(+:t, s) private(j)\nfor (;;)\n";
        let found = parse(source).unwrap().expectations;
        assert_eq!(
            found[0].carried,
            [ExpectedFlow {
                variable: "a[i-1]".into(),
                writes: 4,
                reads: 1,
                distance: Some((1, 3)),
            }]
        );
        let wanted = ["private(j)", "reduction(+:s)", "reduction(+:t)"];
        assert_eq!(
            found[1].clauses,
            Some(Clauses::Directive(wanted.map(str::to_owned).to_vec()))
        );
        assert!(parse("// expect: CARRIED\n// carried: a 1->2 distance 1\nfor (;;);").is_err());
        assert!(parse("// expect: DOALL\n// carried: a +1->+1 distance 1\nfor (;;);").is_err());
        assert!(parse("// clauses: private(j)\nfor (;;);").is_err());
    }

    #[test]
    fn where_there_is_nothing_to_list_is_a_reason() {
        let source = "// expect: SERIAL\n// carried: none -- a break\nfor (;;)\n// expect: DOALL\n// clauses: words -- a while\n// proposal: -- it is short\nwhile (x)\n";
        let found = parse(source).unwrap().expectations;
        assert_eq!(found[0].carries_none.as_deref(), Some("a break"));
        assert_eq!(found[1].clauses, Some(Clauses::Words("a while".into())));
        assert_eq!(found[1].proposal, Some((vec![], "it is short".into())));
        assert!(parse("// expect: SERIAL\n// carried: none\nfor (;;);").is_err());
        assert!(parse("// expect: DOALL\n// clauses: words\nfor (;;);").is_err());
        assert!(parse("// expect: DOALL\n// proposal: private(j)\nfor (;;);").is_err());
        let both = "// expect: SERIAL\n// carried: none -- why\n// carried: x +1->+1 distance 1\nfor (;;);";
        assert!(parse(both).is_err());
    }

    #[test]
    fn clauses_are_read_from_a_directive() {
        let found =
            clauses("#pragma omp parallel for schedule(static, 1) private(i,j) reduction(max : m)");
        assert_eq!(found, ["private(i)", "private(j)", "reduction(max:m)"]);
    }

    #[test]
    fn mistakes_are_reported_with_their_line() {
        assert!(
            parse("\n// expect: DOAL\nx")
                .unwrap_err()
                .starts_with("line 2")
        );
        assert!(parse("// expect: DOALL sp\nx").is_err());
        assert!(parse("// expect: DOALL speed=3\nx").is_err());
        assert!(parse("// expect: DOALL sp=3x\nx").is_err());
        assert!(parse("// expect: DOALL").is_err());
        assert!(parse("// blind-spot: DOALL -- why").is_err());
    }

    #[test]
    fn relations_hold_or_not() {
        let figure = |relation, value| Figure {
            name: "sp".into(),
            relation,
            value,
        };
        assert!(figure(Relation::Equal, 64.0).holds(64.0));
        assert!(!figure(Relation::Equal, 64.0).holds(64.1));
        assert!(figure(Relation::About, 100.0).holds(100.9));
        assert!(!figure(Relation::About, 100.0).holds(101.1));
        assert!(
            figure(Relation::AtLeast, 8.0).holds(8.0) && !figure(Relation::AtLeast, 8.0).holds(7.9)
        );
        assert!(
            figure(Relation::AtMost, 8.0).holds(8.0) && !figure(Relation::AtMost, 8.0).holds(8.1)
        );
    }
}

//! Sentences about what has to be looked at, or written anew, before a directive is right.

mod doubts;

use parascan_formats::module::ReductionObstacle;
use parascan_formats::source::{
    IN_TEST, LoopSource, Obstacle, ObstacleKind, SharingDoubt, Statement, Variable, VariableKind,
};

pub(super) use doubts::{doubts, pair, shares_words, step};

use super::Reduction;
use crate::evidence::{LoopFacts, earlier};
use crate::model::plain_name;
use crate::numbers::{count, grouped};

/// Why a directive makes copies of what a loop only reads.
pub(super) const COPIES: &str = "the copies of `firstprivate` keep its code vectorized: what it stores might be, for the compiler, what threads share";

/// Of a loop in a system header.
pub(super) const LIBRARY: &str = "this loop is the library's own: run the algorithm in parallel where your code calls it \
                                  (`std::execution::par` as first argument, where it takes one: `std::reduce` and \
                                  `std::transform_reduce` do in the place of `std::accumulate` and `std::inner_product`), or write \
                                  there a loop with an index";

/// ` (line 7)`, nothing when the line is not known.
fn on(line: u32) -> String {
    if line == 0 {
        String::new()
    } else {
        format!(" (line {line})")
    }
}

/// What to write anew before any directive can stand above the loop; nothing when it can.
pub(super) fn rewrite(source: &LoopSource) -> Vec<String> {
    let unread = |o: &Obstacle| matches!(o.kind, ObstacleKind::Unread | ObstacleKind::Renumbered);
    let first = match source.statement {
        Statement::Unknown if source.obstacles.iter().any(unread) => None,
        Statement::Unknown => Some(
            "the source shows no loop statement here (a macro, or `goto`): write it as \
             `for (int i = first; i < end; i++)`",
        ),
        Statement::While => Some(
            "a `while` loop takes no directive: write it as `for (int i = first; i < end; i++)` with an `end` that is \
             known before the loop, and compute what it steps from `i`",
        ),
        Statement::Do => Some(
            "a `do` loop takes no directive: write it as `for (int i = first; i < end; i++)` with an `end` that is known \
             before the loop, and compute what it steps from `i`",
        ),
        Statement::For | Statement::RangeFor => None,
    };
    let mut all: Vec<String> = first.map(str::to_owned).into_iter().collect();
    all.extend(source.obstacles.iter().map(obstacle));
    all
}

fn obstacle(obstacle: &Obstacle) -> String {
    let Obstacle { kind, name, line } = obstacle;
    let at = on(*line);
    match kind {
        ObstacleKind::Exit => format!(
            "the loop can be left before its end{at}: a directive allows no `break`, `return`, `goto` or `exit` out of it; let \
             all iterations run, or give the loop a bound that is known before it"
        ),
        ObstacleKind::Init => {
            "the first part of the `for` must be `i = first` alone, for one variable".to_owned()
        }
        ObstacleKind::Test => {
            "the test of the `for` must compare the loop's index alone with a bound that does not depend on it: \
             `i < end` (`i > end` counting down; `i != end` only with a step of 1)"
                .to_owned()
        }
        ObstacleKind::Step => {
            "the step of the `for` must change the loop's index alone and by a fixed amount (`i++`, `i += 2`): compute \
             other variables from the index in the body"
                .to_owned()
        }
        ObstacleKind::Index => format!(
            "the loop's index{} must be a local variable that is an integer or a pointer",
            quoted(name)
        ),
        ObstacleKind::IndexWritten => format!(
            "the loop's index{} is changed in the body as well{at}: only the `for` itself may step it",
            quoted(name)
        ),
        ObstacleKind::BoundWritten => format!(
            "the loop changes{} on which its own number of iterations depends{at}",
            quoted(name)
        ),
        ObstacleKind::BoundCall => format!(
            "the test or step calls{} in every iteration{at}: call it once before the loop, if it always gives the same",
            quoted(name)
        ),
        ObstacleKind::BoundReal => {
            "the bound of the `for` is a floating-point number, which a directive would cut to an integer: compute the number of iterations as \
             an integer in front of the loop"
                .to_owned()
        }
        ObstacleKind::Iterator => {
            "the loop steps an iterator: write it with an index, `for (std::size_t i = 0; i < v.size(); i++)`, or \
             collect the elements in a vector first"
                .to_owned()
        }
        ObstacleKind::StartWritten => format!(
            "the first part of the `for` (or its range) reads{}, which the loop changes{at}: every thread of a directive would \
             evaluate it; compute it into a variable of its own in front of the loop",
            quoted(name)
        ),
        ObstacleKind::StartEffect if name.is_empty() => format!(
            "the first part of the `for` (or its range) changes memory{at}: every thread of a directive would do so; compute \
             it into a variable of its own in front of the loop"
        ),
        ObstacleKind::StartEffect => format!(
            "the first part of the `for` (or its range) changes or calls `{name}`{at}: every thread of a directive would do \
             so; compute it into a variable of its own in front of the loop"
        ),
        ObstacleKind::Unread => {
            "the source file was not found when the program was built, so that nothing is known of the loop's statement: \
             build where the file lies under the name that the compiler is given"
                .to_owned()
        }
        ObstacleKind::Renumbered => {
            "the source file gives its lines other numbers (`#line`), so that nobody knows on which the loop stands: build without such lines"
                .to_owned()
        }
        ObstacleKind::Word => format!(
            "`{name}` is the name of a macro, which the compiler would put into directives in place of that word: give the macro another name"
        ),
        ObstacleKind::Narrow => format!(
            "the index{}{at} may wrap around, which that of a parallel loop does not: make it an `int` or wider, and compare with `<` or `>`",
            quoted(name)
        ),
        ObstacleKind::Arguments => {
            "`va_start` must stay in the function itself: move it in front of the loop".to_owned()
        }
        ObstacleKind::Macro if name.is_empty() => {
            "the line above the loop ends in a backslash, which makes the two one line: give the loop a line of its own"
                .to_owned()
        }
        ObstacleKind::Macro => format!(
            "the loop is part of an argument of the macro `{name}`, in which no directive can stand: move it into a \
             function of its own"
        ),
        ObstacleKind::Target => {
            "the function is compiled for another processor (`target`), which the code that a directive makes of the loop \
             is not, and its vector instructions need that: set the processor for the whole file (`-m...`)"
                .to_owned()
        }
    }
}

fn quoted(name: &str) -> String {
    if name.is_empty() {
        String::new()
    } else {
        format!(" `{name}`")
    }
}

/// Of a loop that is no `for` as directives ask for: its variables were not sorted.
pub(super) const AFTER_REWRITING: &str =
    "what else a directive needs shows when the loop has that form: build and record again";

/// Of a loop whose iterations wait for each other by control alone.
pub(super) const BY_CONTROL: &str = "let the number of iterations be known before the loop: find where it ends in a short loop of its own in front of \
                                     it, or let all iterations run";

/// Of a loop of which is not known what its iterations hand on, whatever the language.
pub(super) const SPLIT: &str = "the statements that use results of earlier iterations must run in order: split them off into a loop of their own";

/// The same, and how OpenMP lets iterations wait for each other. Who waits for the iteration before waits for all
/// earlier ones.
pub(super) fn in_order(source: Option<&LoopSource>) -> String {
    if source.is_some_and(|s| s.statement != Statement::For || !s.obstacles.is_empty()) {
        return SPLIT.to_owned();
    }
    let (sink, holds) = earlier(source, 1);
    format!(
        "{SPLIT}, or write `#pragma omp parallel for ordered(1)` with `#pragma omp ordered depend(sink: {sink})`{holds} before them and \
         `#pragma omp ordered depend(source)` behind them"
    )
}

/// Of a variable of which an iteration reads what an earlier one may have written.
pub(super) fn carried(variable: &Variable) -> String {
    let Variable {
        name, at, shape, ..
    } = variable;
    let read = on(*at);
    match shape {
        VariableKind::Pointer => format!(
            "the pointer `{name}` is carried from one iteration to the next{read}: compute it from the loop's index"
        ),
        _ => format!(
            "`{name}` can carry a value from one iteration to the next{read}: compute it anew in every iteration, or \
             from the loop's index"
        ),
    }
}

/// Of a variable that only some iterations write, and that is read after the loop; `best`: the minimum or maximum with
/// which it is set.
pub(super) fn conditional(variable: &Variable, best: Option<&str>) -> String {
    let name = &variable.name;
    match best {
        Some(best) => format!(
            "`{name}` is set together with `{best}`{}: the two are one reduction. Let every thread keep a pair of its own, \
             and take the better pair after the loop (`#pragma omp declare reduction` for a structure of both); where \
             values are equal, the one that the comparison keeps here (`<` and `>`: the first, `<=` and `>=`: the last)",
            on(variable.at)
        ),
        None => format!(
            "not every iteration sets `{name}`{}, and it is read after the loop: its last value is that of the last \
             iteration that set it, which `lastprivate` does not give; keep the index of that iteration with a `max` \
             reduction",
            on(variable.at)
        ),
    }
}

/// Of a variable about which the text does not tell.
pub(super) fn unknown(variable: &Variable, why: SharingDoubt) -> String {
    let name = &variable.name;
    let at = on(variable.at);
    match why {
        SharingDoubt::Escapes => format!(
            "the address of `{name}` is given away{at}: it can be private if every iteration sets it before reading it \
             and nothing uses it after the loop"
        ),
        SharingDoubt::Unnamed => format!(
            "no clause can name `{name}` here{at}: a variable that is declared in the loop can take its place if every iteration sets it \
             before reading it and nothing uses it after the loop"
        ),
        SharingDoubt::Passed | SharingDoubt::Handed => format!(
            "functions get the address of `{name}`{at}: they may only read it, or every iteration must have one of its own (declare it in \
             the loop)"
        ),
        SharingDoubt::Kept => format!(
            "the address of `{name}` is used{at}, so that threads cannot have copies of it: no two iterations may write it"
        ),
        SharingDoubt::Scratch => format!(
            "`{name}` is a scratch array{at}: it can be private if each iteration fills it before reading it, and \
             nothing reads it after the loop"
        ),
        SharingDoubt::Global if variable.shape == VariableKind::Record => format!(
            "iterations write members of `{name}`{at} that others may read or write: each must keep to parts of its own"
        ),
        SharingDoubt::Global if matches!(variable.shape, VariableKind::Array(_)) => format!(
            "iterations write elements of `{name}`{at} that others may read or write: each must keep to elements of its \
             own (read from a copy of `{name}` where it reads those of others)"
        ),
        SharingDoubt::Global => format!(
            "`{name}` has static storage and is written{at}: it can be private if every iteration sets it before \
             reading it, no function called in the loop uses it, and nothing reads it after the loop"
        ),
        SharingDoubt::Carried | SharingDoubt::Conditional | SharingDoubt::IndexAfter => {
            String::new()
        }
    }
}

/// Elements of which threads can have copies on their stacks without a word.
pub(super) const MOST: u64 = 10_000;

/// The same with one: of eight bytes they take an eighth of the stack of 4 MB that threads of LLVM's OpenMP have, those
/// of GNU's have more.
pub(super) const MOST_BY_FAR: u64 = 65_536;

/// Of an array of which every thread has a copy.
pub(super) fn large(name: &str, elements: u64) -> String {
    format!(
        "every thread gets a copy of the {} elements of `{name}` on its stack",
        grouped(elements)
    )
}

/// Of a reduction that no clause can name.
pub(super) fn memory_reduction(reduction: &Reduction) -> String {
    let Reduction {
        operator,
        name,
        array,
        ..
    } = reduction;
    if *array {
        let array = name.strip_suffix("[]").filter(|a| base(a) == *a);
        let array = array.unwrap_or("array");
        let atomic = atomic(operator);
        if array == "this" {
            return format!(
                "members of the object are updated by `{operator}` at changing places: use {atomic}, or let every thread add up in \
                 memory of its own"
            );
        }
        format!(
            "`{name}` is updated by `{operator}` at changing places: if `{array}` is an array of numbers or leads to one, reduce a \
             section that holds them all, `reduction({operator}:{array}[:length])`, of which every thread gets a copy; else use {atomic}"
        )
    } else {
        unnamed(operator, name)
    }
}

/// Of a number under such a name that is reduced.
pub(super) fn unnamed(operator: &str, name: &str) -> String {
    format!(
        "`{name}` is no variable that a clause can name: reduce into a local one with \
         `reduction({operator}:...)` and combine it with `{name}` after the loop"
    )
}

/// How threads take turns at an update.
fn atomic(operator: &str) -> &'static str {
    match operator {
        "min" | "max" => "`#pragma omp critical` around the comparison and the assignment",
        _ => "`#pragma omp atomic` above the update",
    }
}

/// Of a reduction of single elements of an array or parts of a structure, or of a number of two words.
pub(super) fn parts(reduction: &Reduction) -> String {
    let Reduction { operator, name, .. } = reduction;
    format!(
        "`{name}` is no number of one word: reduce its elements or members each (an enumeration as an integer) into a local \
         variable of its own with `reduction({operator}:...)`, and put them back after the loop; a clause for a single number of \
         two words needs `-latomic` when the program is linked"
    )
}

/// Of a reduction beside which the loop does something that no clause allows.
pub(super) fn beside(reduction: &Reduction) -> Option<String> {
    let Reduction { operator, name, .. } = reduction;
    let atomic = atomic(operator);
    match reduction.beside {
        ReductionObstacle::Nothing => None,
        ReductionObstacle::Read(line) if !reduction.array => Some(format!(
            "`{name}` is updated by `{operator}`{}, and what is read{} may be the same memory, which in this run it was not: if it never \
             is, reduce into a local variable with `reduction({operator}:...)` and combine it with `{name}` after the loop",
            on(reduction.line),
            on(line)
        )),
        ReductionObstacle::Read(line) => Some(format!(
            "`{name}` is updated by `{operator}`{}, and other elements of it, which this run did not update, are read{}: use \
             {atomic}; a `reduction` clause would give every thread a copy in which those elements are not set",
            on(reduction.line),
            on(line)
        )),
        ReductionObstacle::Set(line) => Some(format!(
            "something else is set{} whenever `{name}` is replaced: the two are one reduction. Let every thread keep a pair of \
             its own, and take the better pair after the loop (`#pragma omp declare reduction` for a structure of both); \
             where values are equal, the one that the comparison keeps here (`<` and `>`: the first, `<=` and `>=`: the last)",
            on(line)
        )),
        ReductionObstacle::Position => Some(format!(
            "`{name}` keeps where the {} was found{}, and is read to compute it: the two are one reduction. Let every thread keep one of \
             its own, and take the better one after the loop; where values are equal, the one that the comparison keeps here (`<` and `>`: the \
             first, `<=` and `>=`: the last)",
            extreme(operator),
            on(reduction.line)
        )),
    }
}

/// What is found where a position is kept.
fn extreme(operator: &str) -> &'static str {
    match operator {
        "argmin" => "minimum",
        _ => "maximum",
    }
}

/// A function, or those that are called through a pointer.
pub(super) fn called(name: &str) -> String {
    let name = name.strip_prefix(IN_TEST).unwrap_or(name);
    match name.strip_prefix('*') {
        // With its parameters it is one of several, of which the line tells which.
        None if name.contains('(') => format!("`{}`", plain_name(name)),
        None => format!("`{name}`"),
        Some("") => "the functions called through pointers (or virtual ones)".to_owned(),
        Some(pointer) => format!("the functions called through `{pointer}`"),
    }
}

/// Of a loop in which nothing stood in the way as far as it was observed.
pub(super) fn observed_in_part(facts: &LoopFacts) -> String {
    let LoopFacts {
        iterations,
        instances,
        ..
    } = facts;
    let (iterations, instances) = (
        count(*iterations, "iteration", "iterations"),
        count(*instances, "instance", "instances"),
    );
    if !facts.is_short() {
        return format!(
            "nothing stood in the way in {iterations} of {instances}, but not everything was observed: the \
             limit was reached, the program died, more was accessed than the tables hold, or other threads ran as well"
        );
    }
    format!(
        "only {iterations} of {instances} were looked at in full, where nothing stood in the way: \
         `parascan explain` sees more if the loop is named, with a larger `--limit`, and with the input that was recorded"
    )
}

/// Of a variable that not every iteration sets, and of which a run shows nothing, since at most one iteration did.
pub(super) fn seldom(variable: &Variable) -> String {
    format!(
        "`{}` is written{} by one iteration of this run at most, so that it does not show what becomes of it where several do: the last of them \
         must be the one whose value stays (keep the largest index of those with a `max` reduction), and none may read it before it is set",
        variable.name,
        on(variable.at)
    )
}

/// The variable at the beginning of a description such as `*p`, `a[]`, `s->n` or `space::a[]`.
pub(super) fn base(name: &str) -> &str {
    let name = name.trim_start_matches('*');
    let end = name
        .find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | ':'))
        .unwrap_or(name.len());
    &name[..end]
}

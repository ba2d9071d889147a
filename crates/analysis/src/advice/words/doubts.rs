//! What the source cannot tell of memory, and what must hold of it for a directive to be right.

use parascan_formats::source::{Doubt, DoubtKind};

use super::{called, on, quoted};

/// Of what stands for itself.
fn single(doubt: &Doubt) -> Option<String> {
    let Doubt { kind, name, line } = doubt;
    let at = on(*line);
    Some(match kind {
        DoubtKind::Write
        | DoubtKind::Overlap
        | DoubtKind::Call
        | DoubtKind::Meets
        | DoubtKind::Errno
        | DoubtKind::Called => return None,
        DoubtKind::Team => format!(
            "`#pragma omp {name}`{at} belongs to the team of threads around it, which would be this loop's: take it out, or that loop or function"
        ),
        DoubtKind::Stale => format!(
            "`{name}` may be read{at} before the iteration sets it, which this run did not do: it must not be private then"
        ),
        DoubtKind::Later => format!(
            "`{name}` may be read{at}, behind the loop, as that left it, which this run did not do: threads must not have copies of it then"
        ),
        DoubtKind::Neighbours => format!(
            "iterations access elements of `{name}`{at} that others write, a constant number of iterations away: this run did not come there, \
             or did not get so far"
        ),
        DoubtKind::SameElement => {
            let of = if name.is_empty() {
                String::new()
            } else {
                format!(" of `{name}`")
            };
            format!(
                "several iterations have the same element{of}{at}, since a constant divides its index or cuts it off: where more than one of \
                 them writes it, put `#pragma omp atomic` above the update, or let one iteration do all that belongs to an element"
            )
        }
        DoubtKind::State => format!(
            "`{name}`{at} works on a state that all threads share, and ran in no two iterations here: none may come to it, or their order \
             must not matter"
        ),
        DoubtKind::Wraps => format!(
            "`{name}` has no sign and must not begin beyond its bound, where `!=` would have it wrap around: write `<`"
        ),
        DoubtKind::ZeroStep => format!(
            "{} must not be 0, not even where the loop has no iteration: a directive divides by it",
            step(name)
        ),
        DoubtKind::Guarded => format!(
            "once `{name}` is decided, the serial loop looks no further{at}; every thread decides by its own, so that more is looked at: \
             that must be allowed for all of its iterations"
        ),
        DoubtKind::Unordered => format!(
            "a NaN{at} takes the place of `{name}` and is lost again with the next value, so that what is left depends on the order: no value \
             may be one; or compare so that a NaN replaces nothing (`if (x < least) least = x`)"
        ),
        DoubtKind::Infinite => format!(
            "`{name}` may begin with an infinite number or a NaN, but clang's reductions begin with the largest finite one, which is what \
             would be left where no iteration has any: begin with that (`DBL_MAX`), or test for it behind the loop"
        ),
        DoubtKind::Reference => format!(
            "what is written through a reference{at} may be `{name}`, which all iterations would share: declare it in the loop"
        ),
        DoubtKind::ThreadLocal => format!(
            "`{name}`{at} is thread-local: the threads of a directive have others of that name, which nothing has set"
        ),
        DoubtKind::Leaves if name.is_empty() => format!(
            "an exception may leave the loop{at}: in a parallel loop it would end the program; catch it in the iteration"
        ),
        DoubtKind::Leaves => {
            format!("`{name}`{at} can leave the loop, which no iteration of a parallel one may")
        }
        DoubtKind::Constexpr => "the function is `constexpr`, in which no directive may stand: take that away, or move the loop".to_owned(),
        DoubtKind::Alloca => format!(
            "what `alloca` gives{at} is gone when the thread that took it is: use memory that lives on"
        ),
        DoubtKind::Sets => format!(
            "`{name}`{at} sets `signgam`, which all threads share: nothing in the loop may read that"
        ),
        DoubtKind::Nameless => format!(
            "a variable is written{at} of which the debug information does not tell: declare it in the loop, and build with `-g`"
        ),
        DoubtKind::Binding => format!(
            "`{name}`{at} is a structured binding, which no directive can capture: copy its parts into variables of their own in \
             front of the loop"
        ),
        DoubtKind::Class => format!(
            "every thread gets a copy of `{name}`, whose class may lack what that takes (a constructor without arguments, copies, \
             assignment): declare it in the loop"
        ),
        DoubtKind::Large => format!(
            "every thread gets a copy of `{name}` on its stack, which may be too small for it: take the memory from `malloc` in every \
             iteration, or check that it fits (`OMP_STACKSIZE`)"
        ),
    })
}

/// Whether a function (with its class, as the pass names those) writes an element of the C++ library's containers that
/// have several in a word: whatever a run shows, neighbours meet.
pub(crate) fn shares_words(function: &str) -> bool {
    let element = ["_Bit_reference", "__bit_reference", "bitset<"];
    let writes = ["::operator=", "::flip", "::set", "::reset"];
    element.iter().any(|e| function.starts_with(e)) && writes.iter().any(|w| function.ends_with(w))
}

/// What has to be known of memory.
pub(crate) fn doubts(doubts: &[Doubt]) -> Vec<String> {
    let mut all: Vec<String> = doubts.iter().filter_map(single).collect();
    let (bits, doubts): (Vec<Doubt>, Vec<Doubt>) =
        (doubts.iter().cloned()).partition(|d| d.kind == DoubtKind::Call && shares_words(&d.name));
    let doubts = &doubts[..];
    if !bits.is_empty() {
        let lines: Vec<u32> = bits.iter().map(|d| d.line).collect();
        all.push(format!(
            "elements of `std::vector<bool>` and `std::bitset` share words with their neighbours, so that iterations which write different \
             ones lose what others wrote{}: use elements of one byte (`std::vector<char>`)",
            on_lines(&lines)
        ));
    }
    let calls = names(doubts, DoubtKind::Call);
    if !calls.is_empty() {
        all.push(format!(
            "no two iterations may write the same memory, or use what another writes, in {calls}"
        ));
    }
    let setters = names(doubts, DoubtKind::Errno);
    if !setters.is_empty() {
        all.push(format!(
            "what the loop leaves in `errno` belongs to the thread that ran the iteration, and other code of this file reads `errno` or prints it: \
             {setters}; keep it in a variable of the iteration and combine these (a `max` reduction), or check arguments or results instead"
        ));
    }
    let writes = names(doubts, DoubtKind::Write);
    if !writes.is_empty() {
        all.push(format!(
            "every iteration must write places of its own, which no other reads: {writes}"
        ));
    }
    let unwritten = |d: &&Doubt| {
        let mut writes = doubts.iter().filter(|w| w.kind == DoubtKind::Write);
        d.kind == DoubtKind::Meets && !writes.any(|w| w.line == d.line)
    };
    let missed: Vec<Doubt> = doubts.iter().filter(unwritten).cloned().collect();
    if !missed.is_empty() {
        all.push(format!(
            "this run did not come to every use of what iterations may share, and so does not show whether they meet there: {}",
            names(&missed, DoubtKind::Meets)
        ));
    }
    let mut pairs: Vec<String> = Vec::new();
    for doubt in doubts.iter().filter(|d| d.kind == DoubtKind::Overlap) {
        pairs.push(pair(doubt));
    }
    if !pairs.is_empty() {
        all.push(format!("memory must not overlap: {}", pairs.join(", ")));
    }
    all
}

/// What a loop steps by.
pub(crate) fn step(name: &str) -> String {
    format!("the step{}", quoted(name))
}

/// What may overlap.
pub(crate) fn pair(doubt: &Doubt) -> String {
    match doubt.name.split_once(", ") {
        Some((a, b)) => format!("`{a}` and `{b}`"),
        None => format!("`{}` and what line {} reads", doubt.name, doubt.line),
    }
}

/// `f` (line 7), `g` (lines 9, 11 and 4 more), of one kind.
fn names(doubts: &[Doubt], kind: DoubtKind) -> String {
    let mut parts: Vec<(String, Vec<u32>)> = Vec::new();
    for doubt in doubts.iter().filter(|d| d.kind == kind) {
        let name = doubt.names().next().unwrap_or_default();
        let text = match kind {
            _ if doubt.name.is_empty() => "what is accessed".to_owned(),
            DoubtKind::Write => format!("through `{name}`"),
            DoubtKind::Call => called(&doubt.name),
            _ => format!("`{}`", doubt.name),
        };
        match parts.iter_mut().find(|(known, _)| *known == text) {
            Some((_, lines)) => lines.push(doubt.line),
            None => parts.push((text, vec![doubt.line])),
        }
    }
    let parts = parts
        .iter()
        .map(|(text, lines)| format!("{text}{}", on_lines(lines)));
    parts.collect::<Vec<_>>().join(", ")
}

/// Where something is, at most three lines of it.
fn on_lines(lines: &[u32]) -> String {
    const MOST: usize = 3;
    let shown: Vec<String> = lines.iter().take(MOST).map(u32::to_string).collect();
    match (lines, lines.len().saturating_sub(MOST)) {
        ([line], _) => on(*line),
        (_, 0) => format!(" (lines {})", shown.join(", ")),
        (_, more) => format!(" (lines {} and {more} more)", shown.join(", ")),
    }
}

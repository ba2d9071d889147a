//! Remedies for states of functions: waiting for one another's turn would leave nothing of their calls to overlap.

use parascan_formats::source::DoubtKind;

use super::super::{CarriedDependence, base, short};
use super::{CarryingLoop, Remedy, remedy};

/// Functions of containers that let them grow, without their classes.
const GROWS: [&str; 11] = [
    "push_back",
    "emplace_back",
    "push",
    "push_front",
    "emplace_front",
    "insert",
    "emplace",
    "append",
    "operator+=",
    "_M_realloc_append",
    "_M_realloc_insert",
];

/// Of what a function of the C library keeps for itself.
pub(super) fn hidden(name: &str) -> Remedy {
    let random = ["rand", "random", "drand48", "lrand48", "mrand48"];
    if random.iter().any(|r| name == format!("{r}()")) {
        return remedy(
            "per_thread_state",
            format!(
                "{name} has one state for all threads: give each thread (or iteration) a generator and a seed of its own, for example with \
                 rand_r"
            ),
        );
    }
    let collect = format!(
        "{name} works on one state for all threads: collect what it needs in the loop and call it afterwards"
    );
    let ordered = format!("{collect}, or put it into an ordered section");
    Remedy {
        elsewhere: Some(collect),
        ..remedy("ordered", ordered)
    }
}

/// Of what functions that the loop calls keep for themselves, or of a container in which they put things.
pub(super) fn of_a_call(c: &CarriedDependence, around: &CarryingLoop<'_>) -> Option<Remedy> {
    let growing = around.region.source.iter().flat_map(|s| &s.doubts);
    let mut growing = growing.filter(|d| d.kind == DoubtKind::Call && d.line == c.sink.line);
    // Short functions of the library are part of the loop that calls them.
    if let Some(call) = growing.find(|d| grows(&d.name))
        && around.owns(&c.sink)
        && c.source.line == c.sink.line
    {
        return Some(of_the_library(short(&call.name).trim()));
    }
    let called = |function: &str| !function.is_empty() && function != around.region.function;
    if !called(&c.source.function) || !called(&c.sink.function) {
        return None;
    }
    let system = |file: &str| crate::library::is_system(file);
    if system(&c.source.file) && system(&c.sink.file) {
        return Some(of_the_library(&short(&c.sink.function)));
    }
    let own = c.source.function == c.sink.function && base(&c.name) == c.name && !c.name.is_empty();
    own.then(|| {
        remedy(
            "per_thread_state",
            format!(
                "`{}` is a state of {}, which each call takes over from the one before: give each thread (or iteration) its own if the \
                 order does not matter",
                c.name,
                short(&c.source.function)
            ),
        )
    })
}

/// Whether a function lets a container grow.
fn grows(function: &str) -> bool {
    let name = short(function);
    let last = name.rsplit("::").next().unwrap_or_default();
    GROWS.contains(&last.split_whitespace().next().unwrap_or_default())
}

fn of_the_library(function: &str) -> Remedy {
    if grows(function) {
        return remedy(
            "container",
            format!(
                "{function} changes what the container is as a whole, its size and its memory: let each thread collect in one of its own and \
                 put these together behind the loop; or, if it is known how many there will be, make room in front of the loop, and let \
                 each iteration write elements of its own"
            ),
        );
    }
    remedy(
        "per_thread_state",
        format!(
            "{function} changes an object that all iterations use: give each thread (or iteration) one of its own if the order does not \
             matter"
        ),
    )
}

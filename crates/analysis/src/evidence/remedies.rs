//! What can be done about a carried dependence, as far as its form says.

use parascan_formats::evidence::{Access, Kind};
use serde::Serialize;

use super::{Carried, FAR, Place, Sharing};

/// A known remedy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remedy {
    /// Stable code.
    pub code: &'static str,
    /// What to do, and why it is possible, in one line.
    pub text: String,
}

fn remedy(code: &'static str, text: String) -> Remedy {
    Remedy { code, text }
}

/// Iterations at the start of an instance that can be peeled off.
const PEELED: u32 = 3;

/// What matters of the loop that carries a dependence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around<'a> {
    /// Its function.
    pub(super) function: &'a str,
    /// It is a `for`, or what it is is not known.
    pub(super) indexed: bool,
    /// Not all of the run was looked at.
    pub(super) part: bool,
    /// Mean number of iterations.
    pub(super) iterations: u64,
    /// Smallest distance of its other dependences.
    pub(super) nearest: u32,
    /// All of these are handed on between the same lines.
    pub(super) alike: bool,
}

/// Remedies for a dependence; `sharing` is what the object needs as a whole.
pub(super) fn of(c: &Carried, sharing: Option<Sharing>, around: Around<'_>) -> Vec<Remedy> {
    let name = if c.name.is_empty() {
        "the value"
    } else {
        &c.name
    };
    if c.reduction {
        return vec![remedy(
            "reduction",
            format!("`{name}` is only combined with the same operator: a reduction clause"),
        )];
    }
    if c.access == Access::Hidden {
        return vec![hidden(name)];
    }
    match c.kind {
        Kind::Flow => flow(c, name, around),
        Kind::Anti | Kind::Output => storage(c, name, sharing, around),
    }
}

/// Code of the remedy for a running value that is used as well; the time of its chain is not in the figures.
pub const SCAN: &str = "scan";

/// Remedies for a dependence between updates by one operator, whose results the loop reads on a line.
pub(super) fn of_running_value(c: &Carried, line: u32) -> Vec<Remedy> {
    match c.kind {
        Kind::Flow => vec![remedy(
            SCAN,
            format!(
                "`{}` is combined with one operator, but what was combined so far is used on line {line} as well: a scan (prefix \
                 sum), in a loop of its own; what waiting for it costs is not in the figures",
                c.name
            ),
        )],
        Kind::Anti | Kind::Output => Vec::new(),
    }
}

fn hidden(name: &str) -> Remedy {
    let random = ["rand", "random", "drand48", "lrand48", "mrand48"];
    if random.iter().any(|r| name == format!("{r}()")) {
        return remedy(
            "per_thread_state",
            format!(
                "{name} has one state for all threads: give each thread (or iteration) a generator and a seed of its own, for example with rand_r"
            ),
        );
    }
    remedy(
        "ordered",
        format!(
            "{name} works on one state for all threads: collect what it needs in the loop and call it afterwards, or put it into an ordered section"
        ),
    )
}

fn flow(c: &Carried, name: &str, around: Around<'_>) -> Vec<Remedy> {
    let mut all = Vec::new();
    if c.last < PEELED && around.iterations > u64::from(4 * PEELED) && !around.part {
        all.push(remedy(
            "peel",
            format!(
                "only iterations up to number {} (from 0) read it: peel them off in front of the loop",
                c.last
            ),
        ));
    }
    // What is said of iterations in a row is about all dependences.
    let apart = around.nearest >= c.least;
    let seen = if around.part {
        ", as far as was looked at"
    } else {
        ""
    };
    if c.least == c.most && c.least < FAR {
        let d = c.least;
        if d > 1 && apart {
            all.push(remedy(
                "skew",
                format!(
                    "the distance is always {d}{seen}: any {d} iterations in a row are independent, run them side by side (strip-mine by {d}, or skew)"
                ),
            ));
        }
        if apart && around.alike && around.indexed {
            all.push(remedy(
                "pipeline",
                format!(
                    "the distance is always {d}{seen}: the rest of the body can overlap with `#pragma omp ordered depend(sink: i-{d})` in front of {} and \
                     `#pragma omp ordered depend(source)` behind {}, each once in every iteration, outside of branches and inner loops",
                    statement(&c.sink, around),
                    statement(&c.source, around)
                ),
            ));
        }
    } else if c.least > 1 && apart {
        all.push(remedy(
            "strip_mine",
            format!(
                "it is never nearer than {0} iterations{seen}: {0} iterations in a row are independent",
                c.least
            ),
        ));
    }
    let own_state = c.source.function == c.sink.function
        && c.source.function != around.function
        && super::base(name) == name;
    if c.access == Access::LocalRead {
        all.push(remedy(
            "closed_form",
            if around.indexed {
                format!(
                    "`{name}` is handed from iteration to iteration: compute it from the loop's index, or, if it is a running sum or the like, in a scan in front of the loop"
                )
            } else {
                format!(
                    "`{name}` is handed from iteration to iteration: if it walks over a list or the like, collect in an array what it comes by, and loop over that"
                )
            },
        ));
    } else if c.share < 0.01 && !around.part {
        all.push(remedy(
            "rare",
            "few iterations need it: split the loop there, or check and repair afterwards"
                .to_owned(),
        ));
    }
    if own_state {
        all.push(remedy(
            "per_thread_state",
            format!(
                "`{name}` is a state of {}: give each thread its own if the order does not matter",
                c.source.function
            ),
        ));
    }
    all
}

/// What of the loop's own body an access is part of.
fn statement(place: &Place, around: Around<'_>) -> String {
    if place.function == around.function {
        format!("line {}", place.line)
    } else {
        format!(
            "the call that leads to line {} in {}",
            place.line, place.function
        )
    }
}

fn storage(c: &Carried, name: &str, sharing: Option<Sharing>, around: Around<'_>) -> Vec<Remedy> {
    let base = super::base(name);
    let place = if c.sink.function == around.function {
        String::new()
    } else {
        format!(" in {}", c.sink.function)
    };
    let one = match sharing {
        Some(Sharing::Private) => remedy(
            "privatize",
            format!(
                "every iteration writes `{base}`{place} before it reads it, and nobody reads it later: private"
            ),
        ),
        Some(Sharing::Firstprivate) => remedy(
            "privatize",
            format!("no iteration reads what another wrote to `{base}`{place}: firstprivate"),
        ),
        Some(Sharing::Lastprivate) => remedy(
            "privatize",
            format!(
                "no iteration reads what another wrote to `{base}`{place}, which is read after the loop: lastprivate"
            ),
        ),
        Some(Sharing::Copy) => remedy(
            "copy",
            format!(
                "iterations only overwrite what others read: read from a copy of `{base}`{place} made before the loop"
            ),
        ),
        _ => return Vec::new(),
    };
    // A place per iteration is what a dependence of storage needs; locals have one anyway.
    if c.access == Access::LocalWrite {
        return Vec::new();
    }
    vec![one]
}

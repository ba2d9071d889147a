//! What can be done about a carried dependence, as far as its form says.

use parascan_formats::evidence::{Access, Kind};
use serde::Serialize;

use super::{Carried, FAR, Sharing};

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

/// Remedies for a dependence of a loop with that many instances and iterations; `sharing` is what the object needs as a whole.
pub(super) fn of(
    c: &Carried,
    sharing: Option<Sharing>,
    instances: u64,
    iterations: u64,
) -> Vec<Remedy> {
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
        Kind::Flow => flow(c, name, instances, iterations),
        Kind::Anti | Kind::Output => storage(c, name, sharing),
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

fn flow(c: &Carried, name: &str, instances: u64, iterations: u64) -> Vec<Remedy> {
    let mut all = Vec::new();
    let per_instance = iterations / instances.max(1);
    if c.last < PEELED && per_instance > u64::from(4 * PEELED) {
        all.push(remedy(
            "peel",
            format!(
                "only iterations up to number {} (from 0) read it: peel them off in front of the loop",
                c.last
            ),
        ));
    }
    if c.least == c.most && c.least < FAR {
        let d = c.least;
        if d > 1 {
            all.push(remedy(
                "skew",
                format!(
                    "the distance is always {d}: any {d} iterations in a row are independent, run them side by side (strip-mine by {d}, or skew)"
                ),
            ));
        }
        all.push(remedy(
            "pipeline",
            format!(
                "the distance is always {d}: the rest of the body can overlap with `#pragma omp ordered depend(sink: i-{d})` in front of line {} and `ordered depend(source)` behind line {}",
                c.sink.line, c.source.line
            ),
        ));
    } else if c.least > 1 {
        all.push(remedy(
            "strip_mine",
            format!(
                "it is never nearer than {0} iterations: {0} iterations in a row are independent",
                c.least
            ),
        ));
    }
    if c.access == Access::LocalRead {
        all.push(remedy(
            "closed_form",
            format!(
                "`{name}` is handed from iteration to iteration: compute it from the loop's index, or, if it is a running sum or the like, in a scan in front of the loop"
            ),
        ));
    } else if c.share < 0.01 {
        all.push(remedy(
            "rare",
            "few iterations need it: split the loop there, or check and repair afterwards"
                .to_owned(),
        ));
    }
    if c.source.function != c.sink.function {
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

fn storage(c: &Carried, name: &str, sharing: Option<Sharing>) -> Vec<Remedy> {
    let base = super::base(name);
    let one = match sharing {
        Some(Sharing::Private) => remedy(
            "privatize",
            format!(
                "every iteration writes `{base}` before it reads it, and nobody reads it later: private"
            ),
        ),
        Some(Sharing::Firstprivate) => remedy(
            "privatize",
            format!("no iteration reads what another wrote to `{base}`: firstprivate"),
        ),
        Some(Sharing::Lastprivate) => remedy(
            "privatize",
            format!(
                "no iteration reads what another wrote to `{base}`, which is read after the loop: lastprivate"
            ),
        ),
        Some(Sharing::Copy) => remedy(
            "copy",
            format!(
                "iterations only overwrite what others read: read from a copy of `{base}` made before the loop"
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

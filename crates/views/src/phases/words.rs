//! Names and numbers of runs, nodes, phases and outliers, as all forms write them.

use parascan_analysis::phases::candidates::{Candidate, Unfit};
use parascan_analysis::phases::cut::Start;
use parascan_analysis::phases::figures::Piece;
use parascan_analysis::phases::flow::Point;
use parascan_analysis::phases::intervals::Intervals;
use parascan_analysis::phases::label::{Share, ranges};
use parascan_analysis::phases::outliers::{Activity, Cause, Outlier};
use parascan_analysis::phases::{How, Phases, naming};
use parascan_formats::omp::{Blind, Class, Construct, End, Figures};

use crate::shared::style::{count, grouped, safe};

/// A time with three digits and its unit.
pub(crate) fn time(nanoseconds: u64) -> String {
    let value = nanoseconds as f64;
    let (value, unit) = match nanoseconds {
        0..1_000 => return format!("{nanoseconds} ns"),
        1_000..1_000_000 => (value / 1e3, "µs"),
        1_000_000..1_000_000_000 => (value / 1e6, "ms"),
        _ => (value / 1e9, "s"),
    };
    let digits = if value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {unit}")
}

/// A share in per cent; `-` when there is none.
pub(crate) fn share(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), crate::shared::style::percent)
}

/// `R7 parallel cg.c:77`.
pub(crate) fn node(result: &Phases, node: usize) -> String {
    format!("{} {}", naming::id(node), title(result, node))
}

/// `parallel cg.c:77`.
pub(crate) fn title(result: &Phases, node: usize) -> String {
    safe(&naming::title(&result.tree.nodes[node].place))
}

/// The program's name.
pub(crate) fn program(result: &Phases) -> String {
    match result.run.command.first() {
        Some(name) if !name.is_empty() => safe(name),
        _ => "(unknown program)".to_owned(),
    }
}

/// A class as a column is called.
pub(crate) fn class(class: Class) -> &'static str {
    match class {
        Class::Synchronization => "synchronization",
        Class::LimitedParallelism => "limited parallelism",
        Class::ThreadManagement => "thread management",
        Class::Imbalance => "imbalance",
    }
}

pub(crate) fn activity(activity: Activity) -> &'static str {
    match activity {
        Activity::Work => "work",
        Activity::Lost(lost) => class(lost),
    }
}

/// `0-3|5 4|4`; at most `most` groups.
pub(crate) fn shares(shares: &[Share], most: usize) -> String {
    let mut shown: Vec<String> = shares.iter().take(most).map(ToString::to_string).collect();
    if shares.len() > most {
        shown.push("…".to_owned());
    }
    shown.join(" ")
}

/// A place in a layer's control flow.
pub(crate) fn point(point: Point) -> String {
    match point {
        Point::Entry => "begin".to_owned(),
        Point::Child(child) => naming::id(child),
        Point::Exit => "end".to_owned(),
    }
}

/// How the process ended.
pub(crate) fn end(end: End) -> String {
    match end {
        End::Exited(code) => format!("exit code {code}"),
        End::Signalled(signal) => format!("ended by signal {signal}; the recording is partial"),
        End::Unknown => "end not seen; the recording is partial".to_owned(),
    }
}

/// What the parts of the run are called that are numbered: one, and several.
pub(crate) fn unit(result: &Phases) -> (&'static str, &'static str) {
    match result.intervals {
        Some(_) => ("slice", "slices"),
        None => ("phase", "phases"),
    }
}

/// The numbers of phases side by side, or of the intervals that slices hold: `phase 3`, `slices 5 to 8`; without the
/// word, `5-8`.
pub(crate) fn numbers(result: &Phases, pieces: &[(u32, &Piece)]) -> (String, String) {
    let (one, many) = unit(result);
    let (Some((first, _)), Some((last, piece))) = (pieces.first(), pieces.last()) else {
        return (String::new(), String::new());
    };
    let last = u64::from(*last) + piece.intervals.saturating_sub(1);
    if last == u64::from(*first) {
        return (format!("{one} {first}"), first.to_string());
    }
    let joined = if pieces.len() == 1 {
        " (not cut between)"
    } else {
        ""
    };
    (
        format!("{many} {first} to {last}{joined}"),
        format!("{first}-{last}"),
    )
}

/// How the run was cut by time, in sentences.
fn sliced(result: &Phases, intervals: &Intervals) -> String {
    let number = result.phases().count() as u64;
    let mut text = format!(
        "{} of {} (as you chose), each cut at the closest snapshot at which it is known what all threads had done.",
        count(number, "slice", "slices"),
        time(intervals.length)
    );
    if intervals.joined > 0 {
        text += &format!(
            " {} of {} intervals have no such snapshot at their ends: slices that hold several have one sum, and how it is divided among them is not known.",
            grouped(intervals.joined),
            grouped(intervals.number)
        );
    }
    text
}

/// How the phases came about, in one sentence.
pub(crate) fn choice(result: &Phases) -> String {
    let Some(choice) = &result.choice else {
        return nothing(result);
    };
    if let Some(intervals) = &result.intervals {
        return sliced(result, intervals);
    }
    let number = result.phases().count() as u64;
    let phases = count(number, "phase", "phases");
    let start = choice.rule.start.node();
    let begins = match &choice.rule.start {
        Start::Entry(_) => format!("one at each entry of {}", node(result, start)),
        Start::Mark(_) => format!("marked in the program: {}", node(result, start)),
        Start::Period { length, .. } => format!(
            "one each time that a sequence of {} with snapshots begins anew, with {}",
            count(*length as u64, "entry", "entries"),
            node(result, start)
        ),
        Start::Return { sources, .. } => {
            let sources: Vec<String> = sources.iter().map(|&s| naming::id(s)).collect();
            format!(
                "one at each entry of {} that follows {} or begins the loop",
                node(result, start),
                sources.join(" or ")
            )
        }
    };
    let how = match choice.how {
        How::Named => " (as you chose)".to_owned(),
        How::Marks | How::Interval => String::new(),
        How::Loop(index) => {
            let chosen = &result.candidates[index];
            let trips = count(chosen.found.trips(), "iteration", "iterations");
            match chosen.rule.start {
                Start::Period { iterations: 1, .. } => {
                    format!(" (loop of {trips}, found in the order of regions)")
                }
                Start::Period { .. } => " (a loop found in the order of regions)".to_owned(),
                _ => format!(" (loop of {trips}, found in the control flow)"),
            }
        }
    };
    let several = result
        .phases()
        .map(|(_, p)| p.iterations)
        .max()
        .unwrap_or(1);
    let thinned = if several > 1 {
        format!(
            "; there were too many for one snapshot each, so a phase holds up to {several} iterations"
        )
    } else if let Start::Period {
        iterations: most @ 2..,
        ..
    } = choice.rule.start
    {
        format!(
            "; there were too many entries for one snapshot each, so a phase holds up to {most} iterations, always as many"
        )
    } else if let (How::Loop(index), Start::Return { .. }) = (&choice.how, &choice.rule.start)
        && !result.candidates[*index].confirmed
    {
        let trips = result.candidates[*index].found.trips();
        format!(
            "; there were too many for one snapshot each, so a phase holds {:.1} iterations on average, not always whole ones",
            trips as f64 / number.max(1) as f64
        )
    } else {
        String::new()
    };
    format!("{phases}, {begins}{how}{thinned}.")
}

/// What speaks against the phases that were chosen, or for more than was found; and what to do.
pub(crate) fn doubt(result: &Phases) -> Option<String> {
    let nodes = &result.tree.nodes;
    let has = |construct| nodes.iter().any(|n| n.place.construct == construct);
    let watch = if has(Construct::Function) {
        "Marks in the program say for certain where its steps begin (docs/omp.md, Marks)."
    } else {
        "Where the steps are calls of functions, a build with PARASCAN_WATCH=1 shows them (docs/omp.md, Functions); \
         marks say for certain where they begin."
    };
    let chosen = match result.choice.as_ref().map(|choice| choice.how) {
        // Without any region there is nothing whose steps could be found.
        None if nodes.len() > 1 => return Some(watch.to_owned()),
        Some(How::Loop(index)) if result.candidates[index].doubtful() => &result.candidates[index],
        _ => return None,
    };
    let better = result
        .candidates
        .iter()
        .find(|c| c.unfit.is_none() && !c.doubtful() && matches!(c.rule.start, Start::Entry(_)));
    let better = better.map_or(String::new(), |one| {
        let start = one.rule.start.node();
        format!(
            "A loop of {} at {} is more regular ({:.2}): --phase {} takes it. ",
            count(one.found.trips(), "iteration", "iterations"),
            node(result, start),
            one.regularity,
            naming::id(start)
        )
    });
    Some(format!(
        "These phases differ much (regularity {:.2}), and may be parts of the program's steps, such as the levels of a \
         multigrid cycle. {better}{watch}",
        chosen.regularity
    ))
}

fn nothing(result: &Phases) -> String {
    let best = result
        .candidates
        .iter()
        .max_by(|a, b| a.covered.total_cmp(&b.covered));
    let why = match best {
        None => "the control flow of the initial thread has no loop over regions".to_owned(),
        Some(best) => format!(
            "no loop qualifies; the closest, at {}: {}",
            node(result, best.found.header),
            verdict(best)
        ),
    };
    format!("No phases: {why}.")
}

/// Whether a loop can be phases.
pub(crate) fn verdict(candidate: &Candidate) -> &'static str {
    match candidate.unfit {
        Some(Unfit::FewTrips) => "too few iterations",
        Some(Unfit::LittleTime) => "too little of the run",
        Some(Unfit::NoSnapshots) => "no snapshots there",
        None if candidate.confirmed => "confirmed",
        None => "in part",
    }
}

/// What paths the phases take, one sentence each; empty when all take one.
pub(crate) fn paths(result: &Phases) -> Vec<String> {
    const SHOWN: usize = 6;
    if result.paths.len() < 2 {
        return Vec::new();
    }
    let mut lines: Vec<String> = result
        .paths
        .iter()
        .take(SHOWN)
        .map(|path| {
            let nodes: Vec<String> = path.nodes.iter().map(|&n| naming::id(n)).collect();
            let nodes = if nodes.is_empty() {
                "no region".to_owned()
            } else {
                nodes.join(", ")
            };
            if let [one] = path.phases.as_slice() {
                format!("1 phase (number {one}) enters {nodes}.")
            } else {
                format!(
                    "{} phases enter {nodes}.",
                    grouped(path.phases.len() as u64)
                )
            }
        })
        .collect();
    if result.paths.len() > SHOWN {
        lines.push(format!(
            "There are {} more paths.",
            result.paths.len() - SHOWN
        ));
    }
    lines
}

/// What an outlier is, and what explains it.
pub(crate) fn outlier(result: &Phases, outlier: &Outlier) -> String {
    let longer = outlier.wall > outlier.usual;
    let mut text = format!(
        "Phase {} took {} instead of {}",
        outlier.phase,
        time(outlier.wall),
        time(outlier.usual)
    );
    // Said where it is not what the summary calls the median.
    if extremes(result).is_some_and(|(_, median, _)| time(median) != time(outlier.usual)) {
        text += &format!(" (the median of the {} phases compared)", outlier.compared);
    }
    let causes: Vec<String> = outlier.causes.iter().map(|c| cause(result, c)).collect();
    if !causes.is_empty() {
        text += &format!(": {}", causes.join("; "));
    }
    text.push('.');
    let names = |nodes: &[usize]| {
        let names: Vec<String> = nodes.iter().take(4).map(|&n| node(result, n)).collect();
        let more = nodes.len().saturating_sub(4);
        if more > 0 {
            format!("{} and {more} more", names.join(", "))
        } else {
            names.join(", ")
        }
    };
    if !outlier.extra.is_empty() {
        text += &format!(" Only here it entered {}.", names(&outlier.extra));
    }
    if !outlier.missing.is_empty() {
        text += &format!(" It did not enter {}.", names(&outlier.missing));
    }
    if outlier.causes.is_empty() && outlier.extra.is_empty() && longer {
        text += " No region explains it.";
    }
    text
}

fn cause(result: &Phases, cause: &Cause) -> String {
    let (more, difference) = if cause.here >= cause.usual {
        ("more", cause.here - cause.usual)
    } else {
        ("less", cause.usual - cause.here)
    };
    let or_none = |value| match value {
        0 => "none".to_owned(),
        _ => time(value),
    };
    format!(
        "thread {} has {} {more} {} in {} ({}, usually {})",
        cause.thread,
        time(difference),
        activity(cause.activity),
        node(result, cause.node),
        or_none(cause.here),
        or_none(cause.usual)
    )
}

/// What could not be seen, one sentence each.
pub(crate) fn blind(result: &Phases) -> Vec<String> {
    result.blind.iter().map(unseen).collect()
}

fn unseen(blind: &Blind) -> String {
    match blind {
        Blind::NoRuntime => {
            "The program started no OpenMP runtime; only functions and marks are shown.".to_owned()
        }
        Blind::NotWatched { reason } => {
            format!("The OpenMP runtime could not be watched: {}", safe(reason))
        }
        Blind::GnuStaticLoops => {
            "Compiled for GNU's OpenMP runtime, run on LLVM's: loops with static schedule, master \
             regions and atomics are invisible (their time belongs to the region around them), sections \
             look like loops, and explicit barriers like implicit ones."
                .to_owned()
        }
        Blind::LogFull { time: at } => {
            format!(
                "The log was full after {}; what was new after that is missing.",
                time(*at)
            )
        }
        Blind::TooDeep { entries } => format!(
            "Constructs were nested too deeply: {} charged to the region around.",
            count(*entries, "entry is", "entries are")
        ),
        Blind::Forked { children } => format!(
            "The process forked: {} not in the recording.",
            count(*children, "child is", "children are")
        ),
        Blind::NoCallback { name } => {
            format!("This OpenMP runtime does not report {}.", safe(name))
        }
        Blind::OpenAtEnd { threads } => format!(
            "{} still in a construct when the recording ended.",
            count((*threads).into(), "thread was", "threads were")
        ),
        Blind::NoDebugInfo { places } => format!(
            "{} named by symbol or module and offset, for want of debug information (compile with -g).",
            count((*places).into(), "place is", "places are")
        ),
        Blind::NoCounter { name } => format!(
            "Counter {} was not counted: this machine has none, or none left.",
            safe(name)
        ),
        Blind::NoSchedule => {
            "How long threads waited for a processor is not known (no /proc/self/task/TID/schedstat, or a recording of an older \
             version): a busy machine is not told apart."
                .to_owned()
        }
        Blind::NoHoldUps => {
            "This recording is of an older version, which did not tell how long threads waited for those without a processor: \
             there is no estimate of the run without a busy machine."
                .to_owned()
        }
    }
}

/// Time of all threads in a node and everything inside.
pub(crate) fn figures(result: &Phases, node: usize) -> Figures {
    result.tree.nodes[node].total()
}

/// How often threads entered a node: `0-3|76`.
pub(crate) fn executions(result: &Phases, node: usize) -> String {
    let threads = &result.tree.nodes[node].threads;
    let each = threads.iter().map(|(thread, f)| (*thread, f.executions));
    shares(&parascan_analysis::phases::label::shares(each), 3)
}

/// Everything about a node that fits beside a pointer.
pub(crate) fn about(result: &Phases, number: usize) -> String {
    use parascan_formats::omp::Location;
    let node_of = &result.tree.nodes[number];
    let mut lines = vec![node(result, number)];
    match &node_of.place.location {
        Location::Source {
            frame,
            inlined_into,
        } => {
            lines.push(format!(
                "{}:{} in {}",
                safe(&frame.file),
                frame.line,
                safe(&frame.function)
            ));
            for outer in inlined_into {
                lines.push(format!(
                    "inlined into {} at {}:{}",
                    safe(&outer.function),
                    safe(&outer.file),
                    outer.line
                ));
            }
        }
        Location::Binary { module, offset, .. } => {
            lines.push(format!(
                "{} {offset:#x}, no debug information",
                safe(module)
            ));
        }
        Location::Unknown => {}
    }
    let threads: Vec<u32> = node_of.threads.iter().map(|t| t.0).collect();
    lines.push(format!(
        "threads {}, executions {}",
        ranges(&threads),
        executions(result, number)
    ));
    lines.push(format!(
        "{} of all threads with everything inside",
        time(node_of.inclusive)
    ));
    let own = figures(result, number);
    for activity_of in Activity::ALL {
        let spent = activity_of.time(&own);
        if spent > 0 {
            lines.push(format!("{}: {}", activity(activity_of), time(spent)));
        }
    }
    lines.join("\n")
}

/// Whether a node is worth a line of its own in tables: the program is not.
pub(crate) fn listed(result: &Phases) -> Vec<usize> {
    let nodes = &result.tree.nodes;
    let mut listed: Vec<usize> = (0..nodes.len())
        .filter(|&n| nodes[n].place.construct != Construct::Program)
        .collect();
    listed.sort_by_key(|&n| (std::cmp::Reverse(nodes[n].inclusive), n));
    listed
}

/// A phase's place in the run.
pub(crate) fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

/// How many of a unit a second has, and what it is called: the largest of which this time in seconds has one.
pub(crate) fn unit_of_time(seconds: f64) -> (f64, &'static str) {
    match seconds {
        1.0.. => (1.0, "seconds"),
        1e-3.. => (1e3, "milliseconds"),
        1e-6.. => (1e6, "microseconds"),
        _ => (1e9, "nanoseconds"),
    }
}

/// The shortest, median and longest phase.
pub(crate) fn extremes(result: &Phases) -> Option<(u64, u64, u64)> {
    let walls: Vec<u64> = result.phases().map(|(_, p)| p.wall()).collect();
    let (least, most) = (walls.iter().min()?, walls.iter().max()?);
    Some((
        *least,
        parascan_analysis::phases::outliers::median(walls.clone()),
        *most,
    ))
}

/// A remark on the last phase, when it may hold more.
pub(crate) fn tail(pieces: &[Piece]) -> Option<&'static str> {
    pieces.iter().any(|p| p.tail).then_some(
        "The last phase of a row reaches to what was entered next, or to the end of the recording: it may hold serial code that came after the loop.",
    )
}

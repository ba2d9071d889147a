//! Conclusions in words: what is lost where, why, what its end could bring at most, and what may be done about it.
//!
//! A recording does not know what the program means. So advice that depends on that begins with *if*, and what is
//! computed from means is called an estimate.

use parascan_analysis::phases::Phases;
use parascan_analysis::phases::conclusions::{
    Exclusion, Imbalance, ImbalanceReason, Loss, LossCause, OneThread, Serial, SerialPlace, Tasks,
    Teams, ThreadShare,
};
use parascan_formats::omp::{Construct, State};

use super::words::{self, node, time};
use crate::shared::style::{count, grouped, percent};

/// Most losses that text and page show at once.
pub(super) const SHOWN: usize = 6;
/// Share of a whole from which on a part of it is worth advice.
const NOTABLE: f64 = 0.1;
/// Waits in nanoseconds at the end of a construct that are as long as what threads need to meet and to get work.
const BRIEF: u64 = 10_000;

/// What all conclusions are subject to.
pub(super) fn caution(result: &Phases) -> Option<String> {
    if result.losses.is_empty() {
        return None;
    }
    let processors = result.run.processors;
    let crowded = processors > 0 && result.threads > processors;
    let mut text = match crowded {
        true => format!(
            "There were more threads ({}) than processors ({processors}): threads also waited for processors, and \
             what they waited for here may have been that.",
            result.threads
        ),
        false => String::new(),
    };
    if result.busy.warn && result.busy.without.is_some() {
        if crowded {
            text.push(' ');
        }
        text += "What was seen of threads without a processor, and of waits for them, is not counted here (an estimate).";
    }
    (!text.is_empty()).then_some(text)
}

/// What kind of loss it is, as data have it.
pub(super) fn code(cause: &LossCause) -> &'static str {
    match cause {
        LossCause::Imbalance(_) => "imbalance",
        LossCause::Teams(_) => "teams",
        LossCause::Exclusion(exclusion) => match exclusion.of {
            State::Lock => "lock",
            State::Ordered => "ordered",
            State::Atomic => "atomic",
            _ => "critical",
        },
        LossCause::OneThread(_) => "one_thread",
        LossCause::FewSections { .. } => "few_sections",
        LossCause::Barrier { .. } => "barrier",
        LossCause::TaskWait => "task_wait",
        LossCause::Tasks(_) => "tasks",
        LossCause::Serial(_) => "serial",
    }
}

/// The estimate of an imbalance, in nanoseconds of wall time.
pub(super) fn estimate(cause: &LossCause) -> Option<u64> {
    match cause {
        LossCause::Imbalance(Imbalance {
            reason: ImbalanceReason::Numbers { estimate } | ImbalanceReason::Lengths { estimate },
            ..
        }) => Some(*estimate),
        _ => None,
    }
}

/// A loss in a few sentences.
pub(super) fn loss(result: &Phases, loss: &Loss) -> String {
    let lost = format!(
        "{} of the time of all threads ({})",
        percent(loss.share),
        time(loss.lost)
    );
    // Losses are those of the run without what a busy machine did, and so are their shares.
    let without = result.busy.without.as_ref();
    let wall = without.map_or(result.run.duration, |w| w.wall).max(1) as f64;
    let shorter = |time: u64| percent(time as f64 / wall);
    let at_most = shorter(loss.at_most);
    let here = node(result, loss.node);
    let without = format!("without that the run would be at most {at_most} shorter");
    match &loss.cause {
        LossCause::Imbalance(imbalance) => format!(
            "Imbalance, {lost}: at the end of {here} threads wait for the last; with the same work spread evenly the \
             run would be at most {at_most} shorter. {}",
            unequal(result, loss.node, imbalance, &shorter)
        ),
        LossCause::Teams(teams) => format!(
            "Thread management, {lost}: teams are started and ended for {here}; {without}. {}",
            short_regions(teams)
        ),
        // Of an ordered region it is known what is done in it.
        LossCause::Exclusion(Exclusion {
            of: State::Ordered,
            inside: None,
            ..
        }) => {
            format!(
                "Synchronization, {lost}: in {here} iterations wait for earlier ones that they depend on; {without}. \
                 If an iteration can do more before it waits, or tell sooner that others need not wait for it any more, \
                 and if threads do not have many iterations in a row (schedule(static, 1) gives each one at a time), \
                 more of them run at the same time."
            )
        }
        LossCause::Exclusion(exclusion) => format!(
            "Synchronization, {lost}: threads wait to enter {here}, which they do {}; {without}. {}",
            count(exclusion.entries, "time", "times"),
            one_at_a_time(exclusion)
        ),
        LossCause::OneThread(one) => format!(
            "Limited parallelism, {lost}: at {here} threads wait while one works{}; {without}. {}",
            alone_in(result, loss.node, one),
            alone(result, loss.node)
        ),
        LossCause::FewSections { sections, team } => format!(
            "Limited parallelism, {lost}: {here} has {} for {team} threads; {without}. If the work can be cut into \
             more pieces, a loop or tasks give all threads something to do.",
            average(*sections, "section", "sections")
        ),
        LossCause::Barrier { waits } => format!(
            "Synchronization, {lost}: threads wait for each other at {here}; {without}. {} If nothing behind it needs \
             what other threads wrote before it, the barrier can go.",
            last_at_barrier(waits)
        ),
        LossCause::TaskWait => format!(
            "Synchronization, {lost}: at {here} threads wait for tasks of others and have none to execute; {without}. \
             If tasks can be made smaller or created earlier, or wait less for one another (depend), there is more to do \
             meanwhile."
        ),
        LossCause::Tasks(tasks) => format!(
            "Thread management, {lost}: tasks are created (most of them in {here}) and fetched; {without}. {}",
            small_tasks(tasks, loss.lost)
        ),
        LossCause::Serial(serial) => format!(
            "Serial code, {lost}: outside of parallel regions one thread works alone for {}, {} of the run; with the \
             same work spread over all threads the run would be at most {at_most} shorter. While it stays, the run \
             becomes no more than {:.2} times as fast as it is, with however many threads.{}",
            time(serial.time),
            shorter(serial.time),
            serial.limit,
            stretches(result, serial)
        ),
    }
}

/// A mean number of things: `3 sections`, `2.5 sections`.
fn average(mean: f64, one: &str, many: &str) -> String {
    if (mean - mean.round()).abs() < 0.05 {
        count(mean.round() as u64, one, many)
    } else {
        format!("{mean:.1} {many} on average")
    }
}

/// A mean time, which may be less than a nanosecond.
fn mean(nanoseconds: f64) -> String {
    if nanoseconds < 10.0 {
        format!("{nanoseconds:.1} ns")
    } else {
        time(nanoseconds.round() as u64)
    }
}

fn unequal(
    result: &Phases,
    at: usize,
    imbalance: &Imbalance,
    shorter: &dyn Fn(u64) -> String,
) -> String {
    let construct = result.tree.nodes[imbalance.of].place.construct;
    let is_loop = matches!(construct, Construct::Loop | Construct::Distribute);
    let things = if construct == Construct::Sections {
        "sections"
    } else {
        "iterations"
    };
    let (Some(most), Some(least)) = (
        imbalance.shares.iter().max_by_key(|s| s.work),
        imbalance.shares.iter().min_by_key(|s| s.work),
    ) else {
        return String::new();
    };
    let works = format!(
        "thread {} works {} in it, thread {} {}",
        most.thread,
        time(most.work),
        least.thread,
        time(least.work)
    );
    match imbalance.reason {
        ImbalanceReason::Unknown => {
            let most = imbalance.waits.iter().max_by_key(|w| w.1);
            let least = imbalance.waits.iter().min_by_key(|w| w.1);
            let waits = most.zip(least).map_or(String::new(), |(most, least)| {
                format!(
                    "Over the whole run thread {} waits {}, thread {} {}. ",
                    most.0,
                    time(most.1),
                    least.0,
                    time(least.1)
                )
            });
            match turns(result, at) {
                Some(turns) => format!(
                    "{waits}That may follow from taking turns in {}.",
                    node(result, turns)
                ),
                None => {
                    let advice = brief(imbalance).unwrap_or_else(|| {
                        if creates_tasks(result, at) {
                            return NO_TASKS.to_owned();
                        }
                        "If what is done before can be cut into smaller pieces that threads take when they are ready, \
                         they wait less."
                            .to_owned()
                    });
                    waits + &advice
                }
            }
        }
        ImbalanceReason::Late {
            region,
            executions,
            busy,
        } => {
            let waits: u64 = imbalance.waits.iter().map(|wait| wait.1).sum();
            let each = |all: u64| mean(all as f64 / executions.max(1) as f64);
            format!(
                "In an execution of {} all threads together are busy for {} on average, but wait here for {}: that is \
                 not for unequal work, but for threads that are woken late or have no processor. One thread alone would \
                 be busy no longer than that: an if clause leaves such executions to it. If a loop around can be \
                 parallel instead, threads meet less often.",
                node(result, region),
                each(busy),
                each(waits)
            )
        }
        ImbalanceReason::FewIterations { iterations, team } => {
            let has = average(iterations, &things[..things.len() - 1], things);
            let advice = if is_loop {
                "If a loop directly inside or around it is independent as well, collapse or another choice of the \
                 loop gives all threads work."
            } else {
                "If the work can be cut into more pieces, all threads have some."
            };
            format!("Each execution has {has} for {team} threads. {advice}")
        }
        ImbalanceReason::Changing => {
            let advice = brief(imbalance).unwrap_or_else(|| {
                format!(
                    "If its {things} differ in length each time, smaller pieces that threads take when they are ready \
                     help; if they do not, the machine makes the difference (other programs, uneven processors)."
                )
            });
            format!(
                "Over the whole run {works}: it is not always the same thread that comes last. {advice}"
            )
        }
        ImbalanceReason::Numbers { estimate } => {
            let total: u64 = imbalance.shares.iter().map(|s| s.iterations).sum();
            let given = format!(
                "Thread {} was given {} of {} {things}",
                most.thread,
                grouped(most.iterations),
                grouped(total)
            );
            if estimate > 0 {
                // Nothing tells which schedule it was, nor what was taken over from whom.
                let busy = if result.busy.warn && is_loop {
                    " If its schedule is dynamic, that may be the busy machine: while a thread has no processor, \
                     others take its iterations."
                } else {
                    ""
                };
                let advice = if is_loop {
                    "If the schedule names a chunk size, a smaller one shares them better"
                } else {
                    "If they can be cut smaller, they are shared better"
                };
                format!(
                    "{given}.{busy} {advice} (estimate, all {things} being of mean length and each thread given as many: {} \
                     shorter).",
                    shorter(estimate)
                )
            } else {
                format!(
                    "{given}: the {} of an average execution can hardly be shared more evenly. If there can be more \
                     and shorter ones, as by collapse of independent loops, less is lost.",
                    grouped(total / imbalance.executions.max(1))
                )
            }
        }
        ImbalanceReason::Lengths { estimate } => {
            let other = imbalance
                .shares
                .iter()
                .filter(|s| s.thread != most.thread && s.iterations > 0)
                .min_by(|a, b| each(a).total_cmp(&each(b)));
            let other = other.map_or(String::new(), |other| {
                format!(", those of thread {} {}", other.thread, mean(each(other)))
            });
            let lengths = format!(
                "The {things} of thread {} take {} on average{other}",
                most.thread,
                mean(each(most))
            );
            if estimate == 0 {
                format!(
                    "{lengths}: single ones are so long that taking one at a time promises nothing. If they can be cut \
                     smaller, less is lost."
                )
            } else {
                let advice = if is_loop {
                    "If its schedule is static, schedule(dynamic), and if it is dynamic, smaller chunks let threads \
                     that are ready take more"
                } else {
                    "If there can be more and shorter ones, threads that are ready take more"
                };
                format!(
                    "{lengths}. {advice} (estimate from these means, one taken at a time and taking it for nothing: {} \
                     shorter).",
                    shorter(estimate)
                )
            }
        }
    }
}

/// What is said where each wait is so short that handing out smaller pieces costs as much.
fn brief(imbalance: &Imbalance) -> Option<String> {
    let waits: u64 = imbalance.waits.iter().map(|wait| wait.1).sum();
    let times = imbalance.executions.max(1) * imbalance.waits.len().max(1) as u64;
    let each = waits / times;
    (each < BRIEF).then(|| {
        format!(
            "A wait takes {} on average, not much more than threads need to meet: smaller pieces can cost more than they \
             save. If there can be fewer and longer regions, threads meet less often.",
            time(each)
        )
    })
}

/// What is said where threads that wait would execute tasks.
const NO_TASKS: &str = "Threads execute tasks while they wait here, but none was ready for them. If tasks wait for one \
                        another (depend), fewer dependences let more of them run at a time; if not, smaller tasks, or \
                        creating them earlier or by several threads (taskloop), give more of them something to do.";

/// Whether tasks are created in a construct or inside it.
fn creates_tasks(result: &Phases, at: usize) -> bool {
    (at..result.tree.nodes.len())
        .filter(|&n| n == at || result.tree.child_towards(at, n).is_some())
        .any(|n| words::figures(result, n).tasks > 0)
}

/// The region inside for which threads wait longest to enter it, one at a time.
fn turns(result: &Phases, at: usize) -> Option<usize> {
    let waits = |n: &usize| {
        let own = words::figures(result, *n);
        [State::Critical, State::Lock, State::Ordered, State::Atomic]
            .iter()
            .map(|&state| own.time[state as usize])
            .sum::<u64>()
    };
    let inside =
        (at + 1..result.tree.nodes.len()).filter(|&n| result.tree.child_towards(at, n).is_some());
    inside.filter(|n| waits(n) > 0).max_by_key(waits)
}

fn each(shares: &ThreadShare) -> f64 {
    shares.each().unwrap_or(0.0)
}

fn short_regions(teams: &Teams) -> String {
    let entries = teams.entries.max(1);
    let mut text = format!(
        "It is entered {}, for {} each on average, of which the team takes {}.",
        count(teams.entries, "time", "times"),
        time(teams.inside / entries),
        time(teams.managing / entries)
    );
    let is_short = teams.managing as f64 >= NOTABLE * teams.inside as f64;
    if !is_short || teams.entries < 2 {
        return text;
    }
    text += &match &teams.repeats {
        Some(repeats) => {
            let beside = words::ids(&repeats.beside);
            let beside = match beside.as_slice() {
                [] => String::new(),
                some => format!(" with {}", some.join(", ")),
            };
            format!(
                " It repeats in a loop of {}{beside}: if all that is between may be done by every thread, or by one \
                 in a single region, a parallel region around that loop starts one team for all.",
                count(repeats.iterations, "iteration", "iterations")
            )
        }
        None => " If it can be joined with a region before or behind it, or moved outwards, teams start less often."
            .to_owned(),
    };
    text
}

fn one_at_a_time(exclusion: &Exclusion) -> String {
    let inside = exclusion.inside.map_or(String::new(), |inside| {
        format!(
            "What is done in it takes {} in all, one thread after the other. ",
            time(inside)
        )
    });
    let advice = match exclusion.of {
        State::Lock => {
            "If the data behind it can be divided, more locks are waited for less; if threads can work on copies that \
             are combined at the end, none is needed."
        }
        State::Ordered => {
            "If only results must come in order, they can be kept, and be put in order behind the loop."
        }
        State::Atomic => {
            "If threads can count in variables of their own, a reduction needs no waiting."
        }
        _ => {
            "If it only combines values into shared variables, a reduction needs no waiting; if it is one update of \
             one variable, atomic waits less; else it helps to do less in it, or to enter it less often."
        }
    };
    format!("{inside}{advice}")
}

/// For which regions threads wait there.
fn alone_in(result: &Phases, at: usize, one: &OneThread) -> String {
    const SHOWN: usize = 3;
    let others: Vec<String> = one
        .regions
        .iter()
        .filter(|&&n| n != at)
        .take(SHOWN)
        .map(|&n| node(result, n))
        .collect();
    let more = one.regions.len().saturating_sub(SHOWN);
    let mut text = match others.as_slice() {
        [] => String::new(),
        [single] => format!(" in {single}"),
        some => format!(" in {}", some.join(" or ")),
    };
    if more > 0 && !others.is_empty() {
        text += &format!(" or {more} more");
    }
    if one.work > 0 {
        text += &format!(" ({} in all)", time(one.work));
    }
    text
}

fn alone(result: &Phases, at: usize) -> &'static str {
    if result.tree.nodes[at].place.construct == Construct::Single {
        "If what follows does not need its results, nowait lets the others go on; if its work can be divided, tasks \
         or a loop occupy them."
    } else {
        "If what follows does not need the results, the barrier can go; if the work can be divided, tasks or a loop \
         occupy the others."
    }
}

fn last_at_barrier(waits: &[(u32, u64)]) -> String {
    let Some(least) = waits.iter().min_by_key(|w| w.1) else {
        return String::new();
    };
    let others = waits.iter().filter(|w| w.0 != least.0);
    let mean = others.map(|w| w.1).sum::<u64>() / (waits.len() as u64 - 1).max(1);
    if least.1 as f64 <= NOTABLE * mean as f64 {
        format!(
            "Thread {} waits least ({}, the others {} on average): it is mostly the last.",
            least.0,
            time(least.1),
            time(mean)
        )
    } else {
        "It is not always the same thread that comes last.".to_owned()
    }
}

fn small_tasks(tasks: &Tasks, lost: u64) -> String {
    let number = tasks.executed.max(tasks.created);
    if number == 0 {
        return String::new();
    }
    let (work, cost) = (tasks.work / tasks.executed.max(1), lost / number);
    let mut text = format!(
        "{} work for {} each on average and cost {}.",
        count(number, "task", "tasks"),
        time(work),
        time(cost)
    );
    if cost as f64 >= NOTABLE * work as f64 {
        text += " If small ones can be done at once (if, final, a limit of depth) or put together (grainsize), fewer \
                 cost less.";
    }
    text
}

fn stretches(result: &Phases, serial: &Serial) -> String {
    let places: Vec<String> = serial
        .stretches
        .iter()
        .filter(|s| s.time as f64 >= NOTABLE * serial.time as f64)
        .map(|stretch| {
            let place = match stretch.part {
                SerialPlace::In(one) => format!("in {}", node(result, one)),
                SerialPlace::Between(None, None) => "in the program itself".to_owned(),
                SerialPlace::Between(None, Some(next)) => format!("before {}", node(result, next)),
                SerialPlace::Between(Some(before), None) => {
                    format!("after the last {}", node(result, before))
                }
                SerialPlace::Between(Some(before), Some(next)) if before == next => {
                    format!("from one {} to the next", node(result, before))
                }
                SerialPlace::Between(Some(before), Some(next)) => {
                    format!(
                        "between {} and {}",
                        node(result, before),
                        node(result, next)
                    )
                }
                SerialPlace::Somewhere => "at places of which there is no snapshot".to_owned(),
            };
            format!("{place} ({})", words::time(stretch.time))
        })
        .collect();
    if places.is_empty() {
        String::new()
    } else {
        format!(" Most of it lies {}.", places.join(", "))
    }
}

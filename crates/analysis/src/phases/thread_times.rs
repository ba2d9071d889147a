//! Whose time in a region is meant: that of each thread, of all together, of the one with least or most, or of one
//! thread.

use super::naming::{find, id, title};
use super::tree::JoinedTree;
use crate::Error;

/// Most regions that an error names.
const NAMED: usize = 8;

/// What is made of the times of the threads that are ever in a region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThreadCombination {
    /// Their mean, between the least and the most.
    #[default]
    Each,
    /// Their sum.
    Sum,
    /// The least.
    Least,
    /// The most.
    Most,
    /// That of one thread.
    Thread(u32),
}

impl ThreadCombination {
    /// What an ending behind a region's name means: `sum`, `min`, `max`, or `T3` for thread 3.
    pub fn of(ending: &str) -> Option<Self> {
        Some(match ending {
            "sum" => Self::Sum,
            "min" => Self::Least,
            "max" => Self::Most,
            _ => Self::Thread(ending.strip_prefix('T')?.parse().ok()?),
        })
    }

    /// One number of the times of threads, in nanoseconds, each with its thread; the mean for
    /// [`ThreadCombination::Each`]. None where that thread is not among them, or there are none.
    pub fn value(self, times: &[(u32, u64)]) -> Option<f64> {
        let each = || times.iter().map(|&(_, time)| time);
        let sum = || each().sum::<u64>() as f64;
        match self {
            Self::Each => (!times.is_empty()).then(|| sum() / times.len() as f64),
            Self::Sum => (!times.is_empty()).then(sum),
            Self::Least => each().min().map(|time| time as f64),
            Self::Most => each().max().map(|time| time as f64),
            Self::Thread(thread) => {
                let found = times.iter().find(|(number, _)| *number == thread);
                found.map(|&(_, time)| time as f64)
            }
        }
    }
}

/// The node that is meant, and whose time in it: `NODE` as [`find`] knows it, or `NODE:sum`, `NODE:min`, `NODE:max`,
/// `NODE:T3`. What is a node's name as a whole is that: names may have colons. `threads` is how many the run had.
///
/// # Errors
/// [`Error::UnknownNode`] where several nodes fit, [`Error::NoTime`], which says what there is.
pub fn find_over(
    tree: &JoinedTree,
    threads: u32,
    given: &str,
) -> Result<(usize, ThreadCombination), Error> {
    let given = given.trim();
    let whole = match find(tree, given) {
        Ok(node) => return Ok((node, ThreadCombination::Each)),
        Err(error) => error,
    };
    let wrong = |why: String| Error::NoTime {
        given: given.to_owned(),
        why,
    };
    let Some((name, ending)) = given.rsplit_once(':') else {
        return Err(no_node(tree, threads, given, whole));
    };
    match (find(tree, name), ThreadCombination::of(ending)) {
        (Ok(node), Some(ThreadCombination::Thread(thread))) => {
            let there: Vec<u32> = tree.nodes[node].threads.iter().map(|t| t.0).collect();
            if there.contains(&thread) {
                return Ok((node, ThreadCombination::Thread(thread)));
            }
            let ranges = super::label::ranges(&there);
            let why = if thread < threads {
                format!(
                    "thread {thread} is never in {}; threads {ranges} are",
                    id(node)
                )
            } else {
                format!(
                    "the run has no thread {thread}; in {} are threads {ranges}",
                    id(node)
                )
            };
            Err(wrong(why))
        }
        (Ok(node), Some(over)) => Ok((node, over)),
        (Ok(node), None) => Err(wrong(format!(
            "behind {} may stand {}",
            id(node),
            endings(threads)
        ))),
        (Err(error), Some(_)) => Err(no_node(tree, threads, given, error)),
        (Err(_), None) => Err(no_node(tree, threads, given, whole)),
    }
}

/// The endings that there are, in words.
fn endings(threads: u32) -> String {
    let last = match threads {
        0 | 1 => String::new(),
        _ => format!(" to :T{}", threads - 1),
    };
    format!(":sum, :min, :max or :T0{last}")
}

/// Where no node fits, names some.
fn no_node(tree: &JoinedTree, threads: u32, given: &str, error: Error) -> Error {
    if let Error::UnknownNode { similar, .. } = &error
        && !similar.is_empty()
    {
        return error;
    }
    let mut nodes: Vec<usize> = (1..tree.nodes.len()).collect();
    nodes.sort_by_key(|&node| (std::cmp::Reverse(tree.nodes[node].inclusive), node));
    let named = nodes.iter().take(NAMED);
    let mut named: Vec<String> = named
        .map(|&node| format!("{} ({})", id(node), title(&tree.nodes[node].place)))
        .collect();
    if nodes.len() > NAMED {
        named.push(format!("and {} more", nodes.len() - NAMED));
    }
    let there = if named.is_empty() {
        "the recording has no regions".to_owned()
    } else {
        format!("no such region; there are {}", named.join(", "))
    };
    Error::NoTime {
        given: given.to_owned(),
        why: format!("{there}. Behind a region may stand {}", endings(threads)),
    }
}

#[cfg(test)]
mod tests {
    use parascan_formats::omp::synthetic::RunBuilder;
    use parascan_formats::omp::{Construct, State};

    use super::super::tree::JoinedTree;
    use super::{ThreadCombination, find_over};

    fn tree() -> JoinedTree {
        let mut run = RunBuilder::new(3);
        run.enter(0, Construct::Parallel, "step");
        run.adopt(1, 0);
        run.spend(0, State::Work, 30);
        run.spend(1, State::Work, 10);
        run.release(1);
        run.leave(0);
        for name in ["sum", "std::sum", "sum:T1"] {
            run.enter(0, Construct::Function, name);
            run.leave(0);
        }
        JoinedTree::new(&run.finish())
    }

    #[test]
    fn only_known_endings_count() {
        let tree = tree();
        for (given, expected) in [
            ("R1", (1, ThreadCombination::Each)),
            ("R1:sum", (1, ThreadCombination::Sum)),
            ("R1:min", (1, ThreadCombination::Least)),
            ("parallel synthetic.c:1:max", (1, ThreadCombination::Most)),
            ("R1:T1", (1, ThreadCombination::Thread(1))),
            ("std::sum", (3, ThreadCombination::Each)),
            ("std::sum:sum", (3, ThreadCombination::Sum)),
            ("sum:T1", (4, ThreadCombination::Each)),
            ("sum:T0", (2, ThreadCombination::Thread(0))),
        ] {
            assert_eq!(find_over(&tree, 3, given), Ok(expected), "{given}");
        }
        for (given, why) in [
            (
                "R1:mean",
                "behind R1 may stand :sum, :min, :max or :T0 to :T2",
            ),
            ("R1:T2", "thread 2 is never in R1; threads 0-1 are"),
            ("R1:T7", "the run has no thread 7; in R1 are threads 0-1"),
            ("R1:T", "behind R1 may stand"),
            (
                "cg.c:7",
                "no such region; there are R1 (parallel synthetic.c:1), R2",
            ),
            ("cg.c:7:sum", "Behind a region may stand :sum"),
            ("synthetic.c:1:sum", "R1 (parallel"),
        ] {
            let error = find_over(&tree, 3, given).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn values_of_threads() {
        let times = [(0, 30), (2, 10)];
        for (over, value) in [
            (ThreadCombination::Each, Some(20.0)),
            (ThreadCombination::Sum, Some(40.0)),
            (ThreadCombination::Least, Some(10.0)),
            (ThreadCombination::Most, Some(30.0)),
            (ThreadCombination::Thread(2), Some(10.0)),
            (ThreadCombination::Thread(1), None),
        ] {
            assert_eq!(over.value(&times), value);
            assert_eq!(over.value(&[]), None);
        }
    }
}

//! Recordings from hand-made runs: for tests of everything that reads recordings.
//!
//! The builder keeps the call tree, predecessors and snapshots by the rules of the collector.
//!
//! ```
//! use parascan_formats::omp::{Construct, State, synthetic::RunBuilder};
//!
//! let mut run = RunBuilder::new(2);
//! for _ in 0..3 {
//!     run.enter(0, Construct::Parallel, "solve");
//!     run.adopt(1, 0);
//!     run.spend(0, State::Work, 100);
//!     run.spend(1, State::Work, 60);
//!     run.spend(1, State::ImplicitBarrier, 40);
//!     run.release(1);
//!     run.leave(0);
//! }
//! let recording = run.finish();
//! assert_eq!(recording.validate(), Ok(()));
//! assert_eq!(recording.threads[1].records[0].predecessors, [(0, 1), (1, 2)]);
//! ```

use std::collections::{BTreeMap, HashMap};

use super::{
    Boundary, CallNode, CodePosition, Construct, End, FiguresPart, Location, NodeFigures, Place,
    Record, Recording, Snapshot, State, Thread,
};

/// Builds made-up recordings: threads enter and leave constructs in the order of the calls.
#[derive(Debug)]
pub struct RunBuilder {
    recording: Recording,
    children: HashMap<(u32, u32), u32>,
    threads: Vec<ThreadCursor>,
    /// Visits of the initial thread, by node.
    visits: HashMap<u32, u64>,
    /// Whether entries of the initial thread are boundaries.
    boundaries: bool,
}

/// Where a thread is.
#[derive(Debug, Default)]
struct ThreadCursor {
    /// Time since the start of the recording.
    clock: u64,
    /// Open nodes and the last child entered in each, from outside to inside; never empty while the thread runs.
    stack: Vec<OpenVisit>,
    records: BTreeMap<u32, (BTreeMap<u32, u64>, NodeFigures)>,
    since_snapshot: BTreeMap<u32, NodeFigures>,
    /// The last child that a worker entered below a visit of another thread.
    below: HashMap<(u32, u64), u32>,
}

#[derive(Clone, Copy, Debug)]
struct OpenVisit {
    node: u32,
    /// Tells visits of the node apart.
    visit: u64,
    previous: Option<u32>,
    /// Entered by the thread itself, not taken over from another.
    own: bool,
}

impl RunBuilder {
    /// A run of `threads` threads; thread 0 is in the program, the others wait to be adopted.
    pub fn new(threads: u32) -> Self {
        let mut recording = Recording {
            places: vec![Place::default()],
            nodes: vec![CallNode::default()],
            ..Recording::default()
        };
        recording.run.end = End::Exited(0);
        recording.run.command = vec!["synthetic".to_owned()];
        recording.run.clock = "synthetic".to_owned();
        let mut walkers: Vec<ThreadCursor> = (0..threads.max(1))
            .map(|_| ThreadCursor::default())
            .collect();
        walkers[0].stack.push(OpenVisit {
            node: 0,
            visit: 1,
            previous: None,
            own: true,
        });
        let program = walkers[0].records.entry(0).or_default();
        program.1.executions = 1;
        walkers[0].since_snapshot.entry(0).or_default().executions = 1;
        Self {
            recording,
            children: HashMap::new(),
            threads: walkers,
            visits: HashMap::new(),
            boundaries: true,
        }
    }

    /// Whether entries of thread 0 take snapshots (they do unless told otherwise). Phases always do.
    pub fn boundaries(&mut self, wanted: bool) {
        self.boundaries = wanted;
    }

    /// A thread enters a construct below where it is; gives its node. `name` tells constructs of one kind apart: it
    /// becomes the place's name where the program gives names, and the function's name otherwise.
    ///
    /// # Panics
    /// When the thread is not in the program.
    pub fn enter(&mut self, thread: usize, construct: Construct, name: &str) -> u32 {
        let parent = self.top(thread).node;
        let node = self.node(parent, construct, name);
        let open = self.top(thread);
        let before = if construct == Construct::Task {
            parent
        } else {
            open.previous.replace(node).unwrap_or(parent)
        };
        let visit = {
            let visits = self.visits.entry(node).or_insert(0);
            if thread == 0 {
                *visits += 1;
            }
            *visits
        };
        if thread == 0 && construct == Construct::Phase {
            self.snapshot(Boundary::Begin { node, visit });
        } else if thread == 0 && self.boundaries {
            self.snapshot(Boundary::Enter { node, visit });
        }
        let walker = &mut self.threads[thread];
        let record = walker.records.entry(node).or_default();
        *record.0.entry(before).or_default() += 1;
        walker.charge(node, |f| f.executions += 1);
        walker.stack.push(OpenVisit {
            node,
            visit,
            previous: None,
            own: true,
        });
        node
    }

    /// A thread leaves the construct that it entered last.
    ///
    /// # Panics
    /// When it entered none.
    pub fn leave(&mut self, thread: usize) {
        let open = self.threads[thread].stack.pop().expect("an open construct");
        assert!(
            open.own && open.node != 0,
            "thread {thread} entered nothing"
        );
        let place = self.recording.nodes[open.node as usize].place as usize;
        if thread == 0 && self.recording.places[place].construct == Construct::Phase {
            self.snapshot(Boundary::Finish {
                node: open.node,
                visit: open.visit,
            });
        }
    }

    /// A worker joins what `leader` is in: its stay begins with an execution of the leader's current construct.
    ///
    /// # Panics
    /// When the leader is in no construct.
    pub fn adopt(&mut self, worker: usize, leader: usize) {
        let stack = self.threads[leader].stack.clone();
        let [.., outer, construct] = stack.as_slice() else {
            panic!("thread {leader} is in no construct");
        };
        let clock = self.threads[leader].clock;
        let walker = &mut self.threads[worker];
        walker.clock = walker.clock.max(clock);
        let before = walker
            .below
            .insert((outer.node, outer.visit), construct.node)
            .unwrap_or(outer.node);
        let record = walker.records.entry(construct.node).or_default();
        *record.0.entry(before).or_default() += 1;
        walker.charge(construct.node, |f| f.executions += 1);
        walker.stack.push(OpenVisit {
            previous: None,
            own: false,
            ..*construct
        });
    }

    /// A worker ends its stay in what it was adopted to.
    ///
    /// # Panics
    /// When it is still in a construct of its own.
    pub fn release(&mut self, worker: usize) {
        let open = self.threads[worker].stack.pop().expect("a stay");
        assert!(!open.own, "thread {worker} is in a construct of its own");
    }

    /// A thread spends time where it is.
    ///
    /// # Panics
    /// When the thread is not in the program.
    pub fn spend(&mut self, thread: usize, state: State, nanoseconds: u64) {
        let node = self.top(thread).node;
        let walker = &mut self.threads[thread];
        walker.clock += nanoseconds;
        walker.charge(node, |f| f.time[state as usize] += nanoseconds);
    }

    /// A thread gets iterations where it is.
    ///
    /// # Panics
    /// When the thread is not in the program.
    pub fn iterations(&mut self, thread: usize, count: u64) {
        let node = self.top(thread).node;
        self.threads[thread].charge(node, |f| f.iterations += count);
    }

    /// Changes the figures of a thread where it is: what adds to them adds to the record and to the next snapshot.
    ///
    /// # Panics
    /// When the thread is not in the program.
    pub fn figures(&mut self, thread: usize, change: impl Fn(&mut NodeFigures)) {
        let node = self.top(thread).node;
        self.threads[thread].charge(node, change);
    }

    /// Counters that are read at every node; before anything is counted.
    pub fn counters(&mut self, names: &[&str]) {
        self.recording.counters = names.iter().map(|&name| name.to_owned()).collect();
        self.recording.region_counters = (1 << names.len()) - 1;
    }

    /// A thread's counters count where it is, one value for each.
    ///
    /// # Panics
    /// When the thread is not in the program.
    pub fn count(&mut self, thread: usize, values: &[u64]) {
        let counters = values.to_vec();
        let news = NodeFigures {
            counters,
            ..NodeFigures::default()
        };
        self.figures(thread, |figures| figures.add(&news));
    }

    /// The recording; its duration is the latest clock of all threads.
    pub fn finish(mut self) -> Recording {
        let duration = self.threads.iter().map(|t| t.clock).max().unwrap_or(0);
        let counters = match self.recording.region_counters {
            0 => 0,
            _ => self.recording.counters.len(),
        };
        self.threads[0].clock = duration;
        self.snapshot(Boundary::End);
        self.recording.run.duration = duration;
        for part in self
            .recording
            .snapshots
            .iter_mut()
            .flat_map(|s| &mut s.parts)
        {
            part.figures.counters.resize(counters, 0);
        }
        for walker in self.threads {
            let record =
                |(node, (predecessors, mut figures)): (u32, (BTreeMap<_, _>, NodeFigures))| {
                    figures.counters.resize(counters, 0);
                    Record {
                        node,
                        predecessors: predecessors.into_iter().collect(),
                        figures,
                    }
                };
            self.recording.threads.push(Thread {
                started: 0,
                ended: walker.clock,
                records: walker.records.into_iter().map(record).collect(),
            });
        }
        self.recording
    }

    fn top(&mut self, thread: usize) -> &mut OpenVisit {
        let top = self.threads[thread].stack.last_mut();
        top.expect("the thread is in the program")
    }

    fn node(&mut self, parent: u32, construct: Construct, name: &str) -> u32 {
        let place = place(construct, name);
        let places = &mut self.recording.places;
        let index = places.iter().position(|p| *p == place).unwrap_or_else(|| {
            places.push(place);
            places.len() - 1
        }) as u32;
        let nodes = &mut self.recording.nodes;
        *self.children.entry((parent, index)).or_insert_with(|| {
            nodes.push(CallNode {
                parent: Some(parent),
                place: index,
            });
            nodes.len() as u32 - 1
        })
    }

    /// What all threads did since the last one. Its time is thread 0's clock.
    fn snapshot(&mut self, boundary: Boundary) {
        let mut snapshot = Snapshot {
            time: self.threads[0].clock,
            boundary,
            ..Snapshot::default()
        };
        for (thread, walker) in (0u32..).zip(&mut self.threads) {
            for (node, figures) in std::mem::take(&mut walker.since_snapshot) {
                snapshot.parts.push(FiguresPart {
                    thread,
                    node,
                    figures,
                });
            }
        }
        self.recording.snapshots.push(snapshot);
    }
}

impl ThreadCursor {
    fn charge(&mut self, node: u32, change: impl Fn(&mut NodeFigures)) {
        change(&mut self.records.entry(node).or_default().1);
        change(self.since_snapshot.entry(node).or_default());
    }
}

/// The place that the builder makes of a name.
pub fn place(construct: Construct, name: &str) -> Place {
    let named = matches!(
        construct,
        Construct::Phase | Construct::UserRegion | Construct::Function
    );
    Place {
        construct,
        name: if named { name } else { "" }.to_owned(),
        location: Location::Source {
            frame: CodePosition {
                function: name.to_owned(),
                file: "synthetic.c".to_owned(),
                line: 1,
            },
            inlined_into: Vec::new(),
        },
    }
}

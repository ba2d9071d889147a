//! A log as a recording: addresses become places, equal places one node, ticks nanoseconds, strides uniform.

use std::collections::{BTreeMap, HashMap};

use parascan_abi::omp::{
    ASKED_COUNTERS, COUNTER_NAMES, COUNTERS, COUNTS, EXECUTIONS, FIGURES, FIRST_ADDRESS,
    ITERATIONS, NO_PROCESSOR, PLAIN_COUNTERS, TASKS, TIMES, boundary,
};

use super::fit::fit;
use super::{OmpLog, RawPlace, RawSnapshot};
use crate::omp::{
    Boundary, CallNode, CountedInterval, FiguresPart, NodeFigures, Place, Record, Recording,
    RecordingGap, Run, Snapshot, ThinnedNode, Thread,
};

/// Names of callbacks by OMPT's numbers, for those that the collector asks for.
const CALLBACKS: [(u32, &str); 17] = [
    (1, "thread_begin"),
    (2, "thread_end"),
    (3, "parallel_begin"),
    (4, "parallel_end"),
    (5, "task_create"),
    (6, "task_schedule"),
    (7, "implicit_task"),
    (16, "sync_region_wait"),
    (17, "mutex_released"),
    (20, "work"),
    (21, "masked"),
    (23, "sync_region"),
    (26, "mutex_acquire"),
    (27, "mutex_acquired"),
    (28, "nest_lock"),
    (31, "reduction"),
    (32, "dispatch"),
];

impl OmpLog {
    /// The module of an address and the address's offset in its file.
    pub fn module(&self, address: u64) -> Option<(&str, u64)> {
        let holds = |m: &&super::Mapping| (m.start..m.end).contains(&address);
        let mapping = self.mappings.iter().rev().find(holds)?;
        Some((&mapping.path, address - mapping.start + mapping.offset))
    }

    /// The recording. `run` has everything that only the caller knows; `asked` names the counters that the user asked
    /// for; `resolve` says where a place is, and what functions are called.
    pub fn recording(
        &self,
        run: Run,
        asked: &[String],
        resolve: impl FnMut(&RawPlace) -> Place,
    ) -> Recording {
        let asked = &asked[..asked.len().min(ASKED_COUNTERS)];
        let plain = COUNTER_NAMES.map(str::to_owned);
        let counters: Vec<String> = plain.into_iter().chain(asked.iter().cloned()).collect();
        // What does not count is never known.
        let counting = !(self.no_counter << PLAIN_COUNTERS) & ((1 << counters.len()) - 1);
        let at_regions = if self.region_counters { counting } else { 0 };
        let mut recording = Converter::new(self, counters, at_regions, resolve).recording(run);
        for snapshot in &mut recording.snapshots {
            for counted in &mut snapshot.counters {
                counted.values.truncate(recording.counters.len());
                counted.known &= counting;
            }
        }
        let missing = asked
            .iter()
            .enumerate()
            .filter(|(bit, _)| self.no_counter & (1 << bit) != 0);
        recording
            .blind
            .extend(missing.map(|(_, name)| RecordingGap::NoCounter { name: name.clone() }));
        recording
    }

    /// Ticks at which the recording begins.
    fn zero(&self) -> u64 {
        self.threads[0].started
    }

    /// Nanoseconds of a number of ticks.
    fn nanoseconds(&self, ticks: u64) -> u64 {
        let spans = [0, 1].map(|i| self.latest[i].saturating_sub(self.start[i]));
        if !self.tsc || spans[0] == 0 || spans[1] == 0 {
            return ticks;
        }
        (u128::from(ticks) * u128::from(spans[1]) / u128::from(spans[0])) as u64
    }

    /// Nanoseconds since the start.
    fn since_start(&self, ticks: u64) -> u64 {
        self.nanoseconds(ticks.saturating_sub(self.zero()))
    }

    /// At which visits each node has its snapshots: a power of two, the smallest that leaves no gap.
    fn strides(&self) -> HashMap<u32, u64> {
        let mut seen: HashMap<u32, (u64, u64)> = HashMap::new();
        for snapshot in &self.snapshots {
            if snapshot.boundary == boundary::ENTER {
                let entry = seen.entry(snapshot.node).or_insert((0, 1));
                if entry.0 > 0 {
                    let gap = snapshot.visit.saturating_sub(entry.0);
                    entry.1 = entry.1.max(gap.checked_next_power_of_two().unwrap_or(1));
                }
                entry.0 = snapshot.visit;
            }
        }
        if self.full_at.is_none() {
            for record in &self.threads[0].records {
                if let Some((last, stride)) = seen.get_mut(&record.node) {
                    let tail = record.figures[EXECUTIONS].saturating_sub(*last) + 1;
                    *stride = (*stride).max(tail.checked_next_power_of_two().unwrap_or(1));
                }
            }
        }
        seen.into_iter()
            .map(|(n, (_, stride))| (n, stride))
            .collect()
    }
}

/// Ticks so far, of which nanoseconds are handed out so that the sum of all parts is the whole.
#[derive(Clone, Copy, Debug, Default)]
struct TickConverter {
    ticks: u64,
    nanoseconds: u64,
}

/// Figures in ticks: the times, and those without a processor.
const TALLIES: usize = crate::omp::STATES + COUNTS - NO_PROCESSOR;

struct Converter<'a> {
    log: &'a OmpLog,
    /// Names of the counters, and a bit for each that was read at nodes.
    names: Vec<String>,
    at_regions: u64,
    places: Vec<Place>,
    nodes: Vec<CallNode>,
    /// New number of every raw node.
    renumbered: Vec<u32>,
    /// By thread and raw node: figures handed out.
    handed: HashMap<(u32, u32), ([u64; FIGURES], [TickConverter; TALLIES])>,
    counters: HashMap<u32, [u64; COUNTERS]>,
}

impl<'a> Converter<'a> {
    fn new(
        log: &'a OmpLog,
        names: Vec<String>,
        at_regions: u64,
        mut resolve: impl FnMut(&RawPlace) -> Place,
    ) -> Self {
        let mut places = Vec::new();
        let mut numbers: HashMap<Place, u32> = HashMap::new();
        let renamed: Vec<u32> = log
            .places
            .iter()
            .map(|raw| {
                let place = resolve(raw);
                *numbers.entry(place.clone()).or_insert_with(|| {
                    places.push(place);
                    places.len() as u32 - 1
                })
            })
            .collect();
        let mut nodes: Vec<CallNode> = Vec::new();
        let mut children: HashMap<(u32, u32), u32> = HashMap::new();
        let mut renumbered: Vec<u32> = Vec::with_capacity(log.nodes.len());
        for (index, &(parent, place)) in log.nodes.iter().enumerate() {
            let place = renamed[place as usize];
            let parent = (index > 0).then(|| renumbered[parent as usize]);
            let number = *children
                .entry((parent.unwrap_or(u32::MAX), place))
                .or_insert_with(|| {
                    nodes.push(CallNode { parent, place });
                    nodes.len() as u32 - 1
                });
            renumbered.push(number);
        }
        Self {
            log,
            names,
            at_regions,
            places,
            nodes,
            renumbered,
            handed: HashMap::new(),
            counters: HashMap::new(),
        }
    }

    /// What a number of ticks and counts at a raw node are, given what was handed out before.
    fn figures(&mut self, thread: u32, node: u32, added: &[u64; FIGURES]) -> NodeFigures {
        let (total, tallies) = self.handed.entry((thread, node)).or_default();
        for (total, added) in total.iter_mut().zip(added) {
            *total = total.saturating_add(*added);
        }
        let mut figures = NodeFigures {
            executions: added[EXECUTIONS],
            iterations: added[ITERATIONS],
            tasks: added[TASKS],
            ..NodeFigures::default()
        };
        if self.at_regions != 0 {
            let counted = added[COUNTS..].iter().take(self.names.len()).enumerate();
            let known = counted.map(|(at, count)| count * (self.at_regions >> at & 1));
            figures.counters = known.collect();
        }
        let times = added[TIMES..TIMES + crate::omp::STATES].iter();
        let ticks = times.chain(&added[NO_PROCESSOR..COUNTS]);
        let nanoseconds = figures.time.iter_mut().chain([
            &mut figures.no_processor,
            &mut figures.no_processor_fork,
            &mut figures.held_up,
            &mut figures.spared,
        ]);
        for ((tally, ticks), nanoseconds) in tallies.iter_mut().zip(ticks).zip(nanoseconds) {
            tally.ticks = tally.ticks.saturating_add(*ticks);
            let whole = self.log.nanoseconds(tally.ticks);
            *nanoseconds = whole.saturating_sub(tally.nanoseconds);
            tally.nanoseconds = whole;
        }
        figures
    }

    fn recording(mut self, run: Run) -> Recording {
        let strides = self.log.strides();
        let mut snapshots = Vec::new();
        let mut open = PendingInterval::default();
        let mut visits: HashMap<u32, BTreeMap<u32, u64>> = HashMap::new();
        for raw in &self.log.snapshots {
            self.collect(raw, &mut open);
            let stride = strides.get(&raw.node).copied().unwrap_or(1);
            if raw.boundary == boundary::ENTER && raw.visit.wrapping_sub(1) % stride != 0 {
                continue;
            }
            let node = self.renumbered[raw.node as usize];
            let of_node = visits.entry(node).or_default();
            of_node.insert(raw.node, raw.visit);
            let visit = of_node
                .values()
                .fold(0, |sum: u64, v| sum.saturating_add(*v));
            let boundary = match raw.boundary {
                boundary::BEGIN => Boundary::Begin { node, visit },
                boundary::FINISH => Boundary::Finish { node, visit },
                _ => Boundary::Enter { node, visit },
            };
            // Clocks of processors may differ a little, and a thread may move between them.
            let before = snapshots.last().map_or(0, |s: &Snapshot| s.time);
            let time = self.log.since_start(raw.time).max(before);
            open.read = self.log.nanoseconds(raw.read);
            snapshots.push(std::mem::take(&mut open).close(time, boundary));
        }
        self.collect_rest(&mut open);
        let last = self.log.threads.iter().map(|t| t.last).max().unwrap_or(0);
        let end = self.log.since_start(last.max(self.log.end));
        let end = end.max(snapshots.last().map_or(0, |s: &Snapshot| s.time));
        snapshots.push(open.close(end, Boundary::End));
        if self.at_regions != 0 {
            fit(&mut snapshots, &self.names);
        }
        let threads = self.threads(&snapshots);
        let thinned = self.thinned(&strides);
        let run = Run {
            duration: end,
            runtime: self.log.runtime.clone(),
            clock: if self.log.tsc {
                "tsc"
            } else {
                "clock_monotonic"
            }
            .to_owned(),
            ..run
        };
        Recording {
            run,
            blind: self.blind(),
            counters: self.names,
            region_counters: self.at_regions,
            places: self.places,
            nodes: self.nodes,
            threads,
            snapshots,
            thinned,
        }
    }

    fn collect(&mut self, raw: &RawSnapshot, open: &mut PendingInterval) {
        for (thread, node, added) in &raw.parts {
            let figures = self.figures(*thread, *node, added);
            open.add(*thread, self.renumbered[*node as usize], &figures);
        }
        for counted in &raw.counters {
            open.count(counted.thread, counted.known, &counted.values);
            let total = self.counters.entry(counted.thread).or_default();
            for (total, value) in total.iter_mut().zip(&counted.values) {
                *total = total.saturating_add(*value);
            }
        }
    }

    /// What the threads did after the last snapshot.
    fn collect_rest(&mut self, open: &mut PendingInterval) {
        for (number, thread) in (0u32..).zip(&self.log.threads) {
            for record in &thread.records {
                let done = self.handed.get(&(number, record.node));
                let done = done.map_or([0; FIGURES], |d| d.0);
                let mut rest = record.figures;
                for (rest, done) in rest.iter_mut().zip(done) {
                    *rest = rest.saturating_sub(done);
                }
                let figures = self.figures(number, record.node, &rest);
                open.add(number, self.renumbered[record.node as usize], &figures);
            }
            let done = self.counters.get(&number).copied().unwrap_or_default();
            let mut rest = thread.counters;
            for (rest, done) in rest.iter_mut().zip(done) {
                *rest = rest.saturating_sub(done);
            }
            open.count(number, thread.known, &rest);
        }
    }

    /// Totals are the sums of the parts.
    fn threads(&self, snapshots: &[Snapshot]) -> Vec<Thread> {
        let mut records: Vec<BTreeMap<u32, Record>> = vec![BTreeMap::new(); self.log.threads.len()];
        for part in snapshots.iter().flat_map(|s| &s.parts) {
            let record = records[part.thread as usize].entry(part.node).or_default();
            record.node = part.node;
            record.figures.add(&part.figures);
        }
        for (thread, records) in self.log.threads.iter().zip(&mut records) {
            let mut predecessors: BTreeMap<u32, BTreeMap<u32, u64>> = BTreeMap::new();
            for raw in &thread.records {
                let of_node = predecessors
                    .entry(self.renumbered[raw.node as usize])
                    .or_default();
                for &(before, count) in &raw.predecessors {
                    let sum = of_node.entry(self.renumbered[before as usize]).or_default();
                    *sum = sum.saturating_add(count);
                }
            }
            for (node, before) in predecessors {
                if let Some(record) = records.get_mut(&node) {
                    record.predecessors = self.plausible(node, record, before);
                }
            }
        }
        let threads = self.log.threads.iter().zip(records);
        threads
            .map(|(raw, records)| Thread {
                started: self.log.since_start(raw.started),
                ended: self.log.since_start(raw.last),
                records: records.into_values().collect(),
            })
            .collect()
    }

    /// Predecessors without those that a damaged log invented: strangers, and counts beyond the executions.
    fn plausible(&self, node: u32, record: &Record, before: BTreeMap<u32, u64>) -> Vec<(u32, u64)> {
        let parent = self.nodes[node as usize].parent;
        let mut rest = record.figures.executions;
        let known = before.into_iter().filter(|&(before, _)| {
            parent.is_some()
                && (Some(before) == parent || self.nodes[before as usize].parent == parent)
        });
        known
            .map(|(before, count)| {
                let count = count.min(rest);
                rest -= count;
                (before, count)
            })
            .collect()
    }

    fn thinned(&self, strides: &HashMap<u32, u64>) -> Vec<ThinnedNode> {
        let mut thinned: BTreeMap<u32, ThinnedNode> = BTreeMap::new();
        for (&raw, &stride) in strides {
            let node = self.renumbered[raw as usize];
            let entry = thinned.entry(node).or_default();
            entry.node = node;
            entry.stride = entry.stride.max(stride);
        }
        for record in &self.log.threads[0].records {
            if let Some(entry) = thinned.get_mut(&self.renumbered[record.node as usize]) {
                entry.visits = entry.visits.saturating_add(record.figures[EXECUTIONS]);
            }
        }
        thinned.into_values().filter(|t| t.stride > 1).collect()
    }

    fn blind(&self) -> Vec<RecordingGap> {
        let mut blind = Vec::new();
        if !self.log.runtime_seen {
            blind.push(RecordingGap::NoRuntime);
        }
        if let Some(at) = self.log.full_at {
            let time = self.log.since_start(at);
            blind.push(RecordingGap::LogFull { time });
        }
        if self.log.too_deep > 0 {
            let entries = self.log.too_deep;
            blind.push(RecordingGap::TooDeep { entries });
        }
        if self.log.forks > 0 {
            let children = self.log.forks;
            blind.push(RecordingGap::Forked { children });
        }
        for (bit, name) in CALLBACKS {
            if self.log.refused & (1 << bit) != 0 {
                let name = name.to_owned();
                blind.push(RecordingGap::NoCallback { name });
            }
        }
        if self.log.no_schedule {
            blind.push(RecordingGap::NoSchedule);
        }
        let open = |(number, t): &(usize, &super::RawThread)| {
            t.depth > 0 && (*number > 0 || !self.log.finished)
        };
        let threads = self.log.threads.iter().enumerate().filter(open).count() as u32;
        if threads > 0 {
            blind.push(RecordingGap::OpenAtEnd { threads });
        }
        let unnamed = |p: &&Place| matches!(p.location, crate::omp::Location::Binary { .. });
        let places = self.places.iter().filter(unnamed).count() as u32;
        if places > 0 {
            blind.push(RecordingGap::NoDebugInfo { places });
        }
        blind
    }
}

/// The interval being filled.
#[derive(Default)]
struct PendingInterval {
    parts: BTreeMap<(u32, u32), NodeFigures>,
    /// Known, and added.
    counters: BTreeMap<u32, (u64, [u64; COUNTERS])>,
    read: u64,
}

impl PendingInterval {
    fn add(&mut self, thread: u32, node: u32, figures: &NodeFigures) {
        if !figures.is_zero() {
            self.parts.entry((thread, node)).or_default().add(figures);
        }
    }

    /// Of several boundaries in an interval, the last says what is known at its end.
    fn count(&mut self, thread: u32, known: u64, values: &[u64; COUNTERS]) {
        let (mine_known, mine) = self.counters.entry(thread).or_default();
        *mine_known = known;
        for (mine, value) in mine.iter_mut().zip(values) {
            *mine = mine.saturating_add(*value);
        }
    }

    fn close(self, time: u64, boundary: Boundary) -> Snapshot {
        let part = |((thread, node), figures)| FiguresPart {
            thread,
            node,
            figures,
        };
        Snapshot {
            time,
            boundary,
            parts: self.parts.into_iter().map(part).collect(),
            counters: self
                .counters
                .into_iter()
                .map(|(thread, (known, values))| CountedInterval {
                    thread,
                    known,
                    values: values.to_vec(),
                })
                .collect(),
            read: self.read,
        }
    }
}

impl RawPlace {
    /// The address to look up: inside the call for return addresses, the first one of a function.
    pub fn lookup(&self) -> Option<u64> {
        match self.address {
            0 => None,
            address if address & FIRST_ADDRESS != 0 => Some(address & !FIRST_ADDRESS),
            address => Some(address - 1),
        }
    }
}

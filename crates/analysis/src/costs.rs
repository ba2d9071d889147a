//! What threads cost on a machine, and what is left of a region's gain there: the cost model behind plans.
//!
//! A region of work *W* in *I* instances, of *n* iterations each, takes on *N* cores
//! *max(W / SP, W ceil(n / N) / n) + I × (fork and join + reductions) + iterations × (order)*: no faster than its
//! self-parallelism lets it be, no faster than the thread with most iterations, and a price at every start (Kremlin,
//! sections 5.1 and 5.3, where thresholds stand for this). Prices are times; units of work become times by a rate,
//! which is a guess unless the program's own time is given: the range around an estimate covers it.
//!
//! Where iterations that ran were not equally long, the busiest thread takes as much longer as its equal part, or its
//! parts in turn (`regions/uneven.rs`), had more work than the mean (`balance.rs`).
//!
//! What streams through memory takes no less time than all threads need to move it (`memory.rs`, `traffic.rs`).
//!
//! What is not in it: how caches are shared.

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::class::RegionClass;
use crate::memory::MemorySpeed;
use crate::model::InstanceSums;

/// What a target's threads cost, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Costs {
    /// To start and end one instance of a parallel region, whatever the number of threads.
    pub fork_join_ns: f64,
    /// The same for each thread.
    pub fork_join_per_thread_ns: f64,
    /// For each reduced variable and thread, in one instance.
    pub reduction_ns: f64,
    /// For each iteration of a loop whose iterations wait for each other.
    pub ordered_ns: f64,
    /// For each call or loop that a function starts as a task.
    pub task_ns: f64,
}

impl Default for Costs {
    /// OpenMP on a machine with few cores, rounded up from the order of what microbenchmarks of it report (EPCC's, of
    /// Bull and others).
    fn default() -> Self {
        Self {
            fork_join_ns: 4000.0,
            fork_join_per_thread_ns: 500.0,
            reduction_ns: 300.0,
            ordered_ns: 300.0,
            task_ns: 500.0,
        }
    }
}

impl Costs {
    /// Noise may make a difference of two times negative.
    fn at_least_nothing(self) -> Self {
        Self {
            fork_join_ns: self.fork_join_ns.max(0.0),
            fork_join_per_thread_ns: self.fork_join_per_thread_ns.max(0.0),
            reduction_ns: self.reduction_ns.max(0.0),
            ordered_ns: self.ordered_ns.max(0.0),
            task_ns: self.task_ns.max(0.0),
        }
    }

    /// Checks ranges.
    ///
    /// # Errors
    /// The first that is no time.
    pub fn check(&self) -> Result<(), Error> {
        for (name, value) in [
            ("fork_join_ns", self.fork_join_ns),
            ("fork_join_per_thread_ns", self.fork_join_per_thread_ns),
            ("reduction_ns", self.reduction_ns),
            ("ordered_ns", self.ordered_ns),
            ("task_ns", self.task_ns),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::threshold(name, value, "a time is 0 or more"));
            }
        }
        Ok(())
    }
}

/// The machine that a plan is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetMachine {
    /// Cores that the program may use, 1 or more: as many threads run at once.
    pub cores: u32,
    /// What the program takes by itself, in seconds, for the work that was recorded; none where nobody measured it.
    pub serial_seconds: Option<f64>,
    /// Whether that is what `record` made of the native code between bursts.
    pub recorded: bool,
    /// Whether costs were measured on it.
    pub calibrated: bool,
    /// How fast its memory is, where that was measured.
    pub memory: Option<MemorySpeed>,
}

/// What threads cost on a machine where that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// Version of the format: 1.
    pub version: u32,
    /// The machine, in words; costs of another one say nothing.
    pub machine: String,
    /// Costs that follow from the measurements.
    pub costs: Costs,
    /// How fast memory is; none where that could not be measured, and in files of before.
    pub memory: Option<MemorySpeed>,
    /// The measurements, by number of threads in ascending order.
    pub measured: Vec<Measured>,
}

/// Measured costs of so many threads, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Size of the team that this was measured with, 2 or more.
    pub threads: u32,
    /// To start and end one parallel loop.
    pub start_ns: f64,
    /// What a reduced variable adds, for each thread.
    pub reduction_ns: f64,
    /// For each iteration in order.
    pub ordered_ns: f64,
    /// For each task.
    pub task_ns: f64,
}

impl Measured {
    /// The same without figures below 0: what a construct takes is a difference, which on a busy machine may be.
    fn at_least_nothing(&self) -> Self {
        Self {
            threads: self.threads,
            start_ns: self.start_ns.max(0.0),
            reduction_ns: self.reduction_ns.max(0.0),
            ordered_ns: self.ordered_ns.max(0.0),
            task_ns: self.task_ns.max(0.0),
        }
    }
}

/// Version of [`Calibration`].
const VERSION: u32 = 1;

impl Calibration {
    /// Costs from measurements, of which those below 0 count as 0: the start grows with the number of threads along a
    /// line through the first and the last of them; with one measurement a tenth of it is for each thread. All other
    /// costs are those of most threads. None without a measurement.
    pub fn fit(
        machine: String,
        measured: Vec<Measured>,
        memory: Option<MemorySpeed>,
    ) -> Option<Self> {
        let measured: Vec<Measured> = measured.iter().map(Measured::at_least_nothing).collect();
        let (first, last) = (measured.first()?, measured.last()?);
        let more = f64::from(last.threads) - f64::from(first.threads);
        let each = match more > 0.0 {
            true => (last.start_ns - first.start_ns) / more,
            false => first.start_ns / 10.0,
        };
        let each = each.max(0.0);
        let start = first.start_ns - each * f64::from(first.threads);
        let costs = Costs {
            fork_join_ns: start,
            fork_join_per_thread_ns: each,
            reduction_ns: last.reduction_ns,
            ordered_ns: last.ordered_ns,
            task_ns: last.task_ns,
        };
        Some(Self {
            version: VERSION,
            machine,
            costs: costs.at_least_nothing(),
            memory,
            measured,
        })
    }

    /// Reads a calibration from TOML text.
    ///
    /// # Errors
    /// What is wrong, with line and field.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let wrong = |message: String| Error::Personality(message.trim_end().into());
        let found: Self = toml::from_str(text).map_err(|e| wrong(e.to_string()))?;
        if found.version != VERSION {
            return Err(wrong(format!(
                "version {} of the format is not known, only {VERSION}",
                found.version
            )));
        }
        found.costs.check()?;
        found.memory.as_ref().map_or(Ok(()), MemorySpeed::check)?;
        Ok(found)
    }

    /// The calibration as TOML text, which [`Calibration::parse`] reads.
    pub fn to_toml(&self) -> String {
        let text = toml::to_string(self).expect("plain data becomes TOML");
        format!(
            "# What OpenMP threads cost on this machine, as `parascan calibrate` measured it.\n{text}"
        )
    }
}

/// Units of work that a thread does in a nanosecond, where it is not known: the geometric mean of 22 programs of the
/// benchmark, 0.05 to 0.3 s long (`docs/plan.md`).
pub const UNITS_PER_NS: f64 = 12.0;

/// How far a program may be off that, either way: the slowest did 1.0 units in a nanosecond, the fastest 82.
pub const UNITS_SPREAD: f64 = 10.0;

/// How far what `record` made of native code between bursts may be off, either way.
pub const RECORDED_SPREAD: f64 = 1.5;

/// How far the bytes that a loop moves may be off, either way.
pub const TRAFFIC_SPREAD: f64 = 2.0;

/// How far costs may be off, either way.
pub const COSTS_SPREAD: f64 = 2.0;

/// A figure with the range in which it is expected to lie.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpectedRange {
    /// Expected speedup, where costs are as measured.
    pub speedup: f64,
    /// What it is if costs are high and self-parallelism is low.
    pub least: f64,
    /// What it is if costs are low and self-parallelism is high.
    pub most: f64,
}

/// Costs in units of work, on so many cores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct UnitCosts {
    /// Cores among which work is divided, 1 or more.
    pub(crate) cores: f64,
    /// Units of work in a nanosecond.
    pub(crate) rate: f64,
    memory: MemorySpeed,
    start: f64,
    reduction: f64,
    ordered: f64,
    task: f64,
}

/// What a region costs beside its work.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Overhead {
    /// For each instance.
    pub(crate) per_instance: f64,
    /// For each iteration, or call and loop of a function.
    pub(crate) per_child: f64,
}

impl Overhead {
    /// For all instances behind `sums` that would be parallel.
    pub(crate) fn of(&self, sums: &InstanceSums) -> f64 {
        let children = if sums.instances > 0 {
            sums.children as f64 * (sums.known as f64 / sums.instances as f64)
        } else {
            0.0
        };
        self.per_instance * sums.known as f64 + self.per_child * children
    }
}

impl UnitCosts {
    /// Prices of a machine for a program of this much work.
    pub(crate) fn new(costs: &Costs, machine: &TargetMachine, work: u64) -> Self {
        let cores = f64::from(machine.cores);
        let rate = units_per_ns(machine, work);
        Self {
            cores,
            rate,
            memory: machine.memory.unwrap_or_default(),
            start: rate * (costs.fork_join_ns + costs.fork_join_per_thread_ns * cores),
            reduction: rate * costs.reduction_ns * cores,
            ordered: rate * costs.ordered_ns,
            task: rate * costs.task_ns,
        }
    }

    /// What a region of this class costs that reduces so many variables. A function starts its parts itself: no team is
    /// made for it.
    pub(crate) fn overhead(&self, class: RegionClass, reductions: usize) -> Overhead {
        let reduced = self.reduction * reductions as f64;
        let (per_instance, per_child) = match class {
            RegionClass::Task => (0.0, self.task),
            RegionClass::Doacross => (self.start + reduced, self.ordered),
            _ => (self.start + reduced, 0.0),
        };
        Overhead {
            per_instance,
            per_child,
        }
    }

    /// Least time of instances that would take `ideal` on cores without end: the busiest core has this share of the
    /// work; where that is not known, `ceil(n / cores)` of *n* iterations of each.
    pub(crate) fn shared(
        &self,
        sums: &InstanceSums,
        ideal: f64,
        iterations: Option<f64>,
        busiest: Option<f64>,
    ) -> f64 {
        let work = sums.known_work as f64;
        let share = match (busiest, iterations) {
            (Some(share), _) => share,
            (None, Some(n)) if n > 1.0 => (n / self.cores).ceil().min(n) / n,
            _ => 1.0 / self.cores,
        };
        ideal.max(work * share.max(1.0 / self.cores)).min(work)
    }
}

impl UnitCosts {
    /// Bytes of the last cache.
    pub(crate) fn cache(&self) -> f64 {
        self.memory.cache_bytes as f64
    }

    /// Least time in which all cores move so many bytes for work that one of them does, in units. However slow memory
    /// is, one core alone has to wait for it as well.
    pub(crate) fn moving(&self, bytes: f64, work: f64) -> f64 {
        let cores = self.cores as u32;
        let moving = self.rate * bytes / self.memory.of_threads(cores);
        moving.min(work / self.memory.most(cores))
    }
}

/// Units of work in a nanosecond: of the program, or a guess.
pub(crate) fn units_per_ns(machine: &TargetMachine, work: u64) -> f64 {
    machine
        .serial_seconds
        .map_or(UNITS_PER_NS, |seconds| work as f64 / (seconds * 1e9))
}

/// How far prices in units may be off, either way.
pub(crate) fn spread(machine: &TargetMachine) -> f64 {
    match machine.serial_seconds {
        Some(_) if machine.recorded => COSTS_SPREAD * RECORDED_SPREAD,
        Some(_) => COSTS_SPREAD,
        None => COSTS_SPREAD * UNITS_SPREAD,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COSTS: Costs = Costs {
        fork_join_ns: 1000.0,
        fork_join_per_thread_ns: 100.0,
        reduction_ns: 50.0,
        ordered_ns: 20.0,
        task_ns: 10.0,
    };

    /// 3 units in a nanosecond: 3e9 units in a second.
    fn prices(cores: u32) -> UnitCosts {
        let machine = TargetMachine {
            cores,
            serial_seconds: Some(2.0),
            recorded: false,
            calibrated: false,
            memory: Some(MemorySpeed {
                cache_bytes: 1000,
                one_thread: 2.0,
                threads: 4,
                all_threads: 5.0,
            }),
        };
        UnitCosts::new(&COSTS, &machine, 6_000_000_000)
    }

    fn sums(work: u64, instances: u64, children: u64) -> InstanceSums {
        InstanceSums {
            instances,
            known: instances,
            work,
            known_work: work,
            children,
            counted: instances,
            ..InstanceSums::default()
        }
    }

    /// By hand: 3 x (1000 + 4 x 100) = 4200 units a start, 3 x 50 x 4 = 600 a reduced variable, 60 an iteration in
    /// order, 30 a task.
    #[test]
    fn prices_by_hand() {
        let of = |class, reductions| {
            let overhead = prices(4).overhead(class, reductions);
            (overhead.per_instance, overhead.per_child)
        };
        assert_eq!(of(RegionClass::Doall, 0), (4200.0, 0.0));
        assert_eq!(of(RegionClass::DoallReduction, 2), (5400.0, 0.0));
        assert_eq!(of(RegionClass::Doacross, 0), (4200.0, 60.0));
        assert_eq!(of(RegionClass::Task, 0), (0.0, 30.0));
        let overhead = prices(4).overhead(RegionClass::Doacross, 0);
        assert_eq!(overhead.of(&sums(0, 10, 70)), 42_000.0 + 4200.0);
    }

    /// Ten equal iterations of 10 units on 4 cores: one core has three of them. On 16 cores each has one at most.
    #[test]
    fn the_busiest_core_counts() {
        let loop_of_ten = sums(100, 1, 10);
        let time = |cores| prices(cores).shared(&loop_of_ten, 10.0, Some(10.0), None);
        assert_eq!([1, 2, 4, 5, 16].map(time), [100.0, 50.0, 30.0, 20.0, 10.0]);
        // What its dependences allow, and no more.
        assert_eq!(prices(4).shared(&loop_of_ten, 60.0, Some(10.0), None), 60.0);
        assert_eq!(prices(4).shared(&loop_of_ten, 10.0, None, None), 25.0);
        // Where its iterations are longer than others'.
        let busiest = |share| prices(4).shared(&loop_of_ten, 10.0, Some(10.0), Some(share));
        assert_eq!([0.5, 0.1].map(busiest), [50.0, 25.0]);
    }

    /// By hand: 5000 bytes take 4 threads 1000 ns, in which one thread does 3000 units. Of 4000 units, which take one
    /// thread as long as it needs for 2667 bytes, 5 bytes instead of 2 in a nanosecond leave 1600.
    #[test]
    fn memory_takes_its_time() {
        assert_eq!(prices(4).moving(5000.0, 1e6), 3000.0);
        assert_eq!(prices(4).moving(5000.0, 4000.0), 1600.0);
        assert_eq!(prices(1).moving(5000.0, 4000.0), 4000.0);
        assert_eq!(prices(4).moving(0.0, 4000.0), 0.0);
    }

    /// By hand: 3000 ns for 2 threads and 6600 for 8 are 600 for each and 1800 beside.
    #[test]
    fn costs_follow_from_measurements() {
        let measured = |threads: u32, start_ns: f64| Measured {
            threads,
            start_ns,
            reduction_ns: -3.0,
            ordered_ns: 100.0 * f64::from(threads),
            task_ns: 40.0,
        };
        let memory = Some(MemorySpeed::default());
        let fit = |list: &[Measured]| Calibration::fit("here".into(), list.to_vec(), memory);
        let costs = fit(&[
            measured(2, 3000.0),
            measured(4, 5000.0),
            measured(8, 6600.0),
        ])
        .unwrap()
        .costs;
        let expected = Costs {
            fork_join_ns: 1800.0,
            fork_join_per_thread_ns: 600.0,
            reduction_ns: 0.0,
            ordered_ns: 800.0,
            task_ns: 40.0,
        };
        assert_eq!(costs, expected);
        let one = fit(&[measured(2, 3000.0)]).unwrap();
        assert_eq!(
            (one.costs.fork_join_ns, one.costs.fork_join_per_thread_ns),
            (2400.0, 300.0)
        );
        assert_eq!(one.measured[0].reduction_ns, 0.0);
        assert_eq!(fit(&[]), None);
        assert_eq!(Calibration::parse(&one.to_toml()), Ok(one.clone()));
        for (from, to, expected) in [
            ("version = 1", "version = 2", "version 2"),
            ("task_ns = 40.0", "task_ns = -1.0", "task_ns = -1"),
            ("machine = ", "mashine = ", "mashine"),
            ("threads = 2", "threads = \"two\"", "threads"),
            ("one_thread = 12.0", "one_thread = 0.0", "one_thread = 0"),
        ] {
            let text = one.to_toml().replacen(from, to, 1);
            let message = Calibration::parse(&text).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn times_are_checked() {
        let bad = Costs {
            ordered_ns: -1.0,
            ..COSTS
        };
        let message = bad.check().unwrap_err().to_string();
        assert!(message.contains("ordered_ns"), "{message}");
        assert!(COSTS.check().is_ok());
    }
}

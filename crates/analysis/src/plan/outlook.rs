//! What a plan brings on a machine: savings of every region with the price of its threads, and of all that were chosen.

use super::RejectionReason;
use super::nested::Team;
use super::nests::Nests;
use super::targets::{PlanTarget, TargetTimes, touched};
use crate::class::RegionClass;
use crate::costs::{
    Costs, ExpectedRange, Overhead, TRAFFIC_SPREAD, TargetMachine, UNITS_SPREAD, UnitCosts, spread,
    units_per_ns,
};
use crate::memory::MemoryBound;
use crate::model::{InstanceSums, Model};
use crate::numbers::speedup;
use crate::personality::Personality;
use crate::regions::{RegionFigures, RegionSums, in_turn, loops_as_one};
use crate::traffic;

/// Numbers of cores for which a plan's speedup is given, beside the machine's own.
const CURVE: [u32; 6] = [2, 4, 8, 16, 32, 64];

/// What a plan is expected to bring on a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanOutlook {
    /// The machine; one core of it, where threads are not meant.
    pub machine: TargetMachine,
    /// What runs the regions.
    pub target: PlanTarget,
    /// Units of work in a nanosecond: of the program, where its time is known, else a guess.
    pub units_per_ns: f64,
    /// By entry: speedup of the program by this region alone.
    pub alone: Vec<ExpectedRange>,
    /// By entry: the same by it and all before.
    pub so_far: Vec<ExpectedRange>,
    /// By entry: what memory leaves of its gain, where it holds the region up.
    pub memory: Vec<Option<MemoryBound>>,
    /// Speedup of the program by the whole plan.
    pub all: ExpectedRange,
    /// The same on other numbers of cores, in ascending order; nothing where threads are not meant.
    pub curve: Vec<(u32, ExpectedRange)>,
}

impl PlanOutlook {
    /// What some of the entries bring together, by their places from 1: savings of regions of which none runs inside
    /// another add up. Not for personalities that nest, whose chosen regions may.
    #[must_use]
    pub fn together(&self, ranks: &[u32]) -> ExpectedRange {
        let alone = || {
            ranks
                .iter()
                .filter_map(|&rank| self.alone.get(rank as usize - 1))
        };
        let all = |of: fn(&ExpectedRange) -> f64| {
            let saved: f64 = alone().map(|one| 1.0 - 1.0 / of(one)).sum();
            speedup(1.0, saved)
        };
        ExpectedRange {
            speedup: all(|one| one.speedup),
            least: all(|one| one.least),
            most: all(|one| one.most),
        }
    }
}

/// What a region saves in units of work: as expected, if costs are high, if they are low.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Saving {
    expected: f64,
    least: f64,
    most: f64,
}

impl Saving {
    /// Speedups of a program of this much work.
    fn speedups(&self, work: f64) -> ExpectedRange {
        ExpectedRange {
            speedup: speedup(work, self.expected),
            least: speedup(work, self.least),
            most: speedup(work, self.most),
        }
    }
}

/// What to know of a region beside its sums.
#[derive(Clone, Copy, Debug, Default)]
struct RegionTraits {
    /// Iterations that a directive shares out; none for functions.
    iterations: Option<f64>,
    /// Share of the work that the busiest thread has, where the length of single iterations is known.
    busiest: Option<f64>,
    overhead: Overhead,
    /// Bytes that it moves between memory and the cache, in all instances whose self-parallelism is known.
    bytes: f64,
    /// What it takes on another target than threads.
    there: Option<TargetTimes>,
    /// Whether it calls itself, as a task that starts tasks.
    recursive: bool,
}

/// Iterations of a loop in an instance, with those of the one independent loop inside it, and so on.
fn iterations_inside(gathered: &RegionSums, rows: &[Option<RegionFigures>], number: usize) -> f64 {
    let mut all = 1.0;
    let mut at = Some(number);
    // No deeper than directives run loops as one.
    for _ in 0..4 {
        let row = at.and_then(|number| rows[number].as_ref());
        let independent =
            row.filter(|row| matches!(row.class, RegionClass::Doall | RegionClass::DoallReduction));
        let Some(iterations) = independent.and_then(|row| row.iterations) else {
            break;
        };
        all *= iterations.mean;
        at = at
            .and_then(|number| gathered.only_loop[number])
            .map(|inside| inside as usize);
    }
    all
}

/// Share of a region's work that the busiest of so many threads has with its directive; none where the length of single
/// iterations is not known, or the directive is left to be written.
fn busiest(model: &Model, region: u32, row: &RegionFigures, cores: u32) -> Option<f64> {
    let shared_out = row.pragma.is_some() && loops_as_one(&row.clauses) == 1;
    let balance = shared_out.then(|| &model.balance[region as usize])?;
    balance.busiest(cores, in_turn(&row.clauses))
}

/// Tasks for each core that an instance of a recursive function makes, at most: enough to share out uneven ones.
/// Smaller calls are left as they are.
const ENOUGH_TASKS: f64 = 64.0;

/// The machine, and what each region costs on it.
pub(super) struct PricedRegions<'a> {
    model: &'a Model,
    gathered: &'a RegionSums,
    nests: &'a Nests,
    costs: Costs,
    machine: TargetMachine,
    prices: UnitCosts,
    shapes: Vec<RegionTraits>,
    nested: bool,
    target: PlanTarget,
}

impl<'a> PricedRegions<'a> {
    pub(super) fn new(
        model: &'a Model,
        (gathered, nests): (&'a RegionSums, &'a Nests),
        rows: &[Option<RegionFigures>],
        personality: &Personality,
        machine: TargetMachine,
    ) -> Self {
        let target = PlanTarget::of(personality);
        let machine = match target {
            PlanTarget::Threads => machine,
            PlanTarget::Vectors(_) | PlanTarget::Device(_) => TargetMachine {
                cores: 1,
                ..machine
            },
        };
        let prices = UnitCosts::new(&personality.costs, &machine, model.work);
        // On a device nothing is made of it.
        let moves = !matches!(target, PlanTarget::Device(_));
        let traffic = moves.then(|| traffic::by_region(model, prices.cache()));
        let bytes = |number: usize| {
            let sums = &gathered.outer[number];
            let known = sums.known_work as f64 / sums.work.max(1) as f64;
            traffic.as_ref().map_or(0.0, |bytes| bytes[number] * known)
        };
        let touched = touched(model, &target);
        let there = |number: usize| match &target {
            PlanTarget::Threads => None,
            PlanTarget::Vectors(bytes) => {
                let streams = &model.regions[number].fixed.streams;
                Some(TargetTimes::vectors(streams, *bytes))
            }
            PlanTarget::Device(device) => {
                let instances = gathered.outer[number].known as f64;
                let copied = touched[number].bytes * instances;
                let iterations = iterations_inside(gathered, rows, number);
                let rate = units_per_ns(&machine, model.work);
                Some(TargetTimes::device(device, iterations, copied, rate))
            }
        };
        let shape = |(number, row): (usize, &Option<RegionFigures>)| {
            row.as_ref()
                .map_or_else(RegionTraits::default, |row| RegionTraits {
                    there: there(number),
                    iterations: nests.iterations(gathered, number as u32, row),
                    busiest: busiest(model, number as u32, row, machine.cores),
                    overhead: prices.overhead(row.class, row.reductions.len()),
                    bytes: bytes(number),
                    recursive: row.recursive && row.class == RegionClass::Task,
                })
        };
        Self {
            shapes: rows.iter().enumerate().map(shape).collect(),
            nested: personality.nests(),
            target,
            model,
            gathered,
            nests,
            costs: personality.costs,
            machine,
            prices,
        }
    }

    /// The same on another number of cores.
    fn on(&self, rows: &[(u32, &RegionFigures)], cores: u32) -> Self {
        let machine = TargetMachine {
            cores,
            ..self.machine
        };
        let prices = UnitCosts::new(&self.costs, &machine, self.model.work);
        let mut shapes = self.shapes.clone();
        for &(number, row) in rows {
            let shape = &mut shapes[number as usize];
            shape.overhead = prices.overhead(row.class, row.reductions.len());
            shape.busiest = busiest(self.model, number, row, cores);
        }
        Self {
            shapes,
            machine,
            prices,
            ..*self
        }
    }

    fn outer(&self, region: u32) -> &InstanceSums {
        &self.gathered.outer[region as usize]
    }

    /// Least time of a region that would take `ideal` on cores without end, if memory were fast.
    fn shared(&self, region: u32, ideal: f64) -> f64 {
        let shape = self.shapes[region as usize];
        let sums = self.outer(region);
        self.prices
            .shared(sums, ideal, shape.iterations, shape.busiest)
    }

    /// Least time in which all cores move what a region moves, if that is so many times what is estimated.
    fn moving(&self, region: u32, times: f64) -> f64 {
        let bytes = self.shapes[region as usize].bytes;
        let work = self.outer(region).known_work as f64;
        self.prices.moving(bytes * times, work)
    }

    /// What memory leaves of a region's gain, where it takes longer than the work that it is moved for.
    fn memory(&self, region: u32) -> Option<MemoryBound> {
        if self.target != PlanTarget::Threads {
            return None;
        }
        let sums = self.outer(region);
        let moving = self.moving(region, 1.0);
        let held_up = moving > self.shared(region, self.nests.time(region, sums)) * 1.001;
        held_up.then(|| MemoryBound {
            bytes: self.shapes[region as usize].bytes / sums.known.max(1) as f64,
            speedup: sums.known_work as f64 / moving,
        })
    }

    /// What a region saves on these cores if threads cost nothing.
    fn free(&self, region: u32) -> f64 {
        let sums = self.outer(region);
        let ideal = self.nests.time(region, sums);
        sums.known_work as f64 - self.shared(region, ideal).max(self.moving(region, 1.0))
    }

    /// The same on another target than threads.
    fn saving_there(&self, region: u32, there: &TargetTimes) -> Saving {
        let sums = self.outer(region);
        let (work, ideal) = (sums.known_work as f64, self.nests.time(region, sums));
        let time = |share: f64, moving: f64| (work * share).max(ideal).max(moving);
        match self.target {
            PlanTarget::Device(_) => {
                let costs = there.costs(sums.known as f64);
                let factor = spread(&self.machine);
                Saving {
                    expected: work - time(there.share, 0.0) - costs,
                    least: work - time(2.0 * there.share, 0.0) - costs * factor,
                    most: work - time(there.best, 0.0) - costs / factor,
                }
            }
            PlanTarget::Vectors(_) | PlanTarget::Threads => Saving {
                expected: work - time(there.share, self.moving(region, 1.0)).min(work),
                least: 0.0,
                most: work
                    - time(there.best, self.moving(region, 1.0 / self.traffic_spread())).min(work),
            },
        }
    }

    /// How far times of what is moved may be off, either way: of the machine's memory as well where it was not
    /// measured, and by the rate.
    fn traffic_spread(&self) -> f64 {
        match self.machine.serial_seconds {
            Some(_) => TRAFFIC_SPREAD,
            None => TRAFFIC_SPREAD * UNITS_SPREAD,
        }
    }

    /// What regions save of which none lies inside another. It may be less than nothing.
    fn saving(&self, region: u32) -> Saving {
        if let Some(there) = &self.shapes[region as usize].there {
            return self.saving_there(region, there);
        }
        let (sums, cores) = (self.outer(region), self.prices.cores);
        let overhead = self.shapes[region as usize].overhead;
        let (work, ideal) = (sums.known_work as f64, self.nests.time(region, sums));
        let costs = overhead.of(sums);
        let factor = spread(&self.machine);
        let time =
            |ideal: f64, costs: f64, moving: f64| self.shared(region, ideal).max(moving) + costs;
        let moving = |times: f64| self.moving(region, times);
        let off = self.traffic_spread();
        // A thread that begins the longest part when all others are done (Graham's bound).
        let slow = (ideal + sums.time_error).min(work);
        let late = (work / cores + slow * (1.0 - 1.0 / cores)).min(work);
        Saving {
            expected: work - time(ideal, costs, moving(1.0)),
            least: work - late.max(time(slow, 0.0, moving(off))) - costs * factor,
            most: work
                - time(
                    (ideal - sums.time_error).max(0.0),
                    costs / factor,
                    moving(1.0 / off),
                ),
        }
    }

    /// What choosing a region saves here, so that all places together save what is expected of it.
    pub(super) fn saving_here(&self, region: u32, sums: &InstanceSums) -> f64 {
        let all = self.nests.saving(region, self.outer(region));
        let here = self.nests.saving(region, sums);
        if all > 0.0 {
            here * (self.saving(region).expected / all)
        } else {
            0.0
        }
    }

    /// What a region's threads cost where regions nest: in all its instances.
    fn costs(&self, region: u32) -> f64 {
        let index = region as usize;
        let shape = &self.shapes[index];
        let all = shape.overhead.of(&self.gathered.all[index]);
        match shape.recursive {
            true => {
                let tasks = ENOUGH_TASKS * self.prices.cores * self.outer(region).known as f64;
                all.min(shape.overhead.per_child * tasks)
            }
            false => all,
        }
    }

    /// By region: the least time of each unit of its work if it moves so many times what is estimated; empty where no
    /// region moves anything.
    fn floors(&self, times: f64) -> Vec<f64> {
        if self.shapes.iter().all(|shape| shape.bytes == 0.0) {
            return Vec::new();
        }
        let floor = |region: u32| {
            let work = self.outer(region).known_work.max(1) as f64;
            self.moving(region, times) / work
        };
        (0..self.shapes.len() as u32).map(floor).collect()
    }

    /// For the program's time while nested regions are chosen, if they move so many times what is estimated.
    fn team_moving(&self, times: f64) -> Team<'a> {
        let costs = (0..self.shapes.len() as u32).map(|region| self.costs(region));
        Team::new(
            self.model,
            self.machine.cores,
            costs.collect(),
            self.floors(times),
        )
    }

    /// The same with what is estimated.
    pub(super) fn team(&self) -> Team<'a> {
        self.team_moving(1.0)
    }

    /// The same with what is estimated, with as much as it may be, and with as little.
    fn teams(&self) -> [Team<'a>; 3] {
        let off = self.traffic_spread();
        [1.0, off, 1.0 / off].map(|times| self.team_moving(times))
    }

    /// Speedups with the nested regions that these teams have.
    fn with_nested(&self, teams: &[Team; 3]) -> ExpectedRange {
        let (work, cores) = (self.model.work as f64, self.prices.cores);
        let factor = spread(&self.machine);
        let [expected, slow, fast] = teams;
        let costs = expected.spent();
        let faster = |time: f64| speedup(work, work - time);
        // No core is ever without work.
        let busy = fast.least_time().max((work + costs / factor) / cores);
        ExpectedRange {
            speedup: faster(expected.program()),
            least: faster(slow.program_at(costs * factor)),
            most: faster(busy),
        }
    }

    /// Speedups of the program by the first, the first two, ... of these regions.
    fn cumulative(&self, chosen: &[u32]) -> Vec<ExpectedRange> {
        if self.nested {
            let mut teams = self.teams();
            let mut after = |number: u32| {
                teams.iter_mut().for_each(|team| team.add(number));
                self.with_nested(&teams)
            };
            return chosen.iter().map(|&number| after(number)).collect();
        }
        let mut sum = Saving::default();
        let mut add = |number: u32| {
            let one = self.saving(number);
            sum.expected += one.expected;
            sum.least += one.least;
            sum.most += one.most;
            sum.speedups(self.model.work as f64)
        };
        chosen.iter().map(|&number| add(number)).collect()
    }

    /// Speedups of the program by each of these regions alone.
    pub(super) fn alone(&self, regions: &[u32]) -> Vec<ExpectedRange> {
        if !self.nested {
            let work = self.model.work as f64;
            let one = |&region: &u32| self.saving(region).speedups(work);
            return regions.iter().map(one).collect();
        }
        let mut teams = self.teams();
        let mut one = |&region: &u32| {
            teams.iter_mut().for_each(|team| team.add(region));
            let found = self.with_nested(&teams);
            teams.iter_mut().for_each(|team| team.remove(region));
            found
        };
        regions.iter().map(&mut one).collect()
    }

    /// Why threads do not pay for a region that has parallelism enough and brings this alone, if so.
    pub(super) fn unfit(
        &self,
        region: u32,
        least: f64,
        alone: ExpectedRange,
    ) -> Option<RejectionReason> {
        let alone = (alone.speedup - 1.0) * 100.0;
        if alone > 0.0 && alone >= least * (1.0 - 1e-9) {
            return None;
        }
        if let Some(there) = &self.shapes[region as usize].there {
            return Some(self.unfit_there(region, there, least, alone));
        }
        let (sums, free) = (self.outer(region), self.free(region));
        if let Some(bound) = self.memory(region) {
            let costs = self.shapes[region as usize].overhead.of(sums);
            let work = sums.known_work as f64;
            let fast = work - self.shared(region, self.nests.time(region, sums)) - costs;
            let percent = (speedup(self.model.work as f64, fast) - 1.0) * 100.0;
            if percent > 0.0 && percent >= least * (1.0 - 1e-9) {
                return Some(RejectionReason::MemoryBound {
                    bound,
                    cores: self.machine.cores,
                    measured: self.machine.memory.is_some(),
                });
            }
        }
        let without = (speedup(self.model.work as f64, free) - 1.0) * 100.0;
        let instances = sums.known as f64;
        let cores = self.machine.cores;
        if without < least * (1.0 - 1e-9) || free <= 0.0 || instances <= 0.0 {
            return Some(RejectionReason::LowSpeedupOnCores {
                percent: without,
                least,
                cores,
            });
        }
        let costs = self.shapes[region as usize].overhead.of(sums) / instances;
        Some(RejectionReason::TooLittleWork {
            work: sums.known_work as f64 / instances,
            costs,
            pays_from: costs * sums.known_work as f64 / free,
            cores,
        })
    }

    /// The same on another target than threads, where it brings so many per cent.
    fn unfit_there(
        &self,
        region: u32,
        there: &TargetTimes,
        least: f64,
        percent: f64,
    ) -> RejectionReason {
        let PlanTarget::Device(device) = &self.target else {
            return RejectionReason::LittleByVectors { percent, least };
        };
        let sums = self.outer(region);
        let instances = sums.known.max(1) as f64;
        let ms = |units: f64| units / instances / self.prices.rate / 1e6;
        let work = sums.known_work as f64;
        RejectionReason::LittleOnDevice {
            iterations: there.iterations,
            threads: device.threads,
            times: [work, work * there.share, there.costs(instances)].map(ms),
            bytes: there.bytes / instances,
        }
    }

    /// What these regions bring, in this order.
    pub(super) fn outlook(&self, chosen: &[(u32, &RegionFigures)]) -> PlanOutlook {
        let numbers: Vec<u32> = chosen.iter().map(|&(number, _)| number).collect();
        let nothing = ExpectedRange {
            speedup: 1.0,
            least: 1.0,
            most: 1.0,
        };
        let so_far = self.cumulative(&numbers);
        let mut cores = CURVE.to_vec();
        cores.push(self.machine.cores);
        cores.sort_unstable();
        cores.dedup();
        let on = |cores: u32| {
            let all = self.on(chosen, cores).cumulative(&numbers);
            (cores, all.last().copied().unwrap_or(nothing))
        };
        PlanOutlook {
            machine: self.machine,
            target: self.target,
            units_per_ns: units_per_ns(&self.machine, self.model.work),
            alone: self.alone(&numbers),
            memory: numbers.iter().map(|&number| self.memory(number)).collect(),
            all: so_far.last().copied().unwrap_or(nothing),
            so_far,
            curve: match self.target {
                PlanTarget::Threads => cores.into_iter().map(on).collect(),
                PlanTarget::Vectors(_) | PlanTarget::Device(_) => Vec::new(),
            },
        }
    }
}

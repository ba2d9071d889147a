//! What a plan brings on a machine: savings of every region with the price of its threads, and of all that were chosen.

use super::nested::Team;
use super::nests::Nests;
use super::{Reason, speedup};
use crate::costs::{Costs, Expected, Machine, Overhead, Prices, spread, units_per_ns};
use crate::model::{Model, Sums};
use crate::personality::Personality;
use crate::regions::{Gathered, RegionFigures};

/// Numbers of cores for which a plan's speedup is given, beside the machine's own.
const CURVE: [u32; 6] = [2, 4, 8, 16, 32, 64];

/// What a plan is expected to bring on a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlook {
    /// The machine.
    pub machine: Machine,
    /// Units of work in a nanosecond: of the program, where its time is known, else a guess.
    pub units_per_ns: f64,
    /// By entry: speedup of the program by this region alone.
    pub alone: Vec<Expected>,
    /// By entry: the same by it and all before.
    pub so_far: Vec<Expected>,
    /// By all of them.
    pub all: Expected,
    /// The same on other numbers of cores, in ascending order.
    pub curve: Vec<(u32, Expected)>,
}

/// What a region saves in units of work: as expected, if costs are high, if they are low.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Saving {
    expected: f64,
    least: f64,
    most: f64,
}

/// What to know of a region beside its sums.
#[derive(Clone, Copy, Debug, Default)]
struct Shape {
    /// Iterations that a directive shares out; none for functions.
    iterations: Option<f64>,
    overhead: Overhead,
}

/// The machine, and what each region costs on it.
pub(super) struct Market<'a> {
    model: &'a Model,
    gathered: &'a Gathered,
    nests: &'a Nests,
    costs: Costs,
    machine: Machine,
    prices: Prices,
    shapes: Vec<Shape>,
    nested: bool,
}

impl<'a> Market<'a> {
    pub(super) fn new(
        model: &'a Model,
        (gathered, nests): (&'a Gathered, &'a Nests),
        rows: &[Option<RegionFigures>],
        personality: &Personality,
        machine: Machine,
    ) -> Self {
        let prices = Prices::new(&personality.costs, &machine, model.work);
        let shape = |(number, row): (usize, &Option<RegionFigures>)| {
            row.as_ref().map_or_else(Shape::default, |row| Shape {
                iterations: nests.iterations(gathered, number as u32, row),
                overhead: prices.overhead(row.class, row.reductions.len()),
            })
        };
        Self {
            shapes: rows.iter().enumerate().map(shape).collect(),
            nested: personality.nests(),
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
        let machine = Machine {
            cores,
            ..self.machine
        };
        let prices = Prices::new(&self.costs, &machine, self.model.work);
        let mut shapes = self.shapes.clone();
        for &(number, row) in rows {
            shapes[number as usize].overhead = prices.overhead(row.class, row.reductions.len());
        }
        Self {
            shapes,
            machine,
            prices,
            ..*self
        }
    }

    fn outer(&self, region: u32) -> &Sums {
        &self.gathered.outer[region as usize]
    }

    /// What a region saves on these cores if threads cost nothing.
    fn free(&self, region: u32) -> f64 {
        let sums = self.outer(region);
        let ideal = self.nests.time(region, sums);
        let shape = self.shapes[region as usize];
        sums.known_work as f64 - self.prices.shared(sums, ideal, shape.iterations)
    }

    /// What regions save of which none lies inside another. It may be less than nothing.
    fn saving(&self, region: u32) -> Saving {
        let (sums, cores) = (self.outer(region), self.prices.cores);
        let Shape {
            iterations,
            overhead,
        } = self.shapes[region as usize];
        let (work, ideal) = (sums.known_work as f64, self.nests.time(region, sums));
        let costs = overhead.of(sums);
        let factor = spread(&self.machine);
        let time = |ideal: f64, costs: f64| self.prices.shared(sums, ideal, iterations) + costs;
        // A thread that begins the longest part when all others are done (Graham's bound).
        let slow = (ideal + sums.time_error).min(work);
        let late = (work / cores + slow * (1.0 - 1.0 / cores)).min(work);
        Saving {
            expected: work - time(ideal, costs),
            least: work - late.max(time(slow, 0.0)) - costs * factor,
            most: work - time((ideal - sums.time_error).max(0.0), costs / factor),
        }
    }

    /// What choosing a region saves here, so that all places together save what is expected of it.
    pub(super) fn saving_here(&self, region: u32, sums: &Sums) -> f64 {
        let all = self.nests.saving(region, self.outer(region));
        let here = self.nests.saving(region, sums);
        if all > 0.0 {
            here * (self.saving(region).expected / all)
        } else {
            0.0
        }
    }

    /// For times of the program with nested parallel regions, where threads cost so many times as much.
    pub(super) fn team(&self, factor: f64) -> Team<'a> {
        let pairs = self.shapes.iter().zip(&self.gathered.all);
        let costs = pairs.map(|(shape, sums)| shape.overhead.of(sums) * factor);
        Team::new(self.model, self.prices.cores, costs.collect())
    }

    /// Speedups of the program by the first, the first two, ... of these regions.
    fn cumulative(&self, chosen: &[u32]) -> Vec<Expected> {
        let work = self.model.work as f64;
        if self.nested {
            let factor = spread(&self.machine);
            let mut teams = [1.0, factor, 1.0 / factor].map(|factor| self.team(factor));
            let mut after = |number: u32| {
                teams.iter_mut().for_each(|team| team.add(number));
                let [expected, dear, cheap] = &teams;
                let speedup = |time: f64| speedup(work, work - time);
                Expected {
                    speedup: speedup(expected.program()),
                    least: speedup(dear.program()),
                    most: speedup(cheap.least()),
                }
            };
            return chosen.iter().map(|&number| after(number)).collect();
        }
        let mut sum = Saving::default();
        let mut add = |number: u32| {
            let one = self.saving(number);
            sum.expected += one.expected;
            sum.least += one.least;
            sum.most += one.most;
            Expected {
                speedup: speedup(work, sum.expected),
                least: speedup(work, sum.least),
                most: speedup(work, sum.most),
            }
        };
        chosen.iter().map(|&number| add(number)).collect()
    }

    /// Speedup of the program by one region.
    pub(super) fn alone(&self, region: u32) -> Expected {
        self.cumulative(&[region])[0]
    }

    /// Why threads do not pay for a region that has parallelism enough, if so.
    pub(super) fn unfit(&self, region: u32, least: f64) -> Option<Reason> {
        let alone = (self.alone(region).speedup - 1.0) * 100.0;
        if alone > 0.0 && alone >= least * (1.0 - 1e-9) {
            return None;
        }
        let (sums, free) = (self.outer(region), self.free(region));
        let without = (speedup(self.model.work as f64, free) - 1.0) * 100.0;
        let instances = sums.known as f64;
        let cores = self.machine.cores;
        if without < least * (1.0 - 1e-9) || free <= 0.0 || instances <= 0.0 {
            return Some(Reason::LowSpeedupOnCores {
                percent: without,
                least,
                cores,
            });
        }
        let costs = self.shapes[region as usize].overhead.of(sums) / instances;
        Some(Reason::TooLittleWork {
            work: sums.known_work as f64 / instances,
            costs,
            pays_from: costs * sums.known_work as f64 / free,
            cores,
        })
    }

    /// What these regions bring, in this order.
    pub(super) fn outlook(&self, chosen: &[(u32, &RegionFigures)]) -> Outlook {
        let numbers: Vec<u32> = chosen.iter().map(|&(number, _)| number).collect();
        let nothing = Expected {
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
        Outlook {
            machine: self.machine,
            units_per_ns: units_per_ns(&self.machine, self.model.work),
            alone: numbers.iter().map(|&number| self.alone(number)).collect(),
            all: so_far.last().copied().unwrap_or(nothing),
            so_far,
            curve: cores.into_iter().map(on).collect(),
        }
    }
}

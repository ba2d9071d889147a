//! Choosing regions inside of chosen regions: the program's time when any set of regions is parallel.

use crate::advice;
use crate::model::Model;
use crate::regions::RegionFigures;

/// Ideal time of every context for a growing set of parallel regions.
///
/// The time of a context is that of its children plus its self-work; if its region is parallel, divided by its
/// self-parallelism there (at most the number of cores, if that is given), and never less than its critical path. With
/// all regions parallel that gives the critical path itself.
pub(crate) struct ContextTimes<'a> {
    model: &'a Model,
    slots: Vec<NodeChange>,
    /// Nodes of every region, parents before children.
    nodes_of: Vec<Vec<u32>>,
    cores: Option<f64>,
    /// By region: the least time of its outermost instances when they are parallel, for each unit of their work; empty:
    /// none.
    floors: Vec<f64>,
}

/// What changes about a node. Small: changes walk from everywhere to the program's node.
#[derive(Clone, Copy)]
struct NodeChange {
    /// Children's times plus self-work.
    serial: f64,
    time: f64,
    parent: u32,
    parallel: bool,
}

impl<'a> ContextTimes<'a> {
    /// Times of the serial program.
    pub(crate) fn new(model: &'a Model, cores: Option<u32>) -> Self {
        let slots = model.nodes.iter().map(|node| NodeChange {
            serial: node.sums.work as f64,
            time: node.sums.work as f64,
            parent: node.parent,
            parallel: false,
        });
        let mut nodes_of = vec![Vec::new(); model.regions.len()];
        for (index, node) in model.contexts() {
            nodes_of[node.region as usize].push(index as u32);
        }
        Self {
            model,
            slots: slots.collect(),
            nodes_of,
            cores: cores.map(f64::from),
            floors: Vec::new(),
        }
    }

    /// The same on so many cores, where regions that are parallel take no less than a share of their work (by region),
    /// for which memory is too slow. Times inside a region count for it, too: what holds up a loop holds up what is
    /// around it.
    pub(crate) fn with_floors(model: &'a Model, cores: u32, floors: Vec<f64>) -> Self {
        Self {
            floors,
            ..Self::new(model, Some(cores))
        }
    }

    /// Time of the whole program.
    pub(crate) fn program(&self) -> f64 {
        let saved = match (self.model.nodes.first(), self.slots.first()) {
            (Some(node), Some(slot)) => node.sums.work as f64 - slot.time,
            _ => 0.0,
        };
        let time = self.model.work as f64 - saved;
        match self.cores {
            Some(cores) => time.max(self.model.work as f64 / cores),
            None => time,
        }
    }

    /// Makes a region parallel, or serial again.
    pub(crate) fn set(&mut self, region: u32, parallel: bool) {
        let nodes = std::mem::take(&mut self.nodes_of[region as usize]);
        for &node in &nodes {
            self.slots[node as usize].parallel = parallel;
        }
        for &node in nodes.iter().rev() {
            let mut index = node as usize;
            loop {
                let new = self.own_time(index);
                let slot = &mut self.slots[index];
                let change = new - std::mem::replace(&mut slot.time, new);
                if index == 0 || change == 0.0 {
                    break;
                }
                index = slot.parent as usize;
                self.slots[index].serial += change;
            }
        }
        self.nodes_of[region as usize] = nodes;
    }

    fn own_time(&self, index: usize) -> f64 {
        let NodeChange {
            serial, parallel, ..
        } = self.slots[index];
        let node = &self.model.nodes[index];
        let sums = &node.sums;
        if !parallel || sums.known_work == 0 {
            return serial;
        }
        // Instances whose self-parallelism is unknown stay as they are.
        let known = sums.known_work as f64;
        let share = known / sums.work as f64;
        let mut factor = sums.parallel_time / known;
        if let Some(cores) = self.cores {
            factor = factor.max(1.0 / cores);
        }
        let floor = self.floors.get(node.region as usize);
        let floor = floor.filter(|_| node.outermost).map_or(0.0, |f| f * known);
        let least = floor.max(sums.known_cp as f64);
        let parallel = (serial * share * factor).max(least);
        (serial * (1.0 - share) + parallel).min(serial)
    }
}

/// Time of a program of this much work on cores that take up work wherever there is some: *(work + costs) / N + time on
/// cores without end × (1 - 1 / N)*, the bound of greedy and work-stealing schedulers (Graham; Blumofe and Leiserson),
/// which they come close to.
fn greedy(work: f64, ideal: f64, costs: f64, cores: f64) -> f64 {
    ideal + (work - ideal + costs) / cores
}

/// Time of the program while regions are chosen.
pub(crate) struct Team<'a> {
    times: ContextTimes<'a>,
    /// On these cores with memory as it is; none where it holds nothing up.
    roof: Option<ContextTimes<'a>>,
    /// None: without end, and for nothing.
    cores: Option<f64>,
    /// By region: what its threads or tasks cost.
    costs: Vec<f64>,
    spent: f64,
}

impl<'a> Team<'a> {
    /// Cores without end whose threads cost nothing.
    pub(crate) fn ideal(model: &'a Model) -> Self {
        Self {
            times: ContextTimes::new(model, None),
            roof: None,
            cores: None,
            costs: vec![0.0; model.regions.len()],
            spent: 0.0,
        }
    }

    /// So many cores; `costs` and least times of what is parallel (as in [`ContextTimes::with_floors`]; empty: none) by
    /// region.
    pub(crate) fn new(model: &'a Model, cores: u32, costs: Vec<f64>, floors: Vec<f64>) -> Self {
        let roof = !floors.is_empty();
        Self {
            times: ContextTimes::new(model, None),
            roof: roof.then(|| ContextTimes::with_floors(model, cores, floors)),
            cores: Some(f64::from(cores)),
            costs,
            spent: 0.0,
        }
    }

    fn set(&mut self, region: u32, parallel: bool) {
        self.times.set(region, parallel);
        if let Some(roof) = &mut self.roof {
            roof.set(region, parallel);
        }
        let costs = self.costs[region as usize];
        self.spent += if parallel { costs } else { -costs };
    }

    /// Makes a region parallel that is not.
    pub(crate) fn add(&mut self, region: u32) {
        self.set(region, true);
    }

    /// Takes that back.
    pub(crate) fn remove(&mut self, region: u32) {
        self.set(region, false);
    }

    /// Least time of the program if threads cost nothing: on cores without end, and with memory as it is.
    pub(crate) fn least_time(&self) -> f64 {
        self.times.program().max(self.roof())
    }

    /// Costs of all that is parallel.
    pub(crate) fn spent(&self) -> f64 {
        self.spent
    }

    /// Time with memory as it is and threads that cost nothing; 0 where it is not known to hold anything up.
    fn roof(&self) -> f64 {
        self.roof.as_ref().map_or(0.0, ContextTimes::program)
    }

    /// Time of the program.
    pub(crate) fn program(&self) -> f64 {
        self.program_at(self.spent)
    }

    /// The same if all that is parallel costs so much.
    pub(crate) fn program_at(&self, costs: f64) -> f64 {
        let (ideal, work) = (self.times.program(), self.times.model.work as f64);
        match self.cores {
            Some(cores) => greedy(work, ideal, costs, cores).max(self.roof() + costs / cores),
            None => ideal,
        }
    }
}

/// Makes loops of tasks that do most of their work inside another chosen one, which has such a directive, tasks of that
/// one's team.
pub(super) fn within_tasks(model: &Model, chosen: &[u32], rows: &mut [Option<RegionFigures>]) {
    let with_team: Vec<bool> = (0..)
        .zip(rows.iter())
        .map(|(number, row)| {
            let directive = row.as_ref().and_then(|row| row.pragma.as_deref());
            chosen.contains(&number) && directive.is_some()
        })
        .collect();
    // By region: work inside such a loop, and in all.
    let mut work = vec![(0.0, 0.0); rows.len()];
    for (_, node) in model.contexts() {
        // The program itself has a number of no region.
        let has_team = |region: u32| with_team.get(region as usize) == Some(&true);
        if !node.outermost || !has_team(node.region) {
            continue;
        }
        let outwards = |at: &u32| (*at > 0).then(|| model.nodes[*at as usize].parent);
        let around = std::iter::successors(Some(node.parent), outwards);
        let mut regions = around.map(|at| model.nodes[at as usize].region);
        let inside = regions.any(|region| region != node.region && has_team(region));
        let (within, all) = &mut work[node.region as usize];
        let own = node.sums.work as f64;
        *all += own;
        *within += if inside { own } else { 0.0 };
    }
    for (row, (within, all)) in rows.iter_mut().zip(work) {
        let Some(row) = row.as_mut().filter(|_| within > all / 2.0) else {
            continue;
        };
        if let Some(directive) = row.pragma.as_deref().and_then(advice::within_tasks) {
            row.pragma = Some(directive);
        }
    }
}

//! Choosing regions inside of chosen regions: the program's time when any set of regions is parallel.

use crate::model::{Model, PROGRAM};

/// Ideal time of every context for a growing set of parallel regions.
///
/// The time of a context is that of its children plus its self-work; if its region is parallel, divided by its
/// self-parallelism there (at most the number of cores, if that is given), and never less than its critical path. With
/// all regions parallel that gives the critical path itself.
pub(crate) struct Times<'a> {
    model: &'a Model,
    /// Children's times plus self-work, by node.
    serial: Vec<f64>,
    time: Vec<f64>,
    parallel: Vec<bool>,
    /// Nodes of every region, parents before children.
    nodes_of: Vec<Vec<u32>>,
    cores: Option<f64>,
}

impl<'a> Times<'a> {
    /// Times of the serial program.
    pub(crate) fn new(model: &'a Model, cores: Option<u32>) -> Self {
        let work: Vec<f64> = model.nodes.iter().map(|n| n.sums.work as f64).collect();
        let mut nodes_of = vec![Vec::new(); model.regions.len()];
        for (index, node) in model.contexts() {
            nodes_of[node.region as usize].push(index as u32);
        }
        Self {
            model,
            serial: work.clone(),
            time: work,
            parallel: vec![false; model.regions.len()],
            nodes_of,
            cores: cores.map(f64::from),
        }
    }

    /// Time of the whole program.
    pub(crate) fn program(&self) -> f64 {
        let root = self.model.nodes.first().map_or(0.0, |n| n.sums.work as f64);
        let saved = root - self.time.first().copied().unwrap_or(0.0);
        let time = self.model.work as f64 - saved;
        match self.cores {
            Some(cores) => time.max(self.model.work as f64 / cores),
            None => time,
        }
    }

    /// Makes a region parallel, or serial again.
    pub(crate) fn set(&mut self, region: u32, parallel: bool) {
        self.parallel[region as usize] = parallel;
        for place in (0..self.nodes_of[region as usize].len()).rev() {
            let mut index = self.nodes_of[region as usize][place] as usize;
            loop {
                let new = self.own_time(index);
                let change = new - std::mem::replace(&mut self.time[index], new);
                if index == 0 || change == 0.0 {
                    break;
                }
                index = self.model.nodes[index].parent as usize;
                self.serial[index] += change;
            }
        }
    }

    fn own_time(&self, index: usize) -> f64 {
        let (node, serial) = (&self.model.nodes[index], self.serial[index]);
        let sums = &node.sums;
        if node.region == PROGRAM || !self.parallel[node.region as usize] || sums.known_work == 0 {
            return serial;
        }
        // Instances whose self-parallelism is unknown stay as they are.
        let known = sums.known_work as f64;
        let share = known / sums.work as f64;
        let mut factor = sums.parallel_time / known;
        if let Some(cores) = self.cores {
            factor = factor.max(1.0 / cores);
        }
        let parallel = (serial * share * factor).max(sums.known_cp as f64);
        (serial * (1.0 - share) + parallel).min(serial)
    }
}

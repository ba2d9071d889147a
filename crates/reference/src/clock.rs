//! Open region instances, their clocks and the figures of those that have ended.
//!
//! A time is kept once per region instance that was open when it came about, under the instance's number. Where an
//! instance looks for its own number and does not find it, the value is older than the instance: time 0.

use std::collections::HashMap;
use std::rc::Rc;

use parascan_formats::figures::InstanceFigures;
use parascan_formats::profile::Context;

use crate::history::{CarriedKinds, Moment, Reduced};

/// When a value was produced, on the clock of each instance open then, outermost first: instance and time. None: before
/// everything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProductionTimes(Option<Rc<[(u64, u64)]>>);

/// An open region instance.
#[derive(Debug)]
struct OpenInstance {
    /// Its number; no two instances share one.
    number: u64,
    /// Index into the contexts.
    context: usize,
    /// Figures so far.
    figures: InstanceFigures,
    /// Which dependences its children had on earlier ones.
    carried: CarriedKinds<bool>,
    reduced: Reduced,
}

/// The stack of open instances and everything that is known about closed ones.
#[derive(Debug)]
pub struct Clock {
    open: Vec<OpenInstance>,
    started: u64,
    /// Entry 0 is the program.
    contexts: Vec<Context>,
    /// By context: instances with dependences between children.
    carried: Vec<CarriedKinds<u64>>,
    by_place: HashMap<(usize, u32), usize>,
    /// Work of the whole program.
    work: u64,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            open: Vec::new(),
            started: 0,
            contexts: vec![Context {
                region: u32::MAX,
                ..Context::default()
            }],
            carried: vec![CarriedKinds::default()],
            by_place: HashMap::new(),
            work: 0,
        }
    }
}

impl Clock {
    /// Number of open instances.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Opens an instance of a region.
    pub fn enter(&mut self, region: u32) {
        let parent = self.open.last().map_or(0, |o| o.context);
        let next = self.contexts.len();
        let context = *self.by_place.entry((parent, region)).or_insert(next);
        if context == next {
            self.contexts.push(Context {
                parent: parent as u32,
                region,
                depth: self.open.len() as u32,
                tracked: true,
                children_tracked: true,
                ..Context::default()
            });
            self.carried.push(CarriedKinds::default());
        }
        self.started += 1;
        self.open.push(OpenInstance {
            number: self.started,
            context,
            figures: InstanceFigures::default(),
            carried: CarriedKinds::default(),
            reduced: Reduced::default(),
        });
    }

    /// Closes the innermost instances until only `depth` are open.
    pub fn exit_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            let Some(closed) = self.open.pop() else {
                return;
            };
            self.contexts[closed.context].add(&closed.figures, 1);
            // What a single iteration reads of its own (a watched load) is no dependence between iterations.
            if closed.figures.children >= 2 {
                let mut carried = closed.carried;
                carried.flow |= closed.reduced.is_read();
                self.carried[closed.context].add(carried);
            }
            if let Some(parent) = self.open.last_mut() {
                parent
                    .figures
                    .add_children(closed.figures.work, closed.figures.cp, 1);
            }
        }
    }

    /// The present moment.
    pub(crate) fn now(&self) -> Moment {
        self.started
    }

    /// Depth of the innermost open instance in which a moment lies, if another one was opened in it since.
    pub(crate) fn around(&self, moment: Moment) -> Option<usize> {
        let inside = |o: &OpenInstance| o.number <= moment;
        (1..self.open.len())
            .map(|depth| depth - 1)
            .find(|&depth| inside(&self.open[depth]) && !inside(&self.open[depth + 1]))
    }

    /// Whether a moment lies in the open instance at a depth.
    pub(crate) fn lies_in(&self, moment: Moment, depth: usize) -> bool {
        self.open.get(depth).is_some_and(|o| o.number <= moment)
    }

    /// Dependences between children of the open instance at a depth.
    pub(crate) fn carried(&mut self, depth: usize) -> &mut CarriedKinds<bool> {
        &mut self.open[depth].carried
    }

    /// What the open instance at a depth did with what it reduces.
    pub(crate) fn reduced(&mut self, depth: usize) -> &mut Reduced {
        &mut self.open[depth].reduced
    }

    /// A time as one open instance sees it.
    fn seen(&self, times: &ProductionTimes, depth: usize) -> u64 {
        match times.0.as_ref().and_then(|all| all.get(depth)) {
            Some(&(number, time)) if number == self.open[depth].number => time,
            _ => 0,
        }
    }

    /// The latest of some times, later by a latency.
    fn after(&self, inputs: &[&ProductionTimes], latency: u64) -> ProductionTimes {
        let times: Vec<(u64, u64)> = (0..self.open.len())
            .map(|depth| {
                let latest = inputs.iter().map(|t| self.seen(t, depth)).max();
                (self.open[depth].number, latest.unwrap_or(0) + latency)
            })
            .collect();
        if times.iter().all(|&(_, time)| time == 0) {
            return ProductionTimes(None);
        }
        ProductionTimes(Some(times.into()))
    }

    /// The latest of some times.
    pub fn latest(&self, inputs: &[&ProductionTimes]) -> ProductionTimes {
        self.after(inputs, 0)
    }

    /// An operation that starts when its inputs are there: counted in work and critical paths.
    pub fn operation(&mut self, inputs: &[&ProductionTimes], latency: u32) -> ProductionTimes {
        self.work(latency);
        self.span(inputs, latency)
    }

    /// An operation counted in critical paths only.
    pub fn span(&mut self, inputs: &[&ProductionTimes], latency: u32) -> ProductionTimes {
        let end = self.after(inputs, latency.into());
        if let ProductionTimes(Some(all)) = &end {
            for (open, &(_, time)) in self.open.iter_mut().zip(all.iter()) {
                open.figures.cp = open.figures.cp.max(time);
            }
        }
        end
    }

    /// An operation counted in work only.
    pub fn work(&mut self, latency: u32) {
        self.work += u64::from(latency);
        for open in &mut self.open {
            open.figures.work += u64::from(latency);
        }
    }

    /// Closes everything; the work of the program, its contexts and the dependences that were seen in each.
    pub fn finish(mut self) -> (u64, Vec<Context>, Vec<CarriedKinds<u64>>) {
        self.exit_to(0);
        (self.work, self.contexts, self.carried)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_from_before_an_instance_are_there_at_its_start() {
        let mut clock = Clock::default();
        clock.enter(0);
        let a = clock.operation(&[], 5);
        clock.enter(1);
        let b = clock.operation(&[&a], 3); // 8 outside, 3 inside
        clock.exit_to(1);
        clock.enter(1);
        clock.operation(&[&a, &b], 1); // 9 outside, 1 inside: another instance
        let (work, contexts, _) = clock.finish();
        assert_eq!(work, 9);
        let figures: Vec<_> = contexts[1..]
            .iter()
            .map(|c| (c.region, c.instances, c.work, c.cp, c.gap))
            .collect();
        assert_eq!(figures, [(0, 1, 9, 9, 6), (1, 2, 4, 4, 4)]);
    }
}

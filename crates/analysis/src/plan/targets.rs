//! What regions take on what is no team of threads: the vectors of one thread, or a device (`devices.rs`).

use parascan_formats::module::MemoryStream;

use crate::devices::{Device, Vectors};
use crate::language::in_language_of;
use crate::memory::size;
use crate::model::Model;
use crate::personality::Personality;
use crate::traffic::{RegionTouched, touched_by_region};

/// What runs the regions of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlanTarget {
    /// A team of threads, one for each core.
    Threads,
    /// The vectors of one thread, of so many bytes.
    Vectors(u32),
    /// A device with memory of its own.
    Device(Device),
}

impl PlanTarget {
    pub(super) fn of(personality: &Personality) -> Self {
        match (personality.vector_bytes, personality.device) {
            (Some(bytes), _) => Self::Vectors(bytes),
            (_, Some(device)) => Self::Device(device),
            _ => Self::Threads,
        }
    }
}

/// What instances of all regions touch, where that is copied to a device.
pub(super) fn touched(model: &Model, target: &PlanTarget) -> Vec<RegionTouched> {
    match target {
        PlanTarget::Device(_) => touched_by_region(model),
        PlanTarget::Threads | PlanTarget::Vectors(_) => Vec::new(),
    }
}

/// What a region takes there. Times are in units of work.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TargetTimes {
    /// Share of its work's time, as expected.
    pub(super) share: f64,
    /// At best.
    pub(super) best: f64,
    /// To start each instance.
    pub(super) start: f64,
    /// To copy what instances need, all of them.
    pub(super) copying: f64,
    /// Bytes that are copied for them.
    pub(super) bytes: f64,
    /// Iterations of an instance, those of loops inside included.
    pub(super) iterations: f64,
}

impl TargetTimes {
    pub(super) fn vectors(streams: &[MemoryStream], vector_bytes: u32) -> Self {
        let vectors = Vectors::of(streams, vector_bytes);
        Self {
            share: vectors.share,
            best: 1.0 / vectors.lanes,
            ..Self::default()
        }
    }

    /// Of instances with so many iterations, for which so many bytes are copied; `rate`: units of work in a nanosecond.
    pub(super) fn device(device: &Device, iterations: f64, bytes: f64, rate: f64) -> Self {
        let share = device.share(iterations);
        Self {
            share,
            best: share / 2.0,
            start: rate * device.launch_ns,
            copying: rate * bytes / device.bytes_per_ns,
            bytes,
            iterations,
        }
    }

    /// Its time for so many instances, in units.
    pub(super) fn costs(&self, instances: f64) -> f64 {
        self.start * instances + self.copying
    }
}

/// What to know of a chosen region, in sentences; `touched` has what instances of all regions touch, for a device.
pub(super) fn words(
    model: &Model,
    region: u32,
    target: &PlanTarget,
    touched: &[RegionTouched],
) -> Vec<String> {
    let fixed = &model.regions[region as usize].fixed;
    match *target {
        PlanTarget::Threads => Vec::new(),
        PlanTarget::Vectors(bytes) => {
            Vectors::of(&fixed.streams, bytes).words(bytes, fixed.vectorized)
        }
        PlanTarget::Device(_) => {
            let touched = touched[region as usize];
            let mut words = vec![format!(
                "an instance does its work on about {} (an estimate, from how its accesses step), which are copied there and back, unless \
                 `#pragma omp target data` around it keeps them there",
                size(touched.bytes)
            )];
            if touched.bytes > 0.0 {
                words.push(format!(
                    "{:.1} units of work for each byte that is copied",
                    touched.work / touched.bytes
                ));
            }
            let names = |moves: fn(&MemoryStream) -> bool| names(model, region, moves);
            for (what, list) in [
                ("reads", names(|s| s.reads && !s.writes)),
                ("writes", names(|s| s.writes && !s.reads)),
                ("reads and writes", names(|s| s.reads && s.writes)),
            ] {
                if !list.is_empty() {
                    words.push(format!("it {what} {}", list.join(", ")));
                }
            }
            words.push("functions that it calls need `#pragma omp declare target`".to_owned());
            let words = words.into_iter();
            words
                .map(|text| in_language_of(&fixed.file, text))
                .collect()
        }
    }
}

/// Names of what a loop, or a loop inside it in the same function, walks over in this way, each once.
fn names(model: &Model, region: u32, moves: fn(&MemoryStream) -> bool) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (number, one) in (0..).zip(&model.regions) {
        let around = std::iter::successors(Some(number), |&n: &u32| {
            model.regions[n as usize].fixed.parent
        });
        let streams = &one.fixed.streams;
        if streams.is_empty() || !around.take(64).any(|n| n == region) {
            continue;
        }
        let named = streams.iter().filter(|s| moves(s) && !s.name.is_empty());
        for name in named.map(|s| format!("`{}`", s.name)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

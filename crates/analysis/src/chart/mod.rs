//! The p-chart: which regions run when, and how parallel each is (p-ray, sections 2 and 5.2). Read `docs/chart.md`
//! first.

mod layout;
mod symbols;

use std::sync::Arc;

use parascan_formats::profile::Profile;

use crate::Error;
use crate::model::Model;
use crate::types::{self, Label};

pub use crate::regions::{letter, letters};

/// Default of [`ChartOptions::serial_below`]. The paper says "nearly 1" and no number; this one is ours.
pub const SERIAL_BELOW: f64 = 1.1;
/// Default of [`ChartOptions::min_work`] in per cent. The paper says "insignificant" and no number; this one is ours.
pub const MIN_WORK: f64 = 0.1;
/// Default of [`ChartOptions::max_boxes`].
pub const MAX_BOXES: usize = 600;
/// Share of the program's work below which an instance is not drawn on its own but in a row with its like.
const RESOLUTION: u64 = 100;

/// What to draw, and how much of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChartOptions {
    /// Height of a box is its self-parallelism instead of its total parallelism.
    pub self_parallelism: bool,
    /// Rule 1: instances inside an instance whose total parallelism is not above this are left out. At least 1; or 0 to
    /// switch the rule off.
    pub serial_below: f64,
    /// Rule 2: instances with less than this many per cent of the program's work are left out.
    pub min_work: f64,
    /// Rule 2 looks at whole rows of instances, not at each.
    pub together: bool,
    /// Most boxes; what is narrowest is left out.
    pub max_boxes: usize,
}

impl Default for ChartOptions {
    fn default() -> Self {
        Self {
            self_parallelism: false,
            serial_below: SERIAL_BELOW,
            min_work: MIN_WORK,
            together: false,
            max_boxes: MAX_BOXES,
        }
    }
}

impl ChartOptions {
    /// Whether they make sense.
    ///
    /// # Errors
    /// A threshold out of range.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |name, value, expected| Err(Error::threshold(name, value, expected));
        if self.serial_below != 0.0 && !(self.serial_below.is_finite() && self.serial_below >= 1.0)
        {
            let expected = "give 1 or more, or 0 to keep what serial regions contain";
            return wrong("serial-below", self.serial_below, expected);
        }
        if !(0.0..=100.0).contains(&self.min_work) {
            return wrong("min-work", self.min_work, "give 0 to 100 per cent");
        }
        if !(1..=100_000).contains(&self.max_boxes) {
            let expected = "give 1 to 100000 boxes";
            return wrong("max-boxes", self.max_boxes as f64, expected);
        }
        Ok(())
    }
}

/// The chart of one run. Positions and widths are work units.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The profile.
    pub model: Model,
    /// As applied.
    pub options: ChartOptions,
    /// Boxes, a parent before what it contains, otherwise from left to right.
    pub boxes: Vec<ChartBox>,
    /// Regions with a box, by letter.
    pub legend: Vec<Legend>,
    /// Left out because the instance around is serial.
    pub serial: Pruned,
    /// Left out because their work is insignificant.
    pub insignificant: Pruned,
    /// Left out because there were too many boxes.
    pub beyond: Pruned,
    /// All instances of functions and loops, drawn or not.
    pub instances: u64,
    /// Boxes whose parallelism was not measured.
    pub unmeasured: usize,
}

/// One instance, or a row of instances of one region that ran shortly after each other.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartBox {
    /// Box around it; none at the top.
    pub parent: Option<usize>,
    /// Number of boxes around it.
    pub level: u32,
    /// Number in [`Model::regions`].
    pub region: u32,
    /// Where it begins on the time axis. Exact for a single instance in single instances; in a row, the region that
    /// ran first comes first.
    pub start: u64,
    /// Work, of all instances of the row.
    pub work: u64,
    /// Critical path likewise, none where not measured.
    pub critical_path: Option<u64>,
    /// How many instances of the region it stands for: 1, or all of a row.
    pub instances: u64,
    /// Total parallelism, `sum(work) / sum(critical path)`.
    pub total_parallelism: Option<f64>,
    /// Self-parallelism, `sum(work) / sum(work / SP)`.
    pub self_parallelism: Option<f64>,
    /// Least and greatest total parallelism of an instance in it.
    pub spread: Option<(f64, f64)>,
}

impl ChartBox {
    /// The box's height in the chart: a parallelism, 1 or more.
    pub fn height(&self, options: &ChartOptions) -> Option<f64> {
        if options.self_parallelism {
            self.self_parallelism
        } else {
            self.total_parallelism
        }
    }
}

/// A row of the table of letters.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// What stands for the region in chart, tables and report.
    pub letter: Arc<str>,
    /// Number in [`Model::regions`].
    pub region: u32,
    /// How many boxes have the letter.
    pub boxes: usize,
    /// Instances in these boxes.
    pub instances: u64,
    /// Work of its boxes that are in no other box of the same region.
    pub work: u64,
    /// Total parallelism over its boxes, where measured.
    pub total_parallelism: Option<f64>,
    /// Self-parallelism over its boxes, where measured.
    pub self_parallelism: Option<f64>,
    /// Type of parallelism of the region by the type scan with its default parameters; none where it is not known.
    pub label: Option<Label>,
}

/// How much a rule left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Instances of functions and loops, those inside them included.
    pub instances: u64,
    /// Their work, that of instances inside others counted once.
    pub work: u64,
}

/// Draws the chart of a profile.
///
/// # Errors
/// Options that make no sense.
pub fn chart(profile: &Profile, options: &ChartOptions) -> Result<Chart, Error> {
    options.check()?;
    let model = Model::new(std::slice::from_ref(profile))?;
    let symbols = symbols::Symbols::new(profile, &model);
    let drawn = layout::BoxLayout::new(&symbols, &profile.tree.root, profile.work, options).run();
    let letters = letters(&model);
    let mut legend = legend(&drawn.boxes, &letters);
    let labels = types::labels(std::slice::from_ref(profile))?;
    for row in &mut legend {
        let id = &model.regions[row.region as usize].id;
        row.label = labels.get(id).copied();
    }
    Ok(Chart {
        options: *options,
        legend,
        serial: drawn.serial,
        insignificant: drawn.insignificant,
        beyond: drawn.beyond,
        instances: symbols.instances_in(&profile.tree.root),
        unmeasured: drawn
            .boxes
            .iter()
            .filter(|b| b.height(options).is_none())
            .count(),
        boxes: drawn.boxes,
        model,
    })
}

impl Chart {
    /// The letter of a box's region.
    pub fn letter(&self, region: u32) -> &str {
        let row = self.legend.iter().find(|row| row.region == region);
        row.map_or("", |row| &row.letter)
    }
}

/// Regions that have boxes, in the order of their letters.
fn legend(boxes: &[ChartBox], letters: &[Option<Arc<str>>]) -> Vec<Legend> {
    struct LegendSums {
        row: Legend,
        tracked: (u64, u64),
        known: (f64, f64),
    }
    let mut rows: std::collections::BTreeMap<u32, LegendSums> = std::collections::BTreeMap::new();
    for one in boxes {
        let Some(letter) = &letters[one.region as usize] else {
            continue;
        };
        let sums = rows.entry(one.region).or_insert_with(|| LegendSums {
            row: Legend {
                letter: letter.clone(),
                region: one.region,
                boxes: 0,
                instances: 0,
                work: 0,
                total_parallelism: None,
                self_parallelism: None,
                label: None,
            },
            tracked: (0, 0),
            known: (0.0, 0.0),
        });
        sums.row.boxes += 1;
        sums.row.instances = sums.row.instances.saturating_add(one.instances);
        let around = std::iter::successors(one.parent, |&at| boxes[at].parent);
        if around
            .map(|at| boxes[at].region)
            .all(|region| region != one.region)
        {
            sums.row.work += one.work;
        }
        if let Some(cp) = one.critical_path {
            sums.tracked.0 = sums.tracked.0.saturating_add(one.work);
            sums.tracked.1 = sums.tracked.1.saturating_add(cp);
        }
        if let Some(sp) = one.self_parallelism {
            sums.known.0 += one.work as f64;
            sums.known.1 += one.work as f64 / sp;
        }
    }
    let mut rows: Vec<Legend> = rows
        .into_values()
        .map(|sums| Legend {
            total_parallelism: (sums.tracked.1 > 0)
                .then(|| sums.tracked.0 as f64 / sums.tracked.1 as f64),
            self_parallelism: (sums.known.1 > 0.0).then(|| sums.known.0 / sums.known.1),
            ..sums.row
        })
        .collect();
    rows.sort_by(|a, b| (a.letter.len(), &a.letter).cmp(&(b.letter.len(), &b.letter)));
    rows
}

//! The models of a machine's lanes as tables.

use parascan_isa::InstructionClass;

use super::lanes::{Lanes, Level};
use super::latencies::{LATENCIES, latency_index};
use super::profile::UNCOUNTED;
use crate::model::{
    Branches, Count, Disambiguation, Indirect, MachineModel, PhysicalRegisters, ReturnPrediction,
    SystemCalls, Units,
};
use crate::predict::Predictor;

/// Lanes whose models predict alike, so that they share predictors.
#[derive(Clone, Debug)]
pub struct Prediction<L, const N: usize> {
    /// Predictors before anything was executed.
    pub fresh: Predictor,
    /// All ones for those that share these predictors.
    pub lanes: Lanes<L, N>,
    key: (Branches, Indirect, ReturnPrediction),
}

/// What the models say, for each lane. Lanes without a model take no steps and count nothing.
#[derive(Clone, Debug)]
pub struct ModelTables<L, const N: usize> {
    /// Steps by [`latency_index`].
    pub latency: Box<[Lanes<L, N>; LATENCIES]>,
    /// A bit for each lane in which an instance counts.
    pub counted: Box<[u8; LATENCIES]>,
    /// Number of the histogram class for each, or [`UNCOUNTED`] if no lane counts it.
    pub columns: Box<[u8; LATENCIES]>,
    /// Whether lanes differ in what they count.
    pub mixed: bool,
    /// Lanes in which registers are not renamed.
    pub keep_registers: Lanes<L, N>,
    /// Lanes in which the stack is not renamed.
    pub keep_stack: Lanes<L, N>,
    /// Lanes in which other memory is not renamed.
    pub keep_memory: Lanes<L, N>,
    /// Lanes with conservative system calls.
    pub conservative: Lanes<L, N>,
    /// Lanes in which memory is one location.
    pub one_location: Lanes<L, N>,
    /// Whether there are any.
    pub any_one_location: bool,
    /// How many instances each lane's window has room for; none without one, and where no model is.
    pub windows: [Option<usize>; N],
    /// Whether there are any.
    pub any_windows: bool,
    /// Functional units.
    pub units: Vec<Units>,
    /// Whether any are limited.
    pub any_units: bool,
    /// Physical registers.
    pub physical: Vec<PhysicalRegisters>,
    /// Whether any are limited.
    pub any_physical: bool,
    /// Predictors, but for perfect ones.
    pub predictions: Vec<Prediction<L, N>>,
    /// For each lane the position of its predictors.
    pub prediction_of: Vec<Option<usize>>,
    /// Largest latency in any lane.
    pub slowest: u64,
}

impl<L: Level, const N: usize> ModelTables<L, N> {
    /// Tables of at most `N` models, one for each lane from the first on.
    pub fn new(models: &[MachineModel]) -> Self {
        let mask = |choose: &dyn Fn(&MachineModel) -> bool| {
            Lanes::mask(|lane| models.get(lane).is_some_and(choose))
        };
        let mut latency = Box::new([Lanes::zero(); LATENCIES]);
        let mut counted = Box::new([0; LATENCIES]);
        let mut slowest = 0;
        for class in InstructionClass::ALL {
            for (creates, memory) in [(false, false), (false, true), (true, false), (true, true)] {
                let index = usize::from(latency_index(class, creates, memory));
                for (lane, model) in models.iter().enumerate() {
                    let counts = match model.count {
                        Count::All => true,
                        Count::Values => creates,
                        Count::Float => class.is_float_arithmetic(),
                    };
                    if !counts {
                        continue;
                    }
                    let mut steps = u64::from(model.latency.steps[class as usize]);
                    if model.latency.load_adds && memory && class != InstructionClass::Load {
                        steps += u64::from(model.latency.steps[InstructionClass::Load as usize]);
                    }
                    counted[index] |= 1 << lane;
                    latency[index].0[lane] = L::new(steps);
                    slowest = slowest.max(steps);
                }
            }
        }
        let all = counted.iter().fold(0, |all, lanes| all | lanes);
        let mixed = counted.iter().any(|&lanes| lanes != 0 && lanes != all)
            || models.windows(2).any(|pair| pair[0].count != pair[1].count);
        let mut columns = Box::new([UNCOUNTED; LATENCIES]);
        for class in InstructionClass::ALL {
            for index in (class as usize * 4..).take(4) {
                if counted[index] != 0 {
                    columns[index] = class.kind() as u8;
                }
            }
        }
        let windows = std::array::from_fn(|lane| {
            let window = models.get(lane)?.window?;
            Some(usize::try_from(window).unwrap_or(usize::MAX))
        });
        let mut predictions: Vec<Prediction<L, N>> = Vec::new();
        let prediction_of = models.iter().enumerate().map(|(lane, model)| {
            let key = (model.branches, model.indirect, model.returns);
            if key
                == (
                    Branches::Perfect,
                    Indirect::Perfect,
                    ReturnPrediction::Perfect,
                )
            {
                return None;
            }
            let position = predictions.iter().position(|known| known.key == key);
            let position = position.unwrap_or_else(|| {
                predictions.push(Prediction {
                    fresh: Predictor::new(model),
                    lanes: Lanes::zero(),
                    key,
                });
                predictions.len() - 1
            });
            predictions[position].lanes.0[lane] = L::ALL;
            Some(position)
        });
        let prediction_of = prediction_of.collect();
        Self {
            latency,
            counted,
            columns,
            mixed,
            keep_registers: mask(&|model| !model.rename.registers),
            keep_stack: mask(&|model| !model.rename.stack),
            keep_memory: mask(&|model| !model.rename.memory),
            conservative: mask(&|model| model.system_calls == SystemCalls::Conservative),
            one_location: mask(&|model| model.memory == Disambiguation::None),
            any_one_location: models
                .iter()
                .any(|model| model.memory == Disambiguation::None),
            windows,
            any_windows: windows.iter().any(Option::is_some),
            units: models.iter().map(|model| model.units.clone()).collect(),
            any_units: models.iter().any(|model| model.units != Units::Unlimited),
            physical: models.iter().map(|m| m.physical_registers).collect(),
            any_physical: models
                .iter()
                .any(|model| model.physical_registers != PhysicalRegisters::Unlimited),
            predictions,
            prediction_of,
            slowest,
        }
    }

    /// Which lanes count an instance.
    pub fn counts(&self, index: u8) -> [bool; N] {
        std::array::from_fn(|lane| self.counted[usize::from(index)] >> lane & 1 == 1)
    }

    /// The same tables with levels of 64 bits.
    pub fn widen(&self) -> ModelTables<u64, N> {
        ModelTables {
            latency: Box::new(self.latency.map(Lanes::convert)),
            counted: self.counted.clone(),
            columns: self.columns.clone(),
            mixed: self.mixed,
            keep_registers: widen_mask(self.keep_registers),
            keep_stack: widen_mask(self.keep_stack),
            keep_memory: widen_mask(self.keep_memory),
            conservative: widen_mask(self.conservative),
            one_location: widen_mask(self.one_location),
            any_one_location: self.any_one_location,
            windows: self.windows,
            any_windows: self.any_windows,
            units: self.units.clone(),
            any_units: self.any_units,
            physical: self.physical.clone(),
            any_physical: self.any_physical,
            predictions: self
                .predictions
                .iter()
                .map(|prediction| Prediction {
                    fresh: prediction.fresh.clone(),
                    lanes: widen_mask(prediction.lanes),
                    key: prediction.key,
                })
                .collect(),
            prediction_of: self.prediction_of.clone(),
            slowest: self.slowest,
        }
    }
}

/// The same mask with levels of 64 bits.
pub fn widen_mask<L: Level, const N: usize>(mask: Lanes<L, N>) -> Lanes<u64, N> {
    Lanes::mask(|lane| mask.0[lane] != L::default())
}

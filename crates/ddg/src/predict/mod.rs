//! Branch predictors, one set per thread and model: only what they get wrong matters.

mod counters;
mod tage;

use crate::model::{Branches, Indirect, MachineModel, ReturnPrediction};
use counters::TwoBitCounters;
use tage::Tage;

pub(crate) use tage::history_length;

/// Predictors of one thread under one model.
#[derive(Clone, Debug)]
pub struct Predictor {
    branches: Direction,
    indirect: Targets,
    returns: ReturnStack,
}

/// Of conditional branches.
#[derive(Clone, Debug)]
enum Direction {
    Perfect,
    None,
    Taken,
    Counters(TwoBitCounters),
    Tage(Box<Tage>),
}

/// Of indirect jumps and calls.
#[derive(Clone, Debug)]
enum Targets {
    Perfect,
    None,
    /// Address of the transfer and its last target, by the low bits of the address.
    Last(Vec<Option<(u64, u64)>>),
}

/// Of returns.
#[derive(Clone, Debug)]
enum ReturnStack {
    Perfect,
    None,
    /// Circular: `top` is where the next address goes, `depth` how many are valid.
    Stack {
        addresses: Vec<u64>,
        top: usize,
        depth: usize,
    },
}

impl Predictor {
    /// The model's predictors before anything was executed.
    pub fn new(model: &MachineModel) -> Self {
        Self {
            branches: match model.branches {
                Branches::Perfect => Direction::Perfect,
                Branches::None => Direction::None,
                Branches::Taken => Direction::Taken,
                Branches::TwoBit { index_bits } => {
                    Direction::Counters(TwoBitCounters::new(index_bits, 0))
                }
                Branches::Gshare {
                    index_bits,
                    history,
                } => Direction::Counters(TwoBitCounters::new(index_bits, history)),
                Branches::Tage {
                    tables,
                    index_bits,
                    tag_bits,
                    shortest,
                    longest,
                } => Direction::Tage(Box::new(Tage::new(
                    tables, index_bits, tag_bits, shortest, longest,
                ))),
            },
            indirect: match model.indirect {
                Indirect::Perfect => Targets::Perfect,
                Indirect::None => Targets::None,
                Indirect::Last { index_bits } => Targets::Last(vec![None; 1 << index_bits]),
            },
            returns: match model.returns {
                ReturnPrediction::Perfect => ReturnStack::Perfect,
                ReturnPrediction::None => ReturnStack::None,
                ReturnPrediction::Stack { entries } => ReturnStack::Stack {
                    addresses: vec![0; usize::from(entries)],
                    top: 0,
                    depth: 0,
                },
            },
        }
    }

    /// Predicts the conditional branch at `address`, then learns whether it was taken. Returns whether the prediction
    /// was wrong.
    pub fn conditional(&mut self, address: u64, taken: bool) -> bool {
        match &mut self.branches {
            Direction::Perfect => false,
            Direction::None => true,
            Direction::Taken => !taken,
            Direction::Counters(counters) => counters.conditional(address, taken) != taken,
            Direction::Tage(tage) => tage.conditional(address, taken) != taken,
        }
    }

    /// Predicts the target of the indirect jump or call at `address`, then learns it. Returns whether the prediction
    /// was wrong.
    pub fn indirect(&mut self, address: u64, target: u64) -> bool {
        match &mut self.indirect {
            Targets::Perfect => false,
            Targets::None => true,
            Targets::Last(table) => {
                let index = address as usize & (table.len() - 1);
                let prediction = table[index].replace((address, target));
                prediction != Some((address, target))
            }
        }
    }

    /// A call is executed, direct or indirect, that should return to `return_address`.
    pub fn call(&mut self, return_address: u64) {
        if let ReturnStack::Stack {
            addresses,
            top,
            depth,
        } = &mut self.returns
        {
            addresses[*top] = return_address;
            *top = (*top + 1) % addresses.len();
            *depth = (*depth + 1).min(addresses.len());
        }
    }

    /// Predicts where a return goes. Returns whether the prediction was wrong; with nothing on the return stack it is.
    pub fn return_to(&mut self, target: u64) -> bool {
        match &mut self.returns {
            ReturnStack::Perfect => false,
            ReturnStack::None => true,
            ReturnStack::Stack { depth: 0, .. } => true,
            ReturnStack::Stack {
                addresses,
                top,
                depth,
            } => {
                *top = (*top + addresses.len() - 1) % addresses.len();
                *depth -= 1;
                addresses[*top] != target
            }
        }
    }
}

#[cfg(test)]
mod tests;

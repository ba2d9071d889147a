//! Operators of reductions.

use serde::{Deserialize, Serialize};

/// Operator of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operator {
    /// `+` and `-`.
    Add,
    /// `*`.
    Mul,
    /// `&`.
    And,
    /// `|`.
    Or,
    /// `^`.
    Xor,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
}

impl Operator {
    /// The operator as OpenMP writes it in a `reduction` clause.
    pub fn openmp(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Mul => "*",
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "^",
            Self::Min => "min",
            Self::Max => "max",
        }
    }
}

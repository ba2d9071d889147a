//! Names and numbers of runs, nodes, phases and outliers, as all forms write them.

mod blind;
mod choice;
mod names;
mod nodes;
mod numbers;
mod outlier;

pub(crate) use blind::{blind, end};
pub(crate) use choice::{choice, doubt, paths, tail, verdict};
pub(crate) use names::{class, ids, node, numbers, point, program, ranks, shares, title, unit};
pub(crate) use nodes::{about, executions, figures, listed};
pub(crate) use numbers::{seconds, share, time, unit_of_time};
pub(crate) use outlier::{extremes, outlier};

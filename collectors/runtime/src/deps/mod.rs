//! Observes dependences between iterations, for programs whose dependence version runs (see `parascan_abi::deps`):
//! [`exports`] is what that calls, [`observer`] the stack of open loops and what an access means for them, [`cells`]
//! has a [`cell`] for each place, which says who accessed it last, [`variables`] where loops' own variables lie,
//! [`tables`] what is kept, [`output`] the file, [`fatal_signals`] what becomes of it where the program dies.
//!
//! One thread is observed, the one that registered the first module; forked children leave no evidence. A signal
//! handler that runs observed code interrupts an access at worst, which may count a dependence twice.

mod cell;
mod cells;
mod exports;
mod fatal_signals;
mod lost;
mod observer;
mod output;
mod tables;
#[cfg(test)]
mod tests;
mod variables;

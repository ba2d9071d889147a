//! All tests of what the crate offers, in one program: what they share is compiled once.

mod common;

mod access;
mod constants;
mod engine;
mod flows;
mod many_registers;
mod papers;
mod random;
mod reference;
mod registers;
mod resources;
mod stretch;
mod windows;

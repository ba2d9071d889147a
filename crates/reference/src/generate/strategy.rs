//! Random programs for proptest: lists of choices that shrink by losing stretches and by simpler choices.

use proptest::prelude::any;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::program;

/// Most choices of a program.
const MOST: usize = 2500;
/// Optimization levels.
const LEVELS: [&str; 3] = ["-O1", "-O0", "-O2"];

/// Generates random programs for property tests.
#[derive(Clone, Copy, Debug)]
pub struct Programs;

/// A program and how to compile it.
#[derive(Clone, PartialEq, Eq)]
pub struct ProgramSample {
    /// Optimization level.
    pub level: &'static str,
    /// C source.
    pub text: String,
}

impl std::fmt::Debug for ProgramSample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\n{}", self.level, self.text)
    }
}

impl ProgramSample {
    fn new(choices: &[u32]) -> Self {
        let (level, rest) = choices.split_first().unwrap_or((&0, &[]));
        Self {
            level: LEVELS[*level as usize % LEVELS.len()],
            text: program(rest),
        }
    }
}

/// A random program, and how it shrinks while a test still fails.
#[derive(Debug)]
pub struct ShrinkingProgram {
    /// The smallest known to fail.
    best: Vec<u32>,
    /// What is tried now.
    current: Vec<u32>,
    sample: ProgramSample,
    /// Length of the stretches that are changed, and where the next begins.
    stretch: usize,
    position: usize,
    /// Whether stretches become zero rather than vanish.
    zeroing: bool,
    /// Whether anything got smaller since the stretches were longest.
    progress: bool,
}

impl Strategy for Programs {
    type Tree = ShrinkingProgram;
    type Value = ProgramSample;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let lists = proptest::collection::vec(any::<u32>(), 20..MOST);
        let best = lists.new_tree(runner)?.current();
        Ok(ShrinkingProgram {
            sample: ProgramSample::new(&best),
            current: best.clone(),
            stretch: best.len().div_ceil(2),
            best,
            position: 0,
            zeroing: false,
            progress: false,
        })
    }
}

impl ShrinkingProgram {
    /// Moves on to the next smaller program that is not the same as the best one; whether there is one.
    fn advance(&mut self) -> bool {
        let best = ProgramSample::new(&self.best);
        while self.stretch > 0 {
            if self.position >= self.best.len() {
                self.position = 0;
                if self.zeroing {
                    self.stretch /= 2;
                }
                self.zeroing = !self.zeroing;
                if self.stretch == 0 && std::mem::take(&mut self.progress) {
                    self.stretch = self.best.len().div_ceil(2);
                }
                continue;
            }
            let end = (self.position + self.stretch).min(self.best.len());
            let mut candidate = self.best.clone();
            if self.zeroing {
                candidate[self.position..end].fill(0);
            } else {
                candidate.drain(self.position..end);
            }
            self.position += self.stretch;
            let sample = ProgramSample::new(&candidate);
            // What is not read any more can go without a trial.
            if sample == best && candidate.len() < self.best.len() {
                self.best = candidate;
                self.position -= self.stretch;
                continue;
            }
            if sample != best {
                (self.current, self.sample) = (candidate, sample);
                return true;
            }
        }
        (self.current, self.sample) = (self.best.clone(), best);
        false
    }
}

impl ValueTree for ShrinkingProgram {
    type Value = ProgramSample;

    fn current(&self) -> ProgramSample {
        self.sample.clone()
    }

    fn simplify(&mut self) -> bool {
        if self.current != self.best {
            if !self.zeroing {
                // The next stretch has moved to where this one was.
                self.position = self.position.saturating_sub(self.stretch);
            }
            self.progress = true;
            self.best.clone_from(&self.current);
        }
        self.advance()
    }

    fn complicate(&mut self) -> bool {
        self.advance()
    }
}

//! Input files: the ones in `bench/inputs`, and generated ones that are the same on every machine.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// A file that a run needs in its scratch folder.
#[derive(Clone, Debug)]
pub enum Input {
    /// A copy of a file of `bench/inputs`, under the same name.
    Copy(&'static str),
    /// [`mixed_text`] of this many bytes.
    MixedText {
        /// Name in the scratch folder.
        name: &'static str,
        /// Bytes.
        size: usize,
    },
}

impl Input {
    /// Name in the scratch folder.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Copy(name) | Self::MixedText { name, .. } => name,
        }
    }

    /// Writes the file into a folder.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn place(&self, folder: &Path) -> Result<()> {
        let to = folder.join(self.name());
        match self {
            Self::Copy(name) => std::fs::copy(inputs_dir().join(name), &to).map(drop),
            Self::MixedText { size, .. } => std::fs::write(&to, mixed_text(*size)),
        }
        .with_context(|| format!("cannot write {}", to.display()))
    }
}

/// Folder of this crate's input files.
pub fn inputs_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("inputs")
}

/// Text of made-up words with frequent ones more frequent, broken by tables of numbers and some bytes without pattern:
/// data in which a compressor finds long matches, short ones and none.
pub fn mixed_text(size: usize) -> Vec<u8> {
    let mut random = Random(0x5eed);
    let words: Vec<Vec<u8>> = (0..2000)
        .map(|_| {
            let length = 2 + random.below(8);
            (0..length)
                .map(|_| b"eeetttaaoinshrdlucmfwypvbgkqjxz"[random.below(31)])
                .collect()
        })
        .collect();
    let mut text = Vec::with_capacity(size + 256);
    while text.len() < size {
        match random.below(100) {
            0 => text.extend((0..64).map(|_| random.below(256) as u8)),
            1..10 => {
                for column in 0..8 {
                    text.extend(format!("{:8}", random.below(1000) * (column + 1)).bytes());
                }
                text.push(b'\n');
            }
            _ => {
                for _ in 0..10 {
                    let rank = random.below(words.len()).min(random.below(words.len()));
                    text.extend(&words[rank.min(random.below(words.len()))]);
                    text.push(b' ');
                }
                text.push(b'\n');
            }
        }
    }
    text.truncate(size);
    text
}

/// A small generator of the kind called splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ x >> 31) % limit as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_its_size_and_is_always_the_same() {
        let text = mixed_text(1_000_000);
        assert_eq!(text.len(), 1_000_000);
        assert_eq!(text, mixed_text(1_200_000)[..1_000_000]);
        let distinct = (0..=255u8).filter(|byte| text.contains(byte)).count();
        assert!(distinct > 250, "{distinct} different bytes");
    }
}

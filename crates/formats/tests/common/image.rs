//! A log in memory, laid out as the runtime lays it out.

use std::io;

use parascan_abi::log as abi;
use parascan_formats::log::ReadAt;
use parascan_formats::module::{ModuleStatic, NOT_VECTORIZED, UNKNOWN, VECTORIZED};

/// Little-endian bytes, field by field in the order of the ABI's structures.
#[derive(Clone, Debug, Default)]
pub struct Bytes(pub Vec<u8>);

impl Bytes {
    pub fn u32s<const N: usize>(mut self, values: [u32; N]) -> Self {
        values
            .iter()
            .for_each(|value| self.0.extend(value.to_le_bytes()));
        self
    }

    pub fn u64s<const N: usize>(mut self, values: [u64; N]) -> Self {
        values
            .iter()
            .for_each(|value| self.0.extend(value.to_le_bytes()));
        self
    }

    pub fn f64(mut self, value: f64) -> Self {
        self.0.extend(value.to_le_bytes());
        self
    }
}

/// A sparse file: stretches of bytes at the log's offsets, zeros between them.
#[derive(Clone, Debug)]
pub struct Image {
    pub stretches: Vec<(u64, Vec<u8>)>,
    pub length: u64,
}

impl Image {
    /// Replaces bytes.
    pub fn write(&mut self, offset: u64, bytes: &[u8]) {
        for (index, byte) in bytes.iter().enumerate() {
            let at = offset + index as u64;
            let stretch = self
                .stretches
                .iter_mut()
                .find(|(start, s)| (*start..start + s.len() as u64).contains(&at));
            let (start, stretch) = stretch.expect("a written offset");
            stretch[(at - *start) as usize] = *byte;
        }
    }
}

impl ReadAt for Image {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        if offset + buffer.len() as u64 > self.length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        buffer.fill(0);
        let end = offset + buffer.len() as u64;
        for (start, bytes) in &self.stretches {
            let (from, to) = (offset.max(*start), end.min(start + bytes.len() as u64));
            if from < to {
                let source = &bytes[(from - start) as usize..(to - start) as usize];
                buffer[(from - offset) as usize..(to - offset) as usize].copy_from_slice(source);
            }
        }
        Ok(())
    }
}

/// Everything a log holds.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    pub state: u32,
    pub lanes: u32,
    pub start_level: u32,
    pub max_depth: u32,
    pub flags: u64,
    pub depth_reached: u32,
    pub folded: u64,
    pub root_sequence: u32,
    pub threads: u32,
    pub work: u64,
    pub total: u64,
    pub clocks: Vec<u32>,
    pub modules: Vec<ModuleStatic>,
    pub calls: Vec<u64>,
    pub frames: Vec<Bytes>,
    pub contexts: Vec<Bytes>,
    pub symbols: Vec<Bytes>,
    pub sequences: Vec<(u32, u32)>,
    pub runs: Vec<(u32, u64)>,
}

impl Writer {
    pub fn image(&self) -> Image {
        let mut modules = Bytes::default();
        let (mut regions, mut blind) = (0, 0);
        for module in &self.modules {
            let mut blob = postcard::to_stdvec(module).unwrap();
            let states = module.regions.iter().map(|region| match region.vectorized {
                None => UNKNOWN,
                Some(false) => NOT_VECTORIZED,
                Some(true) => VECTORIZED,
            });
            blob.extend(states);
            let (own_regions, own_blind) = (module.regions.len() as u32, module.blind.len() as u32);
            modules = modules
                .u32s([regions, own_regions, blind, own_blind, 0, 0])
                .u64s([blob.len() as u64]);
            modules.0.extend(blob);
            modules.0.resize(modules.0.len().next_multiple_of(8), 0);
            regions += own_regions;
            blind += own_blind;
        }
        let mut header = Bytes(abi::MAGIC.to_vec())
            .u32s([
                parascan_abi::ABI_VERSION,
                self.state,
                4711,
                0,
                32,
                self.lanes,
                self.start_level,
                self.max_depth,
            ])
            .u64s([self.flags])
            .u32s(
                [
                    self.contexts.len(),
                    self.symbols.len(),
                    self.sequences.len(),
                    self.runs.len(),
                ]
                .map(|n| n as u32),
            )
            .u64s([modules.0.len() as u64])
            .u32s([regions, blind, self.frames.len() as u32, self.depth_reached])
            .u64s([self.folded])
            .u32s([self.root_sequence, self.threads])
            // Clocks are aligned to 32 bytes.
            .u64s([self.work, 0, 0]);
        self.clocks
            .iter()
            .for_each(|clock| header.0.extend(clock.to_le_bytes()));
        // More clocks than the runtime's lie over what follows.
        let total = std::mem::offset_of!(abi::Header, total);
        if header.0.len() <= total {
            header.0.resize(total, 0);
            header = header.u64s([self.total]);
        }
        let calls = self
            .calls
            .iter()
            .fold(Bytes::default(), |bytes, &calls| bytes.u64s([calls]));
        let sequences = self
            .sequences
            .iter()
            .fold(Bytes::default(), |bytes, &(a, b)| bytes.u32s([a, b]));
        let runs = self.runs.iter().fold(Bytes::default(), |bytes, &(s, n)| {
            bytes.u32s([s, 0]).u64s([n])
        });
        let joined = |entries: &[Bytes]| {
            entries
                .iter()
                .flat_map(|entry| entry.0.iter().copied())
                .collect::<Vec<u8>>()
        };
        let stretches = vec![
            (abi::OFF_HEADER, header.0),
            (abi::OFF_FRAMES, joined(&self.frames)),
            (abi::OFF_BLIND, calls.0),
            (abi::OFF_MODULES, modules.0),
            (abi::OFF_CONTEXTS, joined(&self.contexts)),
            (abi::OFF_SYMBOLS, joined(&self.symbols)),
            (abi::OFF_SEQUENCES, sequences.0),
            (abi::OFF_RUNS, runs.0),
        ];
        Image {
            stretches,
            length: abi::FILE_SIZE,
        }
    }
}

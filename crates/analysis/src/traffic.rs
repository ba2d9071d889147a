//! How many bytes loops move between memory and the last cache: an estimate from how their accesses step and how often
//! they ran.
//!
//! Profiles say of loads and stores that move alike (streams, [`parascan_formats::module::MemoryStream`]) how far they
//! move with the loop that has them and with each loop around it in the function; runs say how many iterations these
//! had. In one instance of a loop a stream touches
//!
//! - as many places as there are iterations, of all loops with which it moves, and of each place what lies between it
//!   and the next: at least the access itself, and at most a line of the cache (64 bytes);
//! - but no more than lies between its first byte and its last, where all distances are known.
//!
//! Streams that start from the same address share what they touch. An instance that touches no more than the cache
//! holds moves nothing that counts: what it needs may be there already, and stays. Another one moves each byte that it
//! touches once (twice where it is written: a line is read before, and written back), or as much as all that runs
//! inside it, whichever is more. So a sweep over large arrays counts at every step of the loop around it, and a product
//! of matrices that fit counts nothing.
//!
//! **Blind spots.** Too little: accesses that follow from what was loaded (`x[index[i]]`, lists), what the library
//! copies or fills (`memcpy`), arrays that a function walks over in small pieces, each call another one, caches that
//! are shared with other programs, and streams beyond the first 32 of a loop. Too much: what calls of different
//! functions touch is added up as if none of it were the same, and rows to which a loaded pointer or index leads, which
//! a loop inside walks along, count as new ones in every iteration around it.

use std::collections::HashMap;

use parascan_formats::module::{AddressStep, MemoryStream, RegionKind};

use crate::model::{ContextNode, Model, PROGRAM};

/// Bytes that move together.
const LINE: f64 = 64.0;

/// What one instance touches, in bytes: as room in the cache, as traffic, where what is written counts twice, and as
/// what a device is given and gives back.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct TouchedBytes {
    room: f64,
    moved: f64,
    copied: f64,
}

impl TouchedBytes {
    fn add(&mut self, other: Self) {
        self.room += other.room;
        self.moved += other.moved;
        self.copied += other.copied;
    }

    fn cover(&mut self, other: Self) {
        self.room = self.room.max(other.room);
        self.moved = self.moved.max(other.moved);
        self.copied = self.copied.max(other.copied);
    }
}

/// Bytes between memory and a cache of this many, by region: over all its outermost instances.
pub(crate) fn by_region(model: &Model, cache: f64) -> Vec<f64> {
    let mut sums = vec![0.0; model.regions.len()];
    if model.regions.iter().all(|r| r.fixed.streams.is_empty()) {
        return sums;
    }
    let moved = by_node(model, cache);
    for (node, bytes) in model.nodes.iter().zip(moved).skip(1) {
        if node.outermost {
            sums[node.region as usize] += bytes;
        }
    }
    sums
}

/// What an instance of a region touches, in the mean over outermost instances.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct RegionTouched {
    /// Bytes that a device would be given for it, and would give back.
    pub(crate) bytes: f64,
    /// Work of an instance in units of the latency table, in the mean.
    pub(crate) work: f64,
}

/// What instances touch, by region.
pub(crate) fn touched_by_region(model: &Model) -> Vec<RegionTouched> {
    let mut sums = vec![(RegionTouched::default(), 0.0_f64); model.regions.len()];
    for (node, (own, called)) in model.nodes.iter().zip(touched_by_node(model)).skip(1) {
        if node.outermost {
            let (sum, instances) = &mut sums[node.region as usize];
            let of = node.sums.instances as f64;
            sum.bytes += (own.copied + called.copied) * of;
            sum.work += node.sums.work as f64;
            *instances += of;
        }
    }
    let mean = |(sum, instances): (RegionTouched, f64)| RegionTouched {
        bytes: sum.bytes / instances.max(1.0),
        work: sum.work / instances.max(1.0),
    };
    sums.into_iter().map(mean).collect()
}

/// The same by context: by streams of its own function, and by functions that it calls, one instance of each.
fn touched_by_node(model: &Model) -> Vec<(TouchedBytes, TouchedBytes)> {
    let nodes = &model.nodes;
    let own = touched_by_streams(model);
    let mut called = vec![TouchedBytes::default(); nodes.len()];
    for index in (1..nodes.len()).rev() {
        let mut all = called[index];
        if kind(model, &nodes[index]) == Some(RegionKind::Function) {
            all.add(own[index]);
        }
        called[nodes[index].parent as usize].add(all);
    }
    own.into_iter().zip(called).collect()
}

/// Bytes between memory and the cache by context, over all its instances.
fn by_node(model: &Model, cache: f64) -> Vec<f64> {
    let nodes = &model.nodes;
    let touched = touched_by_node(model);
    let mut moved = vec![0.0_f64; nodes.len()];
    for index in (1..nodes.len()).rev() {
        let node = &nodes[index];
        let (mut all, called) = touched[index];
        all.add(called);
        // What an iteration touches by itself is not known; what moves in loops inside it needs more room than there
        // is.
        if kind(model, node) != Some(RegionKind::Iteration) {
            moved[index] = match all.room > cache {
                true => moved[index].max(all.moved * node.sums.instances as f64),
                false => 0.0,
            };
        }
        moved[node.parent as usize] += moved[index];
    }
    moved
}

fn kind(model: &Model, node: &ContextNode) -> Option<RegionKind> {
    (node.region != PROGRAM).then(|| model.regions[node.region as usize].fixed.kind)
}

/// What one instance of each context touches by streams of its own function.
fn touched_by_streams(model: &Model) -> Vec<TouchedBytes> {
    let mut by_base: HashMap<(u32, u32), TouchedBytes> = HashMap::new();
    for (index, node) in (0..).zip(&model.nodes).skip(1) {
        let fixed = &model.regions[node.region as usize].fixed;
        if fixed.streams.is_empty() {
            continue;
        }
        let (around, function) = loops_around(model, index);
        let counts = iterations(model, &around);
        for stream in &fixed.streams {
            if stream.steps.first() == Some(&AddressStep::Irregular) {
                continue;
            }
            let levels = stream.steps.len().min(counts.len());
            for (level, &of) in around.iter().enumerate() {
                let touched = touched(stream, &counts[..levels.min(level + 1)]);
                by_base.entry((of, stream.base)).or_default().cover(touched);
            }
            if let Some(of) = function {
                let touched = touched(stream, &counts[..levels]);
                by_base.entry((of, stream.base)).or_default().cover(touched);
            }
        }
    }
    let mut sums = vec![TouchedBytes::default(); model.nodes.len()];
    // In an order that does not change from run to run, so that sums do not.
    let mut all: Vec<_> = by_base.into_iter().collect();
    all.sort_unstable_by_key(|&(key, _)| key);
    for ((of, _), touched) in all {
        sums[of as usize].add(touched);
    }
    sums
}

/// The contexts of a loop and of all loops around it in its function, outwards, and the function's.
fn loops_around(model: &Model, index: u32) -> (Vec<u32>, Option<u32>) {
    let mut around = vec![index];
    let mut at = index;
    loop {
        let parent = model.nodes[at as usize].parent;
        match kind(model, &model.nodes[parent as usize]) {
            Some(RegionKind::Iteration) => {}
            Some(RegionKind::Loop) => around.push(parent),
            Some(RegionKind::Function) => return (around, Some(parent)),
            None => return (around, None),
        }
        at = parent;
    }
}

/// Iterations of the first of these loops in an instance of it, and instances of each in one of the next around it, in
/// the mean.
fn iterations(model: &Model, around: &[u32]) -> Vec<f64> {
    let sums = |index: u32| &model.nodes[index as usize].sums;
    let own = sums(around[0]);
    let first = own.children as f64 / own.counted.max(1) as f64;
    let of = |pair: &[u32]| sums(pair[0]).instances as f64 / sums(pair[1]).instances.max(1) as f64;
    std::iter::once(first)
        .chain(around.windows(2).map(of))
        .collect()
}

/// What a stream touches in one instance of the last of so many loops, the one that has it first, with these numbers of
/// iterations.
fn touched(stream: &MemoryStream, iterations: &[f64]) -> TouchedBytes {
    let access = f64::from(stream.bytes);
    let mut places = 1.0;
    let mut between = LINE.max(access);
    let mut extent = Some(access);
    for (step, &count) in stream.steps.iter().zip(iterations) {
        if *step != AddressStep::Same {
            places *= count;
        }
        match *step {
            AddressStep::Same => {}
            AddressStep::By(bytes) => {
                let bytes = bytes.unsigned_abs() as f64;
                between = between.min(bytes);
                extent = extent.map(|extent| extent + bytes * (count - 1.0).max(0.0));
            }
            AddressStep::Moves | AddressStep::Irregular => extent = None,
        }
    }
    let touched = places * between.max(access);
    let room = extent.map_or(touched, |extent| extent.min(touched));
    TouchedBytes {
        room,
        moved: if stream.writes { 2.0 * room } else { room },
        copied: if stream.reads && stream.writes {
            2.0 * room
        } else {
            room
        },
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use parascan_formats::synthetic::{SyntheticProgram, node};
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn stream(bytes: u32, writes: bool, steps: &[AddressStep]) -> MemoryStream {
        MemoryStream {
            name: "a[]".to_owned(),
            line: 1,
            base: 0,
            bytes,
            reads: !writes,
            writes,
            steps: steps.to_vec(),
        }
    }

    fn room(bytes: u32, steps: &[AddressStep], iterations: &[f64]) -> f64 {
        touched(&stream(bytes, false, steps), iterations).room
    }

    /// A matrix of 100 rows of 50 numbers of 8 bytes, along its rows and along its columns.
    #[test]
    fn matrices_by_hand() {
        use AddressStep::{By, Irregular, Moves, Same};
        // Along a row: 50 numbers; all rows: 5000.
        assert_eq!(room(8, &[By(8), By(400)], &[50.0]), 400.0);
        assert_eq!(room(8, &[By(8), By(400)], &[50.0, 100.0]), 40_000.0);
        // Along a column each number is a line of its own; all columns share them.
        assert_eq!(room(8, &[By(400), By(8)], &[100.0]), 6400.0);
        assert_eq!(room(8, &[By(400), By(8)], &[100.0, 50.0]), 40_000.0);
        // Again and again.
        assert_eq!(
            room(8, &[By(8), By(400), Same], &[50.0, 100.0, 9.0]),
            40_000.0
        );
        // The length of a row is not constant, or every row is somewhere else.
        assert_eq!(room(8, &[By(8), Moves], &[50.0, 100.0]), 40_000.0);
        assert_eq!(room(8, &[By(8), Irregular], &[50.0, 100.0]), 40_000.0);
        // Windows of 5 numbers from each of 50 places: 54 numbers, not 250. Downwards as upwards.
        assert_eq!(room(8, &[By(8), By(8)], &[5.0, 50.0]), 8.0 * 54.0);
        assert_eq!(room(8, &[By(-8), By(-8)], &[5.0, 50.0]), 8.0 * 54.0);
        // Members of structures of 24 bytes; large structures.
        assert_eq!(room(8, &[By(24)], &[10.0]), 9.0 * 24.0 + 8.0);
        assert_eq!(room(128, &[By(128)], &[10.0]), 1280.0);
    }

    #[test]
    fn what_is_written_moves_twice() {
        let written = touched(&stream(4, true, &[AddressStep::By(4)]), &[10.0]);
        assert_eq!(
            (written.room, written.moved, written.copied),
            (40.0, 80.0, 40.0)
        );
    }

    /// `main` calls a function 3 times that sweeps over two arrays of 1000 numbers of 8 bytes each 10 times, and writes
    /// one of them.
    fn sweeps() -> Model {
        let mut program = SyntheticProgram::new();
        let main = program.function("main", 1..=9);
        let sweep = program.function("sweep", 10..=19);
        let (round, round_body) = program.add_loop(sweep, 11..=18);
        let (along, along_body) = program.add_loop(round_body, 12..=17);
        let of = |base: u32, writes: bool| MemoryStream {
            base,
            ..stream(8, writes, &[AddressStep::By(8), AddressStep::Same])
        };
        program.fixed(along).streams = vec![of(0, false), of(1, true)];
        let inner = node(along, 0, 5, [node(along_body, 5, 5, []).times(1000)]);
        let round_once = node(round_body, 0, 5, [inner]);
        let call = node(sweep, 0, 5, [node(round, 0, 5, [round_once.times(10)])]);
        Model::new(&[program.build([node(main, 0, 15, [call.times(3)])])]).unwrap()
    }

    /// By hand: a sweep moves 8000 bytes one way and 8000 both ways. 16,000 bytes fit or do not.
    #[test]
    fn sweeps_over_what_fits_move_nothing() {
        let model = sweeps();
        // By the first line of each region, iterations left out.
        let of = |cache: f64| {
            let bytes = by_region(&model, cache);
            let regions = model.regions.iter().zip(bytes);
            let regions = regions.filter(|(r, _)| r.fixed.kind != RegionKind::Iteration);
            let mut by_line: Vec<(u32, f64)> = regions.map(|(r, b)| (r.fixed.line, b)).collect();
            by_line.sort_by_key(|&(line, _)| line);
            by_line
        };
        let all = 24_000.0 * 10.0 * 3.0;
        assert_eq!(of(15_000.0), [(1, all), (10, all), (11, all), (12, all)]);
        assert_eq!(of(16_000.0), [1, 10, 11, 12].map(|line| (line, 0.0)));
    }

    /// Lines that an ideal cache of so many bytes has to fetch for these accesses, and writes back in the end or when
    /// it needs the room: least recently used ones go first.
    fn simulated(cache: usize, accesses: impl Iterator<Item = (u64, bool)>) -> f64 {
        let mut held: Vec<(u64, bool)> = Vec::new();
        let mut lines = 0;
        for (address, writes) in accesses {
            let line = address / 64;
            let known = held.iter().position(|&(l, _)| l == line);
            let was = known.map(|at| held.remove(at));
            lines += usize::from(was.is_none());
            held.push((line, writes || was.is_some_and(|(_, written)| written)));
            if held.len() > cache / 64 {
                lines += usize::from(held.remove(0).1);
            }
        }
        lines += held.iter().filter(|(_, written)| *written).count();
        64.0 * lines as f64
    }

    /// A product of matrices of 48 x 48 numbers of 8 bytes, for caches that hold one of them, a few rows, or nothing at
    /// all: what is estimated is at least half of what an ideal cache moves, and at most twice.
    #[test]
    fn a_product_of_matrices_moves_what_an_ideal_cache_does() {
        const N: u64 = 48;
        let mut program = SyntheticProgram::new();
        let main = program.function("main", 1..=9);
        let (i, i_body) = program.add_loop(main, 2..=8);
        let (j, j_body) = program.add_loop(i_body, 3..=7);
        let (k, k_body) = program.add_loop(j_body, 4..=6);
        let row = 8 * N as i64;
        let of = |base: u32, writes: bool, steps: &[AddressStep]| MemoryStream {
            base,
            ..stream(8, writes, steps)
        };
        program.fixed(k).streams = vec![
            of(
                0,
                false,
                &[AddressStep::By(8), AddressStep::Same, AddressStep::By(row)],
            ),
            of(
                1,
                false,
                &[AddressStep::By(row), AddressStep::By(8), AddressStep::Same],
            ),
        ];
        program.fixed(j).streams = vec![of(2, true, &[AddressStep::By(8), AddressStep::By(row)])];
        let inner = node(k, 0, 5, [node(k_body, 5, 5, []).times(N)]);
        let middle = node(j, 0, 5, [node(j_body, 0, 5, [inner]).times(N)]);
        let outer = node(i, 0, 5, [node(i_body, 0, 5, [middle]).times(N)]);
        let model = Model::new(&[program.build([node(main, 0, 5, [outer])])]).unwrap();
        let place = |base: u64, row: u64, column: u64| 100_000 * base + 8 * (N * row + column);
        for cache in [12_000, 6000, 2000] {
            let accesses = (0..N).flat_map(|i| {
                (0..N).flat_map(move |j| {
                    let terms = (0..N)
                        .flat_map(move |k| [(place(0, i, k), false), (place(1, k, j), false)]);
                    terms.chain([(place(2, i, j), true)])
                })
            });
            let exact = simulated(cache, accesses);
            let region = model
                .regions
                .iter()
                .position(|r| r.fixed.line == 2)
                .unwrap();
            let estimate = by_region(&model, cache as f64)[region];
            let times = estimate / exact;
            assert!((0.5..=2.0).contains(&times), "{cache}: {estimate}, {exact}");
        }
    }

    proptest! {
        /// All bytes that a nest of loops touches find room in what is estimated, and none is counted twice in arrays
        /// that are walked over row by row.
        #[test]
        fn touched_bytes_find_room(
            loops in vec((1..6_u32, -40..40_i64), 1..4),
            bytes in prop::sample::select(vec![1_u32, 4, 8]),
        ) {
            let steps: Vec<AddressStep> = loops
                .iter()
                .map(|&(_, by)| if by == 0 { AddressStep::Same } else { AddressStep::By(by) })
                .collect();
            let counts: Vec<f64> = loops.iter().map(|&(count, _)| count.into()).collect();
            let mut places = vec![0_i64];
            for &(count, by) in &loops {
                let next = places.iter().flat_map(|&p| (0..i64::from(count)).map(move |k| p + k * by));
                places = next.collect();
            }
            let all: HashSet<i64> = places.iter().flat_map(|&p| p..p + i64::from(bytes)).collect();
            prop_assert!(room(bytes, &steps, &counts) >= all.len() as f64);

            let mut row = i64::from(bytes);
            let rows = loops.iter().map(|&(count, _)| {
                let step = AddressStep::By(row);
                row *= i64::from(count);
                step
            });
            let rows: Vec<AddressStep> = rows.collect();
            prop_assert_eq!(room(bytes, &rows, &counts), row as f64);
        }
    }
}

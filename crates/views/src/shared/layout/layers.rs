//! Order and places of the vertices of a layered drawing: few crossings, short edges (Sugiyama's method).

/// Sweeps down and up that order rows.
const ORDERING: usize = 12;
/// Sweeps that move vertices towards their neighbours.
const PLACING: usize = 24;

/// A layered graph: every edge goes from one row to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layers {
    /// Vertices of each row, from left to right.
    pub(crate) rows: Vec<Vec<usize>>,
    /// Width of each vertex, space to its neighbours included.
    pub(crate) widths: Vec<f64>,
    /// Neighbours of each vertex in the row above.
    pub(crate) above: Vec<Vec<usize>>,
    /// Neighbours of each vertex in the row below.
    pub(crate) below: Vec<Vec<usize>>,
}

impl Layers {
    /// So many rows without vertices.
    pub(crate) fn new(rows: usize) -> Self {
        Self {
            rows: vec![Vec::new(); rows],
            ..Self::default()
        }
    }

    /// Adds a vertex at the right end of a row; its number.
    pub(crate) fn add(&mut self, row: usize, width: f64) -> usize {
        let number = self.widths.len();
        self.widths.push(width);
        self.rows[row].push(number);
        self.above.push(Vec::new());
        self.below.push(Vec::new());
        number
    }

    /// Adds an edge from a vertex of one row down to one of a later row, with a vertex of its own in every row between.
    /// `width` says how wide that of a row is. All vertices of the edge, from top to bottom.
    pub(crate) fn join(
        &mut self,
        (upper, upper_row): (usize, usize),
        (lower, lower_row): (usize, usize),
        width: impl Fn(usize) -> f64,
    ) -> Vec<usize> {
        let mut path = vec![upper];
        path.extend((upper_row + 1..lower_row).map(|row| self.add(row, width(row))));
        path.push(lower);
        for pair in path.windows(2) {
            self.link(pair[0], pair[1]);
        }
        path
    }

    /// Adds an edge alone; where it passes rows, it may pass through their vertices.
    pub(crate) fn link(&mut self, upper: usize, lower: usize) {
        self.below[upper].push(lower);
        self.above[lower].push(upper);
    }

    /// Orders every row by the mean place of the neighbours in the row before; keeps the best order seen.
    pub(crate) fn order(&mut self) {
        let mut best = (self.crossings(), self.rows.clone());
        for sweep in 0..ORDERING {
            if best.0 == 0 {
                break;
            }
            let down = sweep % 2 == 0;
            let mut place = self.places();
            let count = self.rows.len();
            for step in 0..count {
                let row = if down { step } else { count - 1 - step };
                let neighbours = if down { &self.above } else { &self.below };
                let mut keyed: Vec<(f64, usize)> = self.rows[row]
                    .iter()
                    .map(|&v| (mean(&neighbours[v], &place).unwrap_or(place[v]), v))
                    .collect();
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
                let size = keyed.len() as f64;
                for (number, &(_, v)) in keyed.iter().enumerate() {
                    // Relative places, so that rows of different length compare.
                    place[v] = (number as f64 + 0.5) / size;
                }
                self.rows[row] = keyed.into_iter().map(|k| k.1).collect();
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.rows.clone());
            }
        }
        self.rows = best.1;
    }

    fn places(&self) -> Vec<f64> {
        let mut place = vec![0.0; self.widths.len()];
        for row in &self.rows {
            for (number, &v) in row.iter().enumerate() {
                place[v] = (number as f64 + 0.5) / row.len() as f64;
            }
        }
        place
    }

    /// Pairs of edges that cross.
    fn crossings(&self) -> usize {
        let mut number = vec![0; self.widths.len()];
        for row in &self.rows {
            for (place, &v) in row.iter().enumerate() {
                number[v] = place;
            }
        }
        let mut crossings = 0;
        for pair in self.rows.windows(2) {
            let mut ends: Vec<usize> = Vec::new();
            for &v in &pair[0] {
                let mut below: Vec<usize> = self.below[v].iter().map(|&w| number[w]).collect();
                below.sort_unstable();
                ends.extend(below);
            }
            crossings += inversions(&mut ends);
        }
        crossings
    }

    /// Middle of each vertex, so that the leftmost one with the space around it begins at 0.
    pub(crate) fn place(&self) -> Vec<f64> {
        let mut x = vec![0.0; self.widths.len()];
        for row in &self.rows {
            self.spread(row, &vec![0.0; row.len()], &mut x);
        }
        let count = self.rows.len();
        for sweep in 0..PLACING {
            for step in 0..count {
                let row = &self.rows[if sweep % 2 == 0 {
                    step
                } else {
                    count - 1 - step
                }];
                let wanted: Vec<f64> = row
                    .iter()
                    .map(|&v| {
                        let (above, below) = (mean(&self.above[v], &x), mean(&self.below[v], &x));
                        match (above, below) {
                            (Some(a), Some(b)) => f64::midpoint(a, b),
                            (Some(one), None) | (None, Some(one)) => one,
                            (None, None) => x[v],
                        }
                    })
                    .collect();
                self.spread(row, &wanted, &mut x);
            }
        }
        let left = (0..x.len())
            .map(|v| x[v] - self.widths[v] / 2.0)
            .fold(f64::INFINITY, f64::min);
        for place in &mut x {
            *place -= left;
        }
        x
    }

    /// Puts the middles of a row as close to the wanted ones as the widths allow: least squares with the order kept
    /// (pool adjacent violators).
    fn spread(&self, row: &[usize], wanted: &[f64], x: &mut [f64]) {
        // With the room between neighbours taken off, middles must only not decrease.
        let mut offset = 0.0;
        let mut offsets = Vec::with_capacity(row.len());
        for (at, &v) in row.iter().enumerate() {
            if at > 0 {
                offset += f64::midpoint(self.widths[row[at - 1]], self.widths[v]);
            }
            offsets.push(offset);
        }
        let mut pools: Vec<(f64, usize)> = Vec::new();
        for (want, offset) in wanted.iter().zip(&offsets) {
            let mut pool = (want - offset, 1);
            while let Some(&(sum, count)) = pools.last() {
                if sum / count as f64 <= pool.0 / pool.1 as f64 {
                    break;
                }
                pool = (pool.0 + sum, pool.1 + count);
                pools.pop();
            }
            pools.push(pool);
        }
        let middles = pools
            .into_iter()
            .flat_map(|(sum, count)| std::iter::repeat_n(sum / count as f64, count));
        for ((&v, offset), middle) in row.iter().zip(offsets).zip(middles) {
            x[v] = middle + offset;
        }
    }
}

fn mean(neighbours: &[usize], place: &[f64]) -> Option<f64> {
    let sum: f64 = neighbours.iter().map(|&n| place[n]).sum();
    (!neighbours.is_empty()).then(|| sum / neighbours.len() as f64)
}

/// Pairs that are in the wrong order; sorts.
fn inversions(values: &mut [usize]) -> usize {
    if values.len() < 2 {
        return 0;
    }
    let middle = values.len() / 2;
    let mut count = inversions(&mut values[..middle]) + inversions(&mut values[middle..]);
    let (left, right) = (values[..middle].to_vec(), values[middle..].to_vec());
    let (mut l, mut r) = (0, 0);
    for value in values {
        if r == right.len() || (l < left.len() && left[l] <= right[r]) {
            *value = left[l];
            l += 1;
        } else {
            *value = right[r];
            r += 1;
            count += left.len() - l;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Rows of vertices, numbered from left to right and from top to bottom, with edges between neighbouring rows.
    fn layers(edges: &[(usize, usize)], rows: &[&[usize]]) -> Layers {
        let mut layers = Layers::new(rows.len());
        let mut row_of = Vec::new();
        for (row, members) in rows.iter().enumerate() {
            for &member in *members {
                assert_eq!(layers.add(row, 10.0), member);
                row_of.push(row);
            }
        }
        for &(from, to) in edges {
            layers.join((from, row_of[from]), (to, row_of[to]), |_| 10.0);
        }
        layers
    }

    #[test]
    fn crossings_are_removed() {
        let mut crossed = layers(&[(0, 3), (1, 2)], &[&[0, 1], &[2, 3]]);
        assert_eq!(crossed.crossings(), 1);
        crossed.order();
        assert_eq!(crossed.crossings(), 0);
    }

    #[test]
    fn a_chain_is_straight() {
        let x = layers(&[(0, 1), (1, 2)], &[&[0], &[1], &[2]]).place();
        assert_eq!(x, [5.0, 5.0, 5.0]);
    }

    #[test]
    fn an_edge_has_a_vertex_in_every_row_between() {
        let mut layers = Layers::new(4);
        let (top, bottom) = (layers.add(0, 10.0), layers.add(3, 10.0));
        let path = layers.join((top, 0), (bottom, 3), |row| row as f64);
        assert_eq!(path, [0, 2, 3, 1]);
        assert_eq!(layers.rows, [vec![0], vec![2], vec![3], vec![1]]);
        assert_eq!(layers.widths, [10.0, 10.0, 1.0, 2.0]);
    }

    #[test]
    fn vertices_that_want_the_same_place_share_the_way() {
        // All three want to stand below the one of the first row: the middle one does.
        let x = layers(&[(0, 1), (0, 2), (0, 3)], &[&[0], &[1, 2, 3]]).place();
        assert_eq!(x, [15.0, 5.0, 15.0, 25.0]);
    }

    proptest! {
        #[test]
        fn vertices_never_overlap(edges in prop::collection::vec((0usize..8, 8usize..16), 0..40)) {
            let rows: [Vec<usize>; 2] = [(0..8).collect(), (8..16).collect()];
            let mut layers = layers(&edges, &[&rows[0], &rows[1]]);
            let before = layers.crossings();
            layers.order();
            prop_assert!(layers.crossings() <= before);
            let x = layers.place();
            for row in &layers.rows {
                for pair in row.windows(2) {
                    prop_assert!(x[pair[1]] - x[pair[0]] >= 10.0 - 1e-6);
                }
            }
        }

        #[test]
        fn rows_are_as_close_to_what_they_want_as_any(
            row in prop::collection::vec((1.0..50.0f64, -100.0..100.0f64, -60.0..60.0f64), 1..12),
        ) {
            let mut layers = Layers::new(1);
            for &(width, ..) in &row {
                layers.add(0, width);
            }
            let wanted: Vec<f64> = row.iter().map(|v| v.1).collect();
            let mut x = vec![0.0; row.len()];
            layers.spread(&layers.rows[0], &wanted, &mut x);
            let cost = |x: &[f64]| -> f64 { x.iter().zip(&wanted).map(|(a, b)| (a - b).powi(2)).sum() };
            // Others that keep order and room: somewhere, pushed to the right until nothing overlaps.
            let mut other: Vec<f64> = row.iter().map(|v| v.1 + v.2).collect();
            for n in 1..row.len() {
                let room = f64::midpoint(row[n - 1].0, row[n].0);
                prop_assert!(x[n] - x[n - 1] >= room - 1e-6);
                other[n] = other[n].max(other[n - 1] + room);
            }
            prop_assert!(cost(&x) <= cost(&other) + 1e-6);
            // And those on the way there.
            let near: Vec<f64> = x.iter().zip(&other).map(|(a, b)| a + (b - a) * 0.01).collect();
            prop_assert!(cost(&x) <= cost(&near) + 1e-6);
        }

        #[test]
        fn inversions_are_counted(mut values in prop::collection::vec(0usize..9, 0..30)) {
            let slow = (0..values.len()).flat_map(|a| (a..values.len()).map(move |b| (a, b)));
            let slow = slow.filter(|&(a, b)| values[a] > values[b]).count();
            prop_assert_eq!(inversions(&mut values), slow);
            prop_assert!(values.is_sorted());
        }
    }
}

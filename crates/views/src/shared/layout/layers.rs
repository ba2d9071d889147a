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

    /// Middle of each vertex, from 0 at the left.
    pub(crate) fn place(&self) -> Vec<f64> {
        let mut x = vec![0.0; self.widths.len()];
        for row in &self.rows {
            let mut at = -row.iter().map(|&v| self.widths[v]).sum::<f64>() / 2.0;
            for &v in row {
                x[v] = at + self.widths[v] / 2.0;
                at += self.widths[v];
            }
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
                self.apart(row, &wanted, &mut x);
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

    /// Puts a row's vertices where they want to be, pushed apart evenly to both sides.
    fn apart(&self, row: &[usize], wanted: &[f64], x: &mut [f64]) {
        let gap = |a: usize, b: usize| f64::midpoint(self.widths[a], self.widths[b]);
        let mut right = wanted.to_vec();
        for n in 1..row.len() {
            right[n] = right[n].max(right[n - 1] + gap(row[n - 1], row[n]));
        }
        let mut left = wanted.to_vec();
        for n in (1..row.len()).rev() {
            left[n - 1] = left[n - 1].min(left[n] - gap(row[n - 1], row[n]));
        }
        for (n, &v) in row.iter().enumerate() {
            x[v] = f64::midpoint(left[n], right[n]);
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

    fn layers(edges: &[(usize, usize)], rows: &[&[usize]]) -> Layers {
        let count = rows.iter().map(|r| r.len()).sum();
        let mut layers = Layers {
            rows: rows.iter().map(|r| r.to_vec()).collect(),
            widths: vec![10.0; count],
            above: vec![vec![]; count],
            below: vec![vec![]; count],
        };
        for &(from, to) in edges {
            layers.below[from].push(to);
            layers.above[to].push(from);
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
        fn inversions_are_counted(mut values in prop::collection::vec(0usize..9, 0..30)) {
            let slow = (0..values.len()).flat_map(|a| (a..values.len()).map(move |b| (a, b)));
            let slow = slow.filter(|&(a, b)| values[a] > values[b]).count();
            prop_assert_eq!(inversions(&mut values), slow);
            prop_assert!(values.is_sorted());
        }
    }
}

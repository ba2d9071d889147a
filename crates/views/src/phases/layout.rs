//! Places the boxes and edges of a control-flow graph in layers from top to bottom ([`Layers`]).
//!
//! Items are numbered in the order in which they were first entered. Edges to later items point down, edges back up.
//! Every edge runs through one slot of its own per gap between ranks, and its label stands in the first of them, so
//! that labels cover nothing.

use std::collections::BTreeMap;

use crate::shared::layout::Layers;

/// Space between items of a rank.
const BESIDE: f64 = 18.0;
/// Height of a gap between ranks, in which labels stand.
const GAP: f64 = 44.0;
/// Width of a slot without a label.
const SLOT: f64 = 10.0;

/// An edge to be placed, between items by number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LayoutEdge {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Width that its label needs.
    pub(crate) label: f64,
}

/// Where everything is. The origin is the upper left corner.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FlowLayout {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Upper left corners of the items.
    pub(crate) items: Vec<(f64, f64)>,
    /// Paths of the links, in their order.
    pub(crate) routes: Vec<Route>,
}

/// The path of a link.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Route {
    /// From the source to the target; between two points the curve leaves and arrives vertically.
    pub(crate) points: Vec<(f64, f64)>,
    /// Middle of the label.
    pub(crate) label: (f64, f64),
    /// It leads to the item from which it comes: three points, around its right side.
    pub(crate) own: bool,
}

/// Places items of these sizes.
pub(crate) fn place(sizes: &[(f64, f64)], links: &[LayoutEdge]) -> FlowLayout {
    if sizes.is_empty() {
        return FlowLayout::default();
    }
    let ranks = ranks(sizes.len(), links);
    Grid::new(sizes, links, &ranks).placed(sizes, links)
}

/// Longest paths over edges from earlier to later items; edges back count the other way round.
fn ranks(items: usize, links: &[LayoutEdge]) -> Vec<usize> {
    let mut down: Vec<(usize, usize)> = links
        .iter()
        .filter(|l| l.from != l.to)
        .map(|l| (l.from.min(l.to), l.from.max(l.to)))
        .collect();
    down.sort_unstable();
    let mut ranks = vec![0; items];
    for (upper, lower) in down {
        ranks[lower] = ranks[lower].max(ranks[upper] + 1);
    }
    ranks
}

/// Items and slots in their rows, which take turns: rank r of items is row 2r.
struct Grid {
    layers: Layers,
    /// Middle of each vertex: items first, then slots.
    middles: Vec<f64>,
    row_of: Vec<usize>,
    /// Vertices of each link from its upper to its lower end; none of links to the item itself.
    chains: Vec<Vec<usize>>,
}

impl Grid {
    fn new(sizes: &[(f64, f64)], links: &[LayoutEdge], ranks: &[usize]) -> Self {
        let last = ranks.iter().max().copied().unwrap_or(0);
        let mut layers = Layers::new(2 * last + 1);
        // An item that comes back to itself needs room for that at its right; the same at its left keeps it in the
        // middle.
        let mut own: BTreeMap<usize, f64> = BTreeMap::new();
        for link in links.iter().filter(|l| l.from == l.to) {
            let room = own.entry(link.from).or_default();
            *room = f64::max(*room, link.label + 26.0);
        }
        for (item, &(width, _)) in sizes.iter().enumerate() {
            let room = own.get(&item).copied().unwrap_or(0.0);
            layers.add(2 * ranks[item], width + 2.0 * room + BESIDE);
        }
        let chain = |link: &LayoutEdge| {
            if link.from == link.to {
                return Vec::new();
            }
            let (upper, lower) = (link.from.min(link.to), link.from.max(link.to));
            let (top, bottom) = (2 * ranks[upper], 2 * ranks[lower]);
            // The label is next to where the link starts.
            let first = if link.from == upper {
                top + 1
            } else {
                bottom - 1
            };
            layers.join((upper, top), (lower, bottom), |row| {
                let label = if row == first { link.label } else { 0.0 };
                label.max(SLOT) + BESIDE
            })
        };
        let chains = links.iter().map(chain).collect();
        layers.order();
        let mut row_of = vec![0; layers.widths.len()];
        for (row, members) in layers.rows.iter().enumerate() {
            for &vertex in members {
                row_of[vertex] = row;
            }
        }
        Self {
            middles: layers.place(),
            layers,
            row_of,
            chains,
        }
    }

    fn placed(&self, sizes: &[(f64, f64)], links: &[LayoutEdge]) -> FlowLayout {
        let ends = self.middles.iter().zip(&self.layers.widths);
        let most = ends.map(|(x, width)| x + width / 2.0).fold(0.0, f64::max);
        // Half of the space between neighbours lies left of the leftmost one.
        let least = BESIDE / 2.0;
        // Tops and heights of rows.
        let mut tops = Vec::with_capacity(self.layers.rows.len());
        let mut y = 0.0;
        for (number, row) in self.layers.rows.iter().enumerate() {
            let height = if number % 2 == 1 {
                GAP
            } else {
                let items = row.iter().filter_map(|&vertex| sizes.get(vertex));
                items.map(|size| size.1).fold(0.0, f64::max)
            };
            tops.push((y, height));
            y += height;
        }
        let items: Vec<(f64, f64)> = sizes
            .iter()
            .enumerate()
            .map(|(item, &(width, height))| {
                let (top, room) = tops[self.row_of[item]];
                (
                    self.middles[item] - width / 2.0 - least,
                    top + (room - height) / 2.0,
                )
            })
            .collect();
        let ports = self.ports(sizes);
        let routes = links
            .iter()
            .enumerate()
            .map(|(number, link)| self.route(number, link, sizes, &items, &tops, least, &ports));
        FlowLayout {
            width: most - 2.0 * least,
            height: y,
            routes: routes.collect(),
            items,
        }
    }

    /// Where links meet an item, as offsets from its middle: by cell of the item and the neighbour.
    fn ports(&self, sizes: &[(f64, f64)]) -> BTreeMap<(usize, usize), f64> {
        let mut ports = BTreeMap::new();
        for (item, &(width, _)) in sizes.iter().enumerate() {
            for side in [&self.layers.above[item], &self.layers.below[item]] {
                let mut ends = side.clone();
                ends.sort_by(|&a, &b| self.middles[a].total_cmp(&self.middles[b]));
                let step = (width * 0.8 / (ends.len() + 1) as f64).min(40.0);
                let first = -step * (ends.len() as f64 - 1.0) / 2.0;
                for (at, end) in ends.into_iter().enumerate() {
                    ports.insert((item, end), first + step * at as f64);
                }
            }
        }
        ports
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "parts of one computation that share their intermediate results"
    )]
    fn route(
        &self,
        number: usize,
        link: &LayoutEdge,
        sizes: &[(f64, f64)],
        items: &[(f64, f64)],
        tops: &[(f64, f64)],
        least: f64,
        ports: &BTreeMap<(usize, usize), f64>,
    ) -> Route {
        let chain = &self.chains[number];
        let [upper, middle @ .., lower] = chain.as_slice() else {
            // Back to itself: out at the right and in again.
            let ((x, y), (width, height)) = (items[link.from], sizes[link.from]);
            let right = x + width;
            return Route {
                points: vec![
                    (right, y + height * 0.3),
                    (right + 16.0, y + height / 2.0),
                    (right, y + height * 0.7),
                ],
                label: (right + 20.0 + link.label / 2.0, y + height / 2.0),
                own: true,
            };
        };
        let center = |item: usize| items[item].0 + sizes[item].0 / 2.0;
        let port = |item: usize, next: usize| {
            center(item) + ports.get(&(item, next)).copied().unwrap_or(0.0)
        };
        let mut points = vec![(port(*upper, middle[0]), items[*upper].1 + sizes[*upper].1)];
        for &cell in middle {
            let (top, height) = tops[self.row_of[cell]];
            let x = self.middles[cell] - least;
            // Slots beside items are straight; slots in gaps are points.
            if self.row_of[cell].is_multiple_of(2) {
                points.push((x, top));
                points.push((x, top + height));
            } else {
                points.push((x, top + height / 2.0));
            }
        }
        points.push((port(*lower, middle[middle.len() - 1]), items[*lower].1));
        if link.from > link.to {
            points.reverse();
        }
        Route {
            label: points[1],
            points,
            own: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(from: usize, to: usize) -> LayoutEdge {
        LayoutEdge {
            from,
            to,
            label: 40.0,
        }
    }

    fn overlap(placed: &FlowLayout, sizes: &[(f64, f64)]) -> bool {
        let area = |i: usize| {
            let ((x, y), (w, h)) = (placed.items[i], sizes[i]);
            (x, y, x + w, y + h)
        };
        (0..sizes.len()).any(|a| {
            (0..a).any(|b| {
                let (a, b) = (area(a), area(b));
                a.0 < b.2 && b.0 < a.2 && a.1 < b.3 && b.1 < a.3
            })
        })
    }

    #[test]
    fn a_chain_is_a_column() {
        let sizes = [(100.0, 30.0); 4];
        let placed = place(&sizes, &[link(0, 1), link(1, 2), link(2, 3)]);
        assert!(
            placed
                .items
                .windows(2)
                .all(|w| (w[0].0 - w[1].0).abs() < 0.01 && w[1].1 >= w[0].1 + 30.0 + GAP)
        );
        let down = |r: &Route| !r.own && r.points.is_sorted_by(|a, b| a.1 <= b.1);
        assert!(placed.routes.iter().all(|r| down(r) && r.points.len() == 3));
    }

    #[test]
    fn items_and_labels_cover_nothing() {
        let sizes = [
            (100.0, 30.0),
            (180.0, 60.0),
            (90.0, 30.0),
            (90.0, 30.0),
            (100.0, 30.0),
        ];
        let links = [
            link(0, 1),
            link(1, 2),
            link(1, 3),
            link(2, 1),
            link(3, 1),
            link(3, 3),
            link(3, 4),
            link(0, 4),
        ];
        let placed = place(&sizes, &links);
        assert!(!overlap(&placed, &sizes));
        let up = |r: &&Route| !r.own && r.points[0].1 > r.points[r.points.len() - 1].1;
        assert_eq!(placed.routes.iter().filter(up).count(), 2);
        assert_eq!(placed.routes.iter().filter(|r| r.own).count(), 1);
        let labels: Vec<(f64, f64)> = placed.routes.iter().map(|r| r.label).collect();
        for (number, a) in labels.iter().enumerate() {
            for b in &labels[..number] {
                assert!((a.1 - b.1).abs() > 10.0 || (a.0 - b.0).abs() >= 40.0);
            }
            assert!(a.0 >= 0.0 && a.0 <= placed.width && a.1 <= placed.height);
        }
    }

    #[test]
    fn nothing_and_one() {
        assert_eq!(place(&[], &[]), FlowLayout::default());
        let one = place(&[(10.0, 10.0)], &[link(0, 0)]);
        assert_eq!(one.items.len(), 1);
    }

    proptest::proptest! {
        #[test]
        fn nothing_overlaps(
            sizes in proptest::collection::vec((20.0..200.0f64, 15.0..90.0f64), 1..12),
            ends in proptest::collection::btree_set((0usize..12, 0usize..12), 0..24),
        ) {
            let fits = |&&(from, to): &&(usize, usize)| from < sizes.len() && to < sizes.len();
            let links: Vec<LayoutEdge> = ends.iter().filter(fits).map(|&(from, to)| link(from, to)).collect();
            let placed = place(&sizes, &links);
            proptest::prop_assert!(!overlap(&placed, &sizes));
            for (&(x, y), &(width, height)) in placed.items.iter().zip(&sizes) {
                proptest::prop_assert!(x >= -0.01 && x + width <= placed.width + 0.01);
                proptest::prop_assert!(y >= -0.01 && y + height <= placed.height + 0.01);
            }
            let labels: Vec<(f64, f64)> = placed.routes.iter().map(|r| r.label).collect();
            for (number, a) in labels.iter().enumerate() {
                proptest::prop_assert!(a.0 >= 0.0 && a.0 <= placed.width);
                for b in &labels[..number] {
                    // Labels of links to an item itself stand beside it, the others in gaps.
                    let apart = (a.1 - b.1).abs() > 7.0 || (a.0 - b.0).abs() > 39.9;
                    proptest::prop_assert!(apart, "{a:?} {b:?}");
                }
            }
        }
    }
}

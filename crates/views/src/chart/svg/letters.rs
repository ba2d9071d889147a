//! Letters in the p-chart: each where it covers no other.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use parascan_analysis::chart::ChartBox;

use super::plot::{HIGH, LOW, Plot};
use super::{LEFT, RIGHT, SIZE};
use crate::chart::times;
use crate::shared::svg::{Area, FontFace, Labels, text_width};

/// What stands where the same region runs once more, as in the paper.
const AGAIN: &str = "•";
/// Between letters of boxes that lie on each other, the outer before the inner.
const INSIDE: &str = "›";
/// Boxes whose edges are nearer than this, in pixels, are seen as one.
const NEAR: f64 = 2.0;
/// Height of a letter above and below its line, with the font's room for accents.
const ABOVE: f64 = 0.93 * SIZE;
const BELOW: f64 = 0.24 * SIZE;

/// The letters that found a place.
#[derive(Debug, Default)]
pub(super) struct PlacedLetters {
    placed: Vec<(f64, f64, String)>,
    /// Regions whose letter is among them.
    pub(super) regions: BTreeSet<u32>,
}

/// Places the letters, those of wide boxes first.
pub(super) fn place(plot: &Plot) -> PlacedLetters {
    let boxes = &plot.chart.boxes;
    let stacks = stacks(plot);
    let mut order: Vec<&Vec<usize>> = stacks.iter().collect();
    order.sort_by_key(|stack| std::cmp::Reverse(boxes[stack[0]].work));
    let mut ends: HashMap<(Option<usize>, u64), usize> = HashMap::new();
    for (index, one) in boxes.iter().enumerate() {
        ends.insert((one.parent, one.start.saturating_add(one.work)), index);
    }
    let mut out = PlacedLetters::default();
    let mut labels = Labels::new(Area {
        left: LEFT,
        top: HIGH - SIZE - 6.0,
        right: RIGHT,
        bottom: LOW,
    });
    let mut lettered = vec![false; boxes.len()];
    for stack in order {
        let names: Vec<&str> = stack
            .iter()
            .map(|&index| plot.chart.letter(boxes[index].region))
            .collect();
        if let [one] = stack[..] {
            // A dot only where the reader finds the letter it stands for to the left of it.
            let before = ends.get(&(boxes[one].parent, boxes[one].start));
            let again = before.is_some_and(|&before| {
                boxes[before].region == boxes[one].region
                    && boxes[one].instances == 1
                    && lettered[before]
            });
            lettered[one] = if again {
                out.put(plot, &mut labels, &boxes[one], AGAIN)
            } else {
                out.put_named(plot, &mut labels, one)
            };
            continue;
        }
        let mut joined: Vec<&str> = names.clone();
        joined.dedup();
        if out.put(plot, &mut labels, &boxes[stack[0]], &joined.join(INSIDE)) {
            for &index in stack {
                lettered[index] = true;
                out.regions.insert(boxes[index].region);
            }
        } else {
            for &index in stack {
                lettered[index] = out.put_named(plot, &mut labels, index);
            }
        }
    }
    out
}

/// Boxes by the place where they are seen: chains of single ones inside each other whose edges are too near to be told
/// apart.
fn stacks(plot: &Plot) -> Vec<Vec<usize>> {
    let boxes = &plot.chart.boxes;
    let mut of: Vec<usize> = Vec::with_capacity(boxes.len());
    let mut out: Vec<Vec<usize>> = Vec::new();
    let near = |a: &ChartBox, b: &ChartBox| {
        let ((left, right), (l, r)) = (plot.span(a), plot.span(b));
        a.instances == 1
            && b.instances == 1
            && (left - l).abs() < NEAR
            && (right - r).abs() < NEAR
            && (plot.edge(a) - plot.edge(b)).abs() < NEAR
    };
    for (index, one) in boxes.iter().enumerate() {
        let stack = one
            .parent
            .map(|parent| of[parent])
            .filter(|&stack| near(&boxes[out[stack][0]], one));
        if let Some(stack) = stack {
            out[stack].push(index);
            of.push(stack);
        } else {
            of.push(out.len());
            out.push(vec![index]);
        }
    }
    out
}

impl PlacedLetters {
    /// Puts the letter of a box, with the number of its instances where there is room for that.
    fn put_named(&mut self, plot: &Plot, labels: &mut Labels, index: usize) -> bool {
        let one = &plot.chart.boxes[index];
        let letter = plot.chart.letter(one.region);
        let full = format!("{letter}{}", times(one));
        let placed = self.put(plot, labels, one, &full)
            || (full != letter && self.put(plot, labels, one, letter));
        if placed {
            self.regions.insert(one.region);
        }
        placed
    }

    /// Puts a text above the top of a box, or below it, near its middle.
    fn put(&mut self, plot: &Plot, labels: &mut Labels, one: &ChartBox, text: &str) -> bool {
        let (x, end) = plot.span(one);
        // The halo around letters belongs to them.
        let half = text_width(text, SIZE, FontFace::Bold) / 2.0 + 1.5;
        let short = text.chars().count() <= 2;
        if 2.0 * half > end - x && !(short && end - x >= 3.0) {
            return false;
        }
        let room = ((end - x) / 2.0 - half).max(0.0);
        let center = f64::midpoint(x, end).clamp(LEFT + half, RIGHT - half);
        // The middle first, then further and further out.
        let tries = ((room / half) as i32).clamp(0, 30);
        let places = (0..=tries).flat_map(|n| [-n, n]);
        for above in [true, false] {
            let y = plot.edge(one) + if above { -4.0 } else { SIZE + 2.0 };
            for place in places.clone() {
                let x = center + room * f64::from(place) / f64::from(tries.max(1));
                let area = Area {
                    left: x - half,
                    top: y - ABOVE,
                    right: x + half,
                    bottom: y + BELOW,
                };
                if labels.take(area) {
                    self.placed.push((x, y, text.to_owned()));
                    return true;
                }
            }
        }
        false
    }

    pub(super) fn draw(&self, out: &mut String) {
        for (x, y, text) in &self.placed {
            let _ = writeln!(
                out,
                "<text class=\"l i\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>"
            );
        }
    }
}

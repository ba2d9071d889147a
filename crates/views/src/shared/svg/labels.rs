//! Places for labels: none covers another, and none leaves its area.

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Area {
    /// Whether both have a point in common that is on neither's edge.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn holds(&self, other: &Self) -> bool {
        self.left <= other.left
            && other.right <= self.right
            && self.top <= other.top
            && other.bottom <= self.bottom
    }
}

/// The labels placed so far.
#[derive(Debug)]
pub(crate) struct Labels {
    within: Area,
    /// By their row of pixels, so that few are looked at.
    taken: Vec<Vec<Area>>,
}

/// Height of the rows by which labels are found.
const BAND: f64 = 24.0;

impl Labels {
    pub(crate) fn new(within: Area) -> Self {
        let bands = ((within.bottom - within.top) / BAND).max(0.0) as usize + 2;
        Self {
            within,
            taken: vec![Vec::new(); bands],
        }
    }

    /// Takes a place if it is free and inside.
    pub(crate) fn take(&mut self, area: Area) -> bool {
        if !self.within.holds(&area) {
            return false;
        }
        let band = |y: f64| ((y - self.within.top) / BAND).max(0.0) as usize;
        let bands = band(area.top)..=band(area.bottom).min(self.taken.len() - 1);
        if self.taken[bands.clone()]
            .iter()
            .flatten()
            .any(|other| other.meets(&area))
        {
            return false;
        }
        for band in bands {
            self.taken[band].push(area);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_place_is_given_twice() {
        let area = |left: f64, top: f64| Area {
            left,
            top,
            right: left + 10.0,
            bottom: top + 14.0,
        };
        let within = Area {
            right: 100.0,
            bottom: 100.0,
            ..area(0.0, 0.0)
        };
        let mut labels = Labels::new(within);
        assert!(labels.take(area(0.0, 0.0)));
        assert!(!labels.take(area(9.0, 13.0)), "covers a corner");
        assert!(labels.take(area(10.0, 0.0)), "beside it");
        assert!(labels.take(area(0.0, 14.0)), "below it");
        assert!(!labels.take(area(91.0, 0.0)), "hangs out");
        assert!(labels.take(area(90.0, 86.0)), "in the corner");
    }
}

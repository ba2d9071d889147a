//! The colours of depth and of parallelism: seven steps each from light to dark, which all eyes tell apart.
//!
//! They follow ColorBrewer's sequences YlGnBu and YlOrRd, made for colour-blind readers, with both ends drawn out:
//! lightness alone tells neighbours apart. On dark ground they run the other way, so that the first step is always
//! nearest to the ground.

use super::Color;
use crate::shared::style::grouped;

/// How many steps a scale has.
pub(crate) const STEPS: usize = 7;

/// Colours in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColorScale([&'static str; STEPS]);

/// Depth: boxes in more than seven others begin anew.
pub(crate) const DEPTH: ColorScale = ColorScale([
    "#edf8b1", "#c7e9b4", "#7fcdbb", "#41b6c4", "#1d91c0", "#225ea8", "#081d58",
]);
/// Parallelism, see [`step_of`].
pub(crate) const PARALLELISM: ColorScale = ColorScale([
    "#fff3bf", "#fed976", "#feb24c", "#fd8d3c", "#f03b20", "#bd0026", "#67000d",
]);

impl ColorScale {
    /// The colour of a step; after the last they begin anew.
    pub(crate) fn color(&self, step: usize) -> Color {
        let step = step % STEPS;
        Color {
            light: self.0[step],
            dark: self.0[STEPS - 1 - step],
        }
    }

    /// The colour of text on it: black or white, whichever is read better.
    pub(crate) fn ink(&self, step: usize) -> Color {
        let on = |color: &str| {
            if luminance(channels(color)) > 0.18 {
                "#000000"
            } else {
                "#ffffff"
            }
        };
        let Color { light, dark } = self.color(step);
        Color {
            light: on(light),
            dark: on(dark),
        }
    }
}

/// Parallelism from which each step but the first begins.
pub(crate) const FROM: [f64; STEPS - 1] = [1.1, 4.0, 16.0, 64.0, 256.0, 1024.0];

/// The step of a parallelism: serial, then by factors of four.
pub(crate) fn step_of(parallelism: f64) -> usize {
    FROM.iter().take_while(|from| parallelism >= **from).count()
}

/// What a step means, as `4 to 16`.
pub(crate) fn meaning(step: usize) -> String {
    let number = |bound: f64| match bound.fract() {
        0.0 => grouped(bound as u64),
        _ => bound.to_string(),
    };
    match (step.checked_sub(1).map(|n| FROM[n]), FROM.get(step)) {
        (None, _) => "below 1.1".to_owned(),
        (Some(from), Some(to)) => format!("{} to {}", number(from), number(*to)),
        (Some(from), None) => format!("{} and more", number(from)),
    }
}

/// Red, green and blue of `#rrggbb`, linear, 0 to 1.
fn channels(color: &str) -> [f64; 3] {
    [1, 3, 5].map(|at| {
        let value = color.get(at..at + 2);
        let value = value.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let value = f64::from(value.unwrap_or(0)) / 255.0;
        if value <= 0.04045 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    })
}

/// Relative luminance (WCAG 2).
fn luminance([red, green, blue]: [f64; 3]) -> f64 {
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of the matrices of Machado, Oliveira and Fernandes (2009) for eyes without one kind of cones.
    const EYES: [(&str, [[f64; 3]; 3]); 4] = [
        (
            "all cones",
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        ),
        (
            "protanopia",
            [
                [0.152286, 1.052583, -0.204868],
                [0.114503, 0.786281, 0.099216],
                [-0.003882, -0.048116, 1.051998],
            ],
        ),
        (
            "deuteranopia",
            [
                [0.367322, 0.860646, -0.227968],
                [0.280085, 0.672501, 0.047413],
                [-0.011820, 0.042940, 0.968881],
            ],
        ),
        (
            "tritanopia",
            [
                [1.255528, -0.076749, -0.178779],
                [-0.078411, 0.930809, 0.147602],
                [0.004733, 0.691367, 0.303900],
            ],
        ),
    ];

    fn contrast(a: f64, b: f64) -> f64 {
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// What an eye sees of a colour.
    fn seen(eye: &[[f64; 3]; 3], color: &str) -> f64 {
        let color = channels(color);
        let row = |row: &[f64; 3]| {
            let sum: f64 = row.iter().zip(color).map(|(a, b)| a * b).sum();
            sum.clamp(0.0, 1.0)
        };
        luminance([row(&eye[0]), row(&eye[1]), row(&eye[2])])
    }

    #[test]
    fn neighbours_differ_in_lightness_to_all_eyes() {
        for (name, eye) in &EYES {
            for (scale, step) in [DEPTH, PARALLELISM]
                .iter()
                .flat_map(|scale| (0..STEPS).map(move |step| (scale, step)))
            {
                let (one, next) = (scale.color(step), scale.color(step + 1));
                for (a, b) in [(one.light, next.light), (one.dark, next.dark)] {
                    let contrast = contrast(seen(eye, a), seen(eye, b));
                    assert!(contrast >= 1.15, "{name}: {a} and {b}, {contrast:.2}");
                }
            }
        }
    }

    #[test]
    fn text_on_every_step_can_be_read() {
        for (scale, step) in [DEPTH, PARALLELISM]
            .iter()
            .flat_map(|scale| (0..STEPS).map(move |step| (scale, step)))
        {
            let (ground, text) = (scale.color(step), scale.ink(step));
            for (ground, text) in [(ground.light, text.light), (ground.dark, text.dark)] {
                let contrast = contrast(luminance(channels(ground)), luminance(channels(text)));
                assert!(contrast >= 4.5, "{text} on {ground}: {contrast:.2}");
            }
        }
    }

    #[test]
    fn steps_of_parallelism() {
        let steps = [0.0, 1.0, 1.1, 3.9, 4.0, 100.0, 1e9].map(step_of);
        assert_eq!(steps, [0, 0, 1, 1, 2, 4, 6]);
        assert_eq!(meaning(2), "4 to 16");
        assert_eq!(meaning(1), "1.1 to 4");
        assert_eq!(meaning(5), "256 to 1,024");
        assert_eq!(meaning(6), "1,024 and more");
    }
}

//! A drawing as PNG: the SVG, drawn at twice its size with a font of our own, so that no system font is needed.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

/// Pixels per unit of the SVG.
const SCALE: f32 = 2.0;

/// An SVG document of ours as a PNG image, light.
///
/// # Errors
/// When the picture cannot be made, in words.
pub fn png(svg: &str) -> Result<Vec<u8>, String> {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    let options = Options {
        fontdb: Arc::new(fonts),
        ..Options::default()
    };
    let tree = Tree::from_str(svg, &options).map_err(|e| e.to_string())?;
    let size = tree.size();
    let (width, height) = (
        (size.width() * SCALE) as u32,
        (size.height() * SCALE) as u32,
    );
    let mut pixels = Pixmap::new(width, height).ok_or("the picture has no size")?;
    resvg::render(
        &tree,
        Transform::from_scale(SCALE, SCALE),
        &mut pixels.as_mut(),
    );
    pixels.encode_png().map_err(|e| e.to_string())
}

//! Layered drawings of graphs (Sugiyama's method).

mod layers;

pub(crate) use layers::Layers;

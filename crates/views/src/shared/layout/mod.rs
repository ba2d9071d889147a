//! Layered drawings of graphs (Sugiyama's method): the order of vertices in their rows, and their places.

pub(crate) mod layers;

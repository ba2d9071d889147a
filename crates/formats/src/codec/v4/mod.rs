//! Format version 4: the sections of version 3, where the source facts have more kinds of what the text leaves open.

pub(super) use super::v3::{read, write};

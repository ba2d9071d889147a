//! Tests of the runtime against naive models.

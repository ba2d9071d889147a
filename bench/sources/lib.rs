//! Empty: this package exists for its dependencies.

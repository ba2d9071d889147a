//! Latency tables: how many units an operation takes. Work is the sum of latencies, times are paths through them.

use serde::{Deserialize, Serialize};

/// Latency of each operation class in units. Every field is an integer from 0 to 1000.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatencyTable {
    /// Name shown to the user.
    pub name: String,
    /// Where the figures come from.
    pub source: String,
    /// Integer add, subtract, negate, absolute value, min, max.
    pub int_add: u32,
    /// Integer and, or, xor, shifts, rotates, byte swap, bit counts.
    pub int_logic: u32,
    /// Integer compare.
    pub int_compare: u32,
    /// Integer multiply.
    pub int_mul: u32,
    /// Integer divide and remainder.
    pub int_div: u32,
    /// Floating-point add, subtract, negate, absolute value, min, max, rounding.
    pub fp_add: u32,
    /// Floating-point compare.
    pub fp_compare: u32,
    /// Floating-point multiply.
    pub fp_mul: u32,
    /// Fused multiply-add.
    pub fp_fma: u32,
    /// Floating-point divide and remainder.
    pub fp_div: u32,
    /// Square root.
    pub fp_sqrt: u32,
    /// Conversion between integer and floating point, or between floating-point formats.
    pub fp_convert: u32,
    /// Load, whatever its width.
    pub load: u32,
    /// Store, whatever its width.
    pub store: u32,
    /// Atomic read-modify-write and compare-exchange.
    pub atomic: u32,
    /// Select (conditional move).
    pub select: u32,
    /// An elementary function of the mathematical library (`exp`, `sin`, ...).
    pub math: u32,
    /// Any other call into code that was not instrumented.
    pub external: u32,
}

impl Default for LatencyTable {
    fn default() -> Self {
        Self::preset("x86").expect("a preset")
    }
}

/// Names of the presets, the default first.
pub const PRESETS: [&str; 3] = ["x86", "kremlin", "unit"];

impl LatencyTable {
    /// A built-in table by name.
    pub fn preset(name: &str) -> Option<Self> {
        let text = match name {
            "x86" => include_str!("../latency/x86.toml"),
            "kremlin" => include_str!("../latency/kremlin.toml"),
            "unit" => include_str!("../latency/unit.toml"),
            _ => return None,
        };
        Some(Self::parse(text).expect("built-in tables are valid"))
    }

    /// Reads a table from TOML text. All fields are required.
    ///
    /// # Errors
    /// A description with line and field of the first thing wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let table: Self = toml::from_str(text).map_err(|e| e.to_string())?;
        match table.rows().into_iter().find(|&(_, value)| value > 1000) {
            Some((field, value)) => Err(format!("`{field} = {value}`: a latency is at most 1000")),
            None => Ok(table),
        }
    }

    /// Field names and values in declaration order.
    pub fn rows(&self) -> [(&'static str, u32); 18] {
        [
            ("int_add", self.int_add),
            ("int_logic", self.int_logic),
            ("int_compare", self.int_compare),
            ("int_mul", self.int_mul),
            ("int_div", self.int_div),
            ("fp_add", self.fp_add),
            ("fp_compare", self.fp_compare),
            ("fp_mul", self.fp_mul),
            ("fp_fma", self.fp_fma),
            ("fp_div", self.fp_div),
            ("fp_sqrt", self.fp_sqrt),
            ("fp_convert", self.fp_convert),
            ("load", self.load),
            ("store", self.store),
            ("atomic", self.atomic),
            ("select", self.select),
            ("math", self.math),
            ("external", self.external),
        ]
    }
}

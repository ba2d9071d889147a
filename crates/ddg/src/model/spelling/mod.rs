//! How the parts of models are written on the command line, in model files and in the names of models.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use parascan_isa::InstructionClass;

use super::{
    Branches, Count, Disambiguation, Indirect, Induction, Latency, MachineModel, PhysicalRegisters,
    Rename, ReturnPrediction, StackPointer, SystemCalls, Units,
};
use crate::error::ModelError;

/// A part of a model that can be written as text.
pub trait TextForm: Sized + PartialEq {
    /// What may be written, for messages.
    const FORMS: &'static str;

    /// The value that is written so; `None` if none is.
    fn parse(text: &str) -> Option<Self>;

    /// How the value is written: [`TextForm::parse`] understands it (but for latencies from files).
    fn spell(&self) -> String;

    /// Whether in a list with commas `item` belongs to the element that ends with `last`.
    fn continues(_last: &str, _item: &str) -> bool {
        false
    }
}

impl MachineModel {
    /// Every part but the name as model files have it: its key, and its value as [`TextForm::spell`] writes it.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        vec![
            ("window", self.window.spell()),
            ("rename", self.rename.spell()),
            ("syscalls", self.system_calls.spell()),
            ("latency", self.latency.spell()),
            ("units", self.units.spell()),
            ("physical-registers", self.physical_registers.spell()),
            ("branches", self.branches.spell()),
            ("indirect", self.indirect.spell()),
            ("returns", self.returns.spell()),
            ("memory", self.memory.spell()),
            ("stack-pointer", self.stack_pointer.spell()),
            ("induction", self.induction.spell()),
            ("count", self.count.spell()),
        ]
    }
}

/// The value that is written at a place.
///
/// # Errors
/// The text is none of [`TextForm::FORMS`].
pub(super) fn parse<T: TextForm>(place: &str, text: &str) -> Result<T, ModelError> {
    T::parse(text).ok_or_else(|| {
        ModelError::new(
            place,
            format!("{text:?} is not understood"),
            format!("write {}", T::FORMS),
        )
    })
}

/// The elements of a list with commas, as the command line has them; `place` is the option's name.
///
/// # Errors
/// An element is not understood, or is there twice.
pub fn list<T: TextForm>(place: &str, text: &str) -> Result<Vec<T>, ModelError> {
    let mut texts: Vec<String> = Vec::new();
    for item in text.split(',').map(str::trim) {
        match texts.last_mut() {
            Some(last) if T::continues(last, item) => {
                last.push(',');
                last.push_str(item);
            }
            _ => texts.push(item.to_owned()),
        }
    }
    let mut values: Vec<T> = Vec::new();
    for text in &texts {
        let value = parse(place, text)?;
        if values.contains(&value) {
            return Err(ModelError::new(
                place,
                format!("{text:?} is in the list twice"),
                "give each value once",
            ));
        }
        values.push(value);
    }
    Ok(values)
}

/// A number, with `k`, `M` or `G` for thousands, millions or thousands of millions.
fn number(text: &str) -> Option<u64> {
    let (digits, factor) = match text.char_indices().last()? {
        (at, 'k' | 'K') => (&text[..at], 1_000),
        (at, 'M') => (&text[..at], 1_000_000),
        (at, 'G') => (&text[..at], 1_000_000_000),
        _ => (text, 1),
    };
    plain::<u64>(digits)?.checked_mul(factor)
}

/// A number in digits alone (no sign, which `str::parse` would take).
fn plain<T: std::str::FromStr>(text: &str) -> Option<T> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        text.parse().ok()
    } else {
        None
    }
}

/// `name` or `name:1,2,...` with as many numbers as there are in `defaults`, or none.
fn parameters<const N: usize>(text: &str, name: &str, defaults: [u16; N]) -> Option<[u16; N]> {
    let rest = text.strip_prefix(name)?;
    if rest.is_empty() {
        return Some(defaults);
    }
    let mut numbers = rest.strip_prefix(':')?.split(',');
    let mut values = defaults;
    for value in &mut values {
        *value = plain(numbers.next()?)?;
    }
    numbers.next().is_none().then_some(values)
}

fn byte(number: u16) -> Option<u8> {
    u8::try_from(number).ok()
}

impl TextForm for Option<u64> {
    const FORMS: &'static str =
        "a number of instructions (16, 1k, 10M) or `all` for a window without end";

    fn parse(text: &str) -> Option<Self> {
        if text == "all" {
            Some(None)
        } else {
            number(text).map(Some)
        }
    }

    fn spell(&self) -> String {
        match *self {
            None => "all".to_owned(),
            Some(n) if n > 0 && n.is_multiple_of(1_000_000_000) => {
                format!("{}G", n / 1_000_000_000)
            }
            Some(n) if n > 0 && n.is_multiple_of(1_000_000) => format!("{}M", n / 1_000_000),
            Some(n) if n > 0 && n.is_multiple_of(1_000) => format!("{}k", n / 1_000),
            Some(n) => n.to_string(),
        }
    }
}

impl TextForm for Rename {
    const FORMS: &'static str =
        "`none`, `all`, or what is renamed, joined by +: `regs`, `stack`, `memory`";

    fn parse(text: &str) -> Option<Self> {
        match text {
            "none" => return Some(Self::NONE),
            "all" => return Some(Self::ALL),
            _ => {}
        }
        let mut rename = Self::NONE;
        for part in text.split('+') {
            let part = match part {
                "regs" => &mut rename.registers,
                "stack" => &mut rename.stack,
                "memory" => &mut rename.memory,
                _ => return None,
            };
            if std::mem::replace(part, true) {
                return None;
            }
        }
        Some(rename)
    }

    fn spell(&self) -> String {
        if *self == Self::ALL {
            return "all".to_owned();
        }
        let parts = [
            (self.registers, "regs"),
            (self.stack, "stack"),
            (self.memory, "memory"),
        ];
        let renamed: Vec<&str> = parts
            .iter()
            .filter(|(renamed, _)| *renamed)
            .map(|(_, name)| *name)
            .collect();
        if renamed.is_empty() {
            "none".to_owned()
        } else {
            renamed.join("+")
        }
    }
}

impl TextForm for SystemCalls {
    const FORMS: &'static str = "`conservative` or `optimistic`";

    fn parse(text: &str) -> Option<Self> {
        match text {
            "conservative" => Some(Self::Conservative),
            "optimistic" => Some(Self::Optimistic),
            _ => None,
        }
    }

    fn spell(&self) -> String {
        match self {
            Self::Conservative => "conservative",
            Self::Optimistic => "optimistic",
        }
        .to_owned()
    }
}

impl TextForm for Latency {
    const FORMS: &'static str = "`unit`, `paragraph`, `x86`, or a file (its name ends with .toml)";

    fn parse(text: &str) -> Option<Self> {
        Self::table(text)
    }

    fn spell(&self) -> String {
        self.name.clone()
    }
}

/// The class of a name in model files.
pub(super) fn class(name: &str) -> Option<InstructionClass> {
    InstructionClass::ALL
        .into_iter()
        .find(|class| class.name() == name)
}

/// All names of classes, for messages.
pub(super) fn class_names() -> String {
    InstructionClass::ALL.map(InstructionClass::name).join(", ")
}

impl TextForm for Units {
    const FORMS: &'static str =
        "`unlimited`, a number of units, or numbers by class (float-add=2,load=1)";

    fn parse(text: &str) -> Option<Self> {
        if text == "unlimited" {
            return Some(Self::Unlimited);
        }
        if !text.contains('=') {
            return plain(text).map(Self::Generic);
        }
        let mut counts = Box::new([None; InstructionClass::ALL.len()]);
        for item in text.split(',') {
            let (name, count) = item.split_once('=')?;
            let place = &mut counts[class(name)? as usize];
            if place.replace(plain(count)?).is_some() {
                return None;
            }
        }
        Some(Self::ByClass(counts))
    }

    fn spell(&self) -> String {
        match self {
            Self::Unlimited => "unlimited".to_owned(),
            Self::Generic(count) => count.to_string(),
            Self::ByClass(counts) => {
                let mut text = String::new();
                for (class, count) in InstructionClass::ALL.into_iter().zip(counts.iter()) {
                    if let Some(count) = count {
                        let comma = if text.is_empty() { "" } else { "," };
                        // Writing to a string cannot fail.
                        let _ = write!(text, "{comma}{}={count}", class.name());
                    }
                }
                text
            }
        }
    }

    fn continues(last: &str, item: &str) -> bool {
        last.contains('=') && item.contains('=')
    }
}

impl TextForm for PhysicalRegisters {
    const FORMS: &'static str =
        "`unlimited`, a number of registers, or numbers by kind (general=180,vector=168)";

    fn parse(text: &str) -> Option<Self> {
        if text == "unlimited" {
            return Some(Self::Unlimited);
        }
        if !text.contains('=') {
            return plain(text).map(Self::Generic);
        }
        let (mut general, mut vector) = (None, None);
        for item in text.split(',') {
            let (name, count) = item.split_once('=')?;
            let place = match name {
                "general" => &mut general,
                "vector" => &mut vector,
                _ => return None,
            };
            if place.replace(plain(count)?).is_some() {
                return None;
            }
        }
        Some(Self::ByKind { general, vector })
    }

    fn spell(&self) -> String {
        let kind = |name, count: Option<u32>| count.map(|count| format!("{name}={count}"));
        match *self {
            Self::Unlimited
            | Self::ByKind {
                general: None,
                vector: None,
            } => "unlimited".to_owned(),
            Self::Generic(count) => count.to_string(),
            Self::ByKind { general, vector } => {
                let kinds = [kind("general", general), kind("vector", vector)];
                let kinds: Vec<String> = kinds.into_iter().flatten().collect();
                kinds.join(",")
            }
        }
    }

    fn continues(last: &str, item: &str) -> bool {
        last.contains('=') && item.contains('=')
    }
}

impl TextForm for Branches {
    const FORMS: &'static str = "`perfect`, `none`, `taken`, `2bit[:BITS]`, `gshare[:BITS,HISTORY]` or `tage[:TABLES,BITS,TAG,SHORTEST,LONGEST]`";

    fn parse(text: &str) -> Option<Self> {
        match text {
            "perfect" => return Some(Self::Perfect),
            "none" => return Some(Self::None),
            "taken" => return Some(Self::Taken),
            _ => {}
        }
        if let Some([bits]) = parameters(text, "2bit", [12]) {
            return Some(Self::TwoBit {
                index_bits: byte(bits)?,
            });
        }
        if let Some([bits, history]) = parameters(text, "gshare", [14, 12]) {
            return Some(Self::Gshare {
                index_bits: byte(bits)?,
                history: byte(history)?,
            });
        }
        let [tables, bits, tag, shortest, longest] = parameters(text, "tage", [7, 10, 9, 5, 130])?;
        Some(Self::Tage {
            tables: byte(tables)?,
            index_bits: byte(bits)?,
            tag_bits: byte(tag)?,
            shortest,
            longest,
        })
    }

    fn spell(&self) -> String {
        match self {
            Self::Perfect => "perfect".to_owned(),
            Self::None => "none".to_owned(),
            Self::Taken => "taken".to_owned(),
            Self::TwoBit { index_bits } => format!("2bit:{index_bits}"),
            Self::Gshare {
                index_bits,
                history,
            } => format!("gshare:{index_bits},{history}"),
            Self::Tage {
                tables,
                index_bits,
                tag_bits,
                shortest,
                longest,
            } => format!("tage:{tables},{index_bits},{tag_bits},{shortest},{longest}"),
        }
    }

    fn continues(last: &str, item: &str) -> bool {
        last.contains(':')
            && item.starts_with(|c: char| c.is_ascii_digit())
            && item != "2bit"
            && !item.starts_with("2bit:")
    }
}

impl TextForm for Indirect {
    const FORMS: &'static str = "`perfect`, `none` or `last[:BITS]`";

    fn parse(text: &str) -> Option<Self> {
        match text {
            "perfect" => return Some(Self::Perfect),
            "none" => return Some(Self::None),
            _ => {}
        }
        let [bits] = parameters(text, "last", [12])?;
        Some(Self::Last {
            index_bits: byte(bits)?,
        })
    }

    fn spell(&self) -> String {
        match self {
            Self::Perfect => "perfect".to_owned(),
            Self::None => "none".to_owned(),
            Self::Last { index_bits } => format!("last:{index_bits}"),
        }
    }
}

impl TextForm for ReturnPrediction {
    const FORMS: &'static str = "`perfect`, `none` or `stack[:ENTRIES]`";

    fn parse(text: &str) -> Option<Self> {
        match text {
            "perfect" => return Some(Self::Perfect),
            "none" => return Some(Self::None),
            _ => {}
        }
        let [entries] = parameters(text, "stack", [16])?;
        Some(Self::Stack { entries })
    }

    fn spell(&self) -> String {
        match self {
            Self::Perfect => "perfect".to_owned(),
            Self::None => "none".to_owned(),
            Self::Stack { entries } => format!("stack:{entries}"),
        }
    }
}

impl TextForm for Disambiguation {
    const FORMS: &'static str = "`perfect` or `none`";

    fn parse(text: &str) -> Option<Self> {
        match text {
            "perfect" => Some(Self::Perfect),
            "none" => Some(Self::None),
            _ => None,
        }
    }

    fn spell(&self) -> String {
        match self {
            Self::Perfect => "perfect",
            Self::None => "none",
        }
        .to_owned()
    }
}

impl TextForm for StackPointer {
    const FORMS: &'static str = "`chain` or `engine`";

    fn parse(text: &str) -> Option<Self> {
        match text {
            "chain" => Some(Self::Chain),
            // What processors have is called a stack engine.
            "engine" | "stack-engine" => Some(Self::Engine),
            _ => None,
        }
    }

    fn spell(&self) -> String {
        match self {
            Self::Chain => "chain",
            Self::Engine => "engine",
        }
        .to_owned()
    }
}

impl TextForm for Induction {
    const FORMS: &'static str = "`chain` or `break`";

    fn parse(text: &str) -> Option<Self> {
        match text {
            "chain" => Some(Self::Chain),
            "break" => Some(Self::Break),
            _ => None,
        }
    }

    fn spell(&self) -> String {
        match self {
            Self::Chain => "chain",
            Self::Break => "break",
        }
        .to_owned()
    }
}

impl TextForm for Count {
    const FORMS: &'static str = "`all`, `values` or `float`";

    fn parse(text: &str) -> Option<Self> {
        match text {
            "all" => Some(Self::All),
            "values" => Some(Self::Values),
            "float" => Some(Self::Float),
            _ => None,
        }
    }

    fn spell(&self) -> String {
        match self {
            Self::All => "all",
            Self::Values => "values",
            Self::Float => "float",
        }
        .to_owned()
    }
}

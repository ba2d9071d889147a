//! The part of the library table for streams of C++: functions of libstdc++ by mangled name.

use super::effects::{Effect, FunctionModel};
use super::lengths::Len;

/// What the constructors of streams that a program makes itself belong to, with the sizes of the streams.
const MADE: [(&str, u64); 6] = [
    ("_ZNSt7__cxx1119basic_ostringstreamIc", 376),
    ("_ZNSt7__cxx1119basic_istringstreamIc", 384),
    ("_ZNSt7__cxx1118basic_stringstreamIc", 392),
    ("_ZNSt14basic_ofstreamIc", 512),
    ("_ZNSt14basic_ifstreamIc", 520),
    ("_ZNSt13basic_fstreamIc", 528),
];

/// Bytes of a `std::string`.
const STRING: Len = Len::Const(32);

/// Model of a function of a stream. Its state stands in the place of the stream object's first word, and what it does
/// to its buffer may be a class of the program.
pub(super) fn by_name(name: &str) -> Option<FunctionModel> {
    let mut effects = vec![Effect::Opens];
    if let Some((_, size)) = MADE.iter().find(|(class, _)| name.starts_with(class)) {
        if !["C1E", "C2E"].iter().any(|c| name.contains(c)) {
            return None;
        }
        effects.push(Effect::Write(0, Len::Const(*size)));
        // What else it is made of: a string, a file's name.
        if !name.ends_with("Ev") {
            effects.push(Effect::Unseen);
        }
        return Some(FunctionModel::external(effects));
    }
    if !is_of_a_stream(name) {
        return None;
    }
    effects.extend([
        Effect::Read(0, Len::Const(8)),
        Effect::Write(0, Len::Const(8)),
    ]);
    if name.contains("basic_string") {
        // The string object; where its text lies is not known.
        effects.push(if name.starts_with("_ZStls") {
            Effect::Read(1, STRING)
        } else {
            Effect::Write(1, STRING)
        });
        effects.push(Effect::Unseen);
    } else {
        effects.extend(besides(name));
    }
    Some(FunctionModel::external(effects))
}

/// Whether this is a function that works on the stream which is its first argument: a member other than constructors,
/// destructors and classes, or a function beside the class.
fn is_of_a_stream(name: &str) -> bool {
    let member = ["_ZNSo", "_ZNSi"]
        .iter()
        .find_map(|class| name.strip_prefix(class));
    if let Some(member) = member {
        return !["C", "D", "a", "6sentry"]
            .iter()
            .any(|p| member.starts_with(p));
    }
    let beside = [
        "_ZStls",
        "_ZStrs",
        "_ZSt16__ostream_insert",
        "_ZSt4endl",
        "_ZSt4ends",
        "_ZSt5flush",
        "_ZSt2ws",
        "_ZSt7getline",
    ];
    let takes = ["ERSt13basic_ostream", "ERSt13basic_istream"];
    beside.iter().any(|p| name.starts_with(p)) && takes.iter().any(|t| name.contains(t))
}

/// What such a function does besides: to what it prints or fills.
fn besides(name: &str) -> Option<Effect> {
    let out = name.starts_with("_ZNSo") || name.contains("ERSt13basic_ostream");
    if name.starts_with("_ZSt16__ostream_insert") || name == "_ZNSo5writeEPKcl" {
        return Some(Effect::Read(1, Len::Arg(2)));
    }
    if let Some(operand) = name.strip_prefix("_ZNSirsER") {
        return written(operand);
    }
    if let Some(extracted) = name.strip_prefix("_ZNSi10_M_extractI") {
        return written(extracted.get(..1)?);
    }
    if out {
        return match name {
            _ if name.starts_with("_ZStls") && name.ends_with("PKc") => {
                Some(Effect::Read(1, Len::Str))
            }
            // Numbers, characters, manipulators.
            _ if name.starts_with("_ZStls") && name.ends_with("ES5_c") => None,
            _ if name.starts_with("_ZStls")
                || name.ends_with("basic_streambufIcSt11char_traitsIcEE") =>
            {
                Some(Effect::Unseen)
            }
            _ => None,
        };
    }
    match name {
        "_ZNSi3getEv" | "_ZNSi4peekEv" | "_ZNSi5ungetEv" | "_ZNSi6ignoreEv" | "_ZNSi6ignoreEl"
        | "_ZNSi6ignoreEli" | "_ZNSi7putbackEc" | "_ZNSi5tellgEv" | "_ZNSi4syncEv" => None,
        "_ZNSi3getERc" => Some(Effect::Write(1, Len::Const(1))),
        "_ZNSi4readEPcl" => Some(Effect::Write(1, Len::Arg(2))),
        _ if name.starts_with("_ZNSirsEPF")
            || name.starts_with("_ZSt2ws")
            || name.starts_with("_ZNSi5seekg") =>
        {
            None
        }
        _ => Some(Effect::Unseen),
    }
}

/// The write of a value of a mangled type.
fn written(of_type: &str) -> Option<Effect> {
    let size = match of_type {
        "b" => 1,
        "s" | "t" => 2,
        "i" | "j" | "f" => 4,
        "e" => 16,
        _ => 8,
    };
    Some(Effect::Write(1, Len::Const(size)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_known_by_their_names() {
        let besides = |name: &str| by_name(name).map(|m| m.effects[3..].to_vec());
        let nothing = |name: &str| besides(name).is_some_and(|e| e.is_empty());
        assert!(nothing("_ZNSolsEd"));
        assert!(nothing("_ZNSo9_M_insertIdEERSoT_"));
        assert!(nothing("_ZNSo3putEc"));
        assert!(nothing("_ZNSolsEPFRSoS_E"));
        assert!(nothing(
            "_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_"
        ));
        assert!(nothing(
            "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c"
        ));
        let text = "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc";
        assert!(matches!(
            besides(text).as_deref(),
            Some([Effect::Read(1, Len::Str)])
        ));
        let string = "_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE";
        assert!(matches!(
            besides(string).as_deref(),
            Some([_, Effect::Unseen])
        ));
        let float = besides("_ZNSirsERf");
        assert!(matches!(
            float.as_deref(),
            Some([Effect::Write(1, Len::Const(4))])
        ));
        let line = "_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE";
        assert!(matches!(
            besides(line).as_deref(),
            Some([_, Effect::Unseen])
        ));
        assert!(by_name("_ZNSoC1EPSt15basic_streambufIcSt11char_traitsIcEE").is_none());
        assert!(by_name("_ZStlsIiEvT_").is_none());
        assert!(
            by_name("_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEEC1Ev").is_some()
        );
        assert!(
            by_name("_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEED1Ev").is_none()
        );
    }
}

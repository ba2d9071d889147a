//! The part of the library table for `std::string`: members that libstdc++ has compiled, by mangled name. What becomes
//! of the text, which may lie on the heap, is not told; that a call uses the object is.

use super::effects::{Effect, FunctionModel};
use super::lengths::Len;

const CLASS: &str = "7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";
/// The object: a pointer, a length, and room for short texts.
const OBJECT: Len = Len::Const(32);
/// What every object has set: pointer and length.
const USED: Len = Len::Const(16);

/// Model of a member of `std::string`.
pub(super) fn by_name(name: &str) -> Option<FunctionModel> {
    let (constant, member) = match name.strip_prefix("_ZNKSt") {
        Some(rest) => (true, rest.strip_prefix(CLASS)?),
        None => (false, name.strip_prefix("_ZNSt")?.strip_prefix(CLASS)?),
    };
    let mut effects = vec![Effect::Opens];
    let makes = ["C1", "C2", "12_M_construct"];
    let makes = makes.iter().any(|c| member.starts_with(c));
    if member.starts_with("6substr") {
        effects.extend([Effect::Read(1, USED), Effect::Write(0, OBJECT)]);
    } else if makes {
        effects.extend(another(member, 1));
        effects.push(Effect::Write(0, OBJECT));
    } else {
        effects.push(Effect::Read(0, USED));
        effects.extend(another(member, 1));
        if !constant {
            effects.push(Effect::Write(0, OBJECT));
        }
    }
    effects.push(Effect::Unseen);
    Some(FunctionModel::external(effects))
}

/// The read of another string, if that is what the first argument refers to.
fn another(member: &str, argument: u32) -> Option<Effect> {
    let takes = ["ERKS4_", "EOS4_", "ERS4_"];
    let takes = takes.iter().any(|t| member.contains(t));
    takes.then_some(Effect::Read(argument, USED))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effects(member: &str) -> Vec<Effect> {
        let model = by_name(&member.replace('@', CLASS)).expect("a member");
        model.effects[1..].to_vec()
    }

    #[test]
    fn members_use_their_object() {
        use Effect::{Read, Unseen, Write};
        let appended = effects("_ZNSt@9_M_appendEPKcm");
        assert_eq!(appended, [Read(0, USED), Write(0, OBJECT), Unseen]);
        let assigned = effects("_ZNSt@9_M_assignERKS4_");
        let both = [Read(0, USED), Read(1, USED), Write(0, OBJECT), Unseen];
        assert_eq!(assigned, both);
        assert_eq!(effects("_ZNKSt@4findEcm"), [Read(0, USED), Unseen]);
        let copied = [Read(1, USED), Write(0, OBJECT), Unseen];
        assert_eq!(effects("_ZNSt@C1ERKS4_"), copied);
        assert_eq!(effects("_ZNKSt@6substrEmm"), copied);
    }

    #[test]
    fn others_are_none_of_its_members() {
        assert!(by_name("_ZNSt7__cxx119to_stringEi").is_none());
        assert!(by_name("_ZNSt6vectorIiSaIiEE9push_backERKi").is_none());
    }
}

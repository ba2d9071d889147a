//! Names of fields in JSON documents.

/// Adds the names of all fields, those inside others included, but for what is inside fields of the names in `opaque`:
/// names there say what things are.
pub fn field_names(value: &serde_json::Value, opaque: &[&str], found: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(map) => {
            for (name, inner) in map {
                found.push(name.clone());
                if !opaque.contains(&name.as_str()) {
                    field_names(inner, opaque, found);
                }
            }
        }
        serde_json::Value::Array(list) => {
            for one in list {
                field_names(one, opaque, found);
            }
        }
        _ => {}
    }
}

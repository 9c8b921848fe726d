//! Differences between JSON values.

use serde_json::Value;

/// Appends the differences between `reported` and `recomputed`. Ids of documents may differ.
pub(super) fn differences(
    path: &str,
    reported: &Value,
    recomputed: &Value,
    faults: &mut Vec<String>,
) {
    match (reported, recomputed) {
        (Value::Object(reported), Value::Object(recomputed)) => {
            let mut keys: Vec<&String> = reported.keys().chain(recomputed.keys()).collect();
            keys.sort();
            keys.dedup();
            for key in keys.into_iter().filter(|key| *key != "id") {
                let value = |map: &serde_json::Map<String, Value>| {
                    map.get(key).cloned().unwrap_or(Value::Null)
                };
                differences(&format!("{path}.{key}"), &value(reported), &value(recomputed), faults);
            }
        }
        (Value::Array(reported), Value::Array(recomputed))
            if reported.len() == recomputed.len() =>
        {
            for (index, (reported, recomputed)) in reported.iter().zip(recomputed).enumerate() {
                differences(&format!("{path}[{index}]"), reported, recomputed, faults);
            }
        }
        (Value::Array(reported), Value::Array(recomputed)) => {
            faults.push(format!(
                "{path}: {} in the report, expected {}",
                reported.len(),
                recomputed.len()
            ));
        }
        (reported, recomputed) if is_same(reported, recomputed) => {}
        (reported, recomputed) => {
            faults.push(format!("{path}: {reported} in the report, expected {recomputed}"))
        }
    }
}

fn is_same(reported: &Value, recomputed: &Value) -> bool {
    match (reported.as_f64(), recomputed.as_f64()) {
        (Some(reported), Some(recomputed)) => (reported - recomputed).abs() <= 1e-9,
        _ => reported == recomputed,
    }
}

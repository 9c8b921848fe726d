//! What two JSON values do not have in common.

use serde_json::Value;

/// What of `told` is not as it is found `again`. Names of documents may differ.
pub(super) fn differences(path: &str, told: &Value, again: &Value, faults: &mut Vec<String>) {
    match (told, again) {
        (Value::Object(told), Value::Object(again)) => {
            let mut keys: Vec<&String> = told.keys().chain(again.keys()).collect();
            keys.sort();
            keys.dedup();
            for key in keys.into_iter().filter(|key| *key != "id") {
                let value = |map: &serde_json::Map<String, Value>| {
                    map.get(key).cloned().unwrap_or(Value::Null)
                };
                differences(&format!("{path}.{key}"), &value(told), &value(again), faults);
            }
        }
        (Value::Array(told), Value::Array(again)) if told.len() == again.len() => {
            for (index, (told, again)) in told.iter().zip(again).enumerate() {
                differences(&format!("{path}[{index}]"), told, again, faults);
            }
        }
        (Value::Array(told), Value::Array(again)) => {
            faults.push(format!(
                "{path}: the report has {}, there are {}",
                told.len(),
                again.len()
            ));
        }
        (told, again) if is_same(told, again) => {}
        (told, again) => faults.push(format!("{path}: the report says {told}, it is {again}")),
    }
}

fn is_same(told: &Value, again: &Value) -> bool {
    match (told.as_f64(), again.as_f64()) {
        (Some(told), Some(again)) => (told - again).abs() <= 1e-9,
        _ => told == again,
    }
}

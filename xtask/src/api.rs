//! `cargo xtask api`: lists the public items of the crate `textkin`, so that a change of them is seen in review.
//!
//! In: the JSON of rustdoc. Out: `crates/textkin/public-api.txt`, one line per item. The JSON is an unstable output of
//! rustdoc, so this program runs itself in the place of rustdoc and allows it there; nothing else is compiled
//! differently. The format depends on the version of Rust: with another one than [`FORMAT`] the check is skipped,
//! and says so.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::{cargo_command, root};

/// The version of the JSON that this program reads.
const FORMAT: u64 = 57;
/// Set when this program runs as rustdoc.
pub(crate) const AS_RUSTDOC: &str = "TEXTKIN_AS_RUSTDOC";

/// Runs rustdoc with unstable options allowed.
pub(crate) fn as_rustdoc() -> Result<()> {
    let rustdoc = std::env::var_os(AS_RUSTDOC).context("the path of rustdoc is missing")?;
    let mut command = Command::new(rustdoc);
    command.args(std::env::args_os().skip(1)).env("RUSTC_BOOTSTRAP", "1");
    let status = command.status()?;
    ensure!(status.success(), "rustdoc failed");
    Ok(())
}

/// Rewrites the list.
pub(crate) fn write() -> Result<()> {
    match list()? {
        Some(list) => {
            std::fs::write(file()?, list)?;
            println!("{}", file()?.display());
            Ok(())
        }
        None => bail!("this version of Rust writes another format than {FORMAT}"),
    }
}

/// Fails if the list is not current.
pub(crate) fn check() -> Result<()> {
    let Some(current) = list()? else {
        println!("skipped: this version of Rust writes another format than {FORMAT}");
        return Ok(());
    };
    let stored = std::fs::read_to_string(file()?)?;
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    let (stored, current) = (lines(&stored), lines(&current));
    for gone in stored.difference(&current) {
        println!("- {gone}");
    }
    for new in current.difference(&stored) {
        println!("+ {new}");
    }
    ensure!(
        stored == current,
        "the public API has changed; if that is intended, run cargo xtask api and note it in CHANGELOG.md"
    );
    Ok(())
}

fn file() -> Result<PathBuf> {
    Ok(root()?.join("crates/textkin/public-api.txt"))
}

/// Returns the list; `None` if the format is unknown.
fn list() -> Result<Option<String>> {
    let rustdoc = std::env::var_os("RUSTDOC").unwrap_or_else(|| "rustdoc".into());
    let mut command = cargo_command()?;
    let arguments = ["rustdoc", "--quiet", "--locked", "--package", "textkin", "--lib", "--"];
    command.args(arguments).args(["-Z", "unstable-options", "--output-format", "json"]);
    command.env("RUSTDOC", std::env::current_exe()?).env(AS_RUSTDOC, rustdoc);
    // Flags of the documentation build, such as -D warnings, would compile dependencies again.
    command.env_remove("RUSTDOCFLAGS");
    ensure!(command.status()?.success(), "cargo rustdoc failed");
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let path = target.unwrap_or(root()?.join("target")).join("doc/textkin.json");
    let json = std::fs::read(&path).with_context(|| path.display().to_string())?;
    let json: Value = serde_json::from_slice(&json)?;
    if json["format_version"].as_u64() != Some(FORMAT) {
        return Ok(None);
    }
    let mut api = Api { index: &json["index"], lines: BTreeSet::new(), seen: BTreeSet::new() };
    api.module(&json["root"], "textkin");
    let mut text = String::from(
        "# The public items of the crate textkin; `cargo xtask api` writes this file.\n",
    );
    for line in &api.lines {
        text.push_str(line);
        text.push('\n');
    }
    Ok(Some(text))
}

struct Api<'a> {
    index: &'a Value,
    lines: BTreeSet<String>,
    /// Modules that were visited, by path.
    seen: BTreeSet<String>,
}

impl Api<'_> {
    fn item(&self, id: &Value) -> Option<&Value> {
        self.index.get(id.to_string())
    }

    fn module(&mut self, id: &Value, path: &str) {
        if !self.seen.insert(path.to_owned()) {
            return;
        }
        let index = self.index;
        let Some(item) = index.get(id.to_string()) else { return };
        for child in list_of(&item["inner"]["module"]["items"]) {
            self.child(child, path, None);
        }
    }

    /// Adds the item `id` of the module `path`, under another name if it is re-exported.
    fn child(&mut self, id: &Value, path: &str, name: Option<&str>) {
        let index = self.index;
        let Some(item) = index.get(id.to_string()) else { return };
        let Some((kind, inner)) = item["inner"].as_object().and_then(|inner| inner.iter().next())
        else {
            return;
        };
        let own = name.or(item["name"].as_str()).unwrap_or_default();
        let full = format!("{path}::{own}");
        match kind.as_str() {
            "use" => {
                let name = inner["name"].as_str().unwrap_or_default();
                let target = &inner["id"];
                let is_glob = inner["is_glob"].as_bool().unwrap_or_default();
                if is_glob && self.item(target).is_some() {
                    self.module(target, path);
                } else if self.item(target).is_some() {
                    self.child(target, path, Some(name));
                } else {
                    let source = inner["source"].as_str().unwrap_or_default();
                    self.lines.insert(format!("use {path}::{name} = {source}"));
                }
            }
            "module" => {
                self.lines.insert(format!("mod {full}"));
                self.module(id, &full);
            }
            "function" => {
                self.lines.insert(format!("fn {full}{}", self.signature(inner)));
            }
            "constant" => {
                self.lines.insert(format!("const {full}: {}", self.ty(&inner["type"])));
            }
            "type_alias" => {
                self.lines.insert(format!("type {full} = {}", self.ty(&inner["type"])));
            }
            "struct" => {
                self.lines.insert(format!("struct {full}"));
                for field in list_of(&inner["kind"]["plain"]["fields"]) {
                    self.field(field, &full);
                }
                for field in list_of(&inner["kind"]["tuple"]) {
                    self.field(field, &full);
                }
                self.impls(inner, &full);
            }
            "enum" => {
                self.lines.insert(format!("enum {full}"));
                for variant in list_of(&inner["variants"]) {
                    let Some(variant) = self.item(variant) else { continue };
                    let name = variant["name"].as_str().unwrap_or_default();
                    self.lines.insert(format!("variant {full}::{name}"));
                }
                self.impls(inner, &full);
            }
            "trait" => {
                self.lines.insert(format!("trait {full}"));
                for member in list_of(&inner["items"]) {
                    self.child(member, &full, None);
                }
            }
            _ => {}
        }
    }

    fn field(&mut self, id: &Value, path: &str) {
        let Some(item) = self.item(id) else { return };
        let name = item["name"].as_str().unwrap_or_default();
        let line = format!("field {path}::{name}: {}", self.ty(&item["inner"]["struct_field"]));
        self.lines.insert(line);
    }

    /// Adds the methods of a type and the traits that it implements by its own code.
    fn impls(&mut self, inner: &Value, path: &str) {
        let index = self.index;
        for id in list_of(&inner["impls"]) {
            let Some(item) = index.get(id.to_string()) else { continue };
            let imp = &item["inner"]["impl"];
            let is_own = imp["is_synthetic"] == Value::Bool(false) && imp["blanket_impl"].is_null();
            match &imp["trait"] {
                Value::Null => {
                    for member in list_of(&imp["items"]) {
                        self.child(member, path, None);
                    }
                }
                named if is_own => {
                    self.lines.insert(format!("impl {} for {path}", self.path(named)));
                }
                _ => {}
            }
        }
    }

    fn signature(&self, function: &Value) -> String {
        let sig = &function["sig"];
        let inputs = list_of(&sig["inputs"]).iter().map(|input| {
            let name = input[0].as_str().unwrap_or_default();
            format!("{name}: {}", self.ty(&input[1]))
        });
        let inputs = inputs.collect::<Vec<_>>().join(", ");
        match &sig["output"] {
            Value::Null => format!("({inputs})"),
            output => format!("({inputs}) -> {}", self.ty(output)),
        }
    }

    fn path(&self, path: &Value) -> String {
        let name = path["path"].as_str().unwrap_or_default();
        let name = name.rsplit("::").next().unwrap_or_default();
        format!("{name}{}", self.arguments(&path["args"]))
    }

    fn arguments(&self, args: &Value) -> String {
        if let Some(inputs) = args["parenthesized"]["inputs"].as_array() {
            let inputs = inputs.iter().map(|input| self.ty(input)).collect::<Vec<_>>().join(", ");
            let output = &args["parenthesized"]["output"];
            let output =
                if output.is_null() { String::new() } else { format!(" -> {}", self.ty(output)) };
            return format!("({inputs}){output}");
        }
        let bracketed = &args["angle_bracketed"];
        let argument = |argument: &Value| match argument {
            argument if argument["type"].is_object() => self.ty(&argument["type"]),
            argument => argument["lifetime"].as_str().unwrap_or("_").to_owned(),
        };
        let mut all: Vec<String> = list_of(&bracketed["args"]).iter().map(argument).collect();
        for constraint in list_of(&bracketed["constraints"]) {
            let name = constraint["name"].as_str().unwrap_or_default();
            all.push(format!("{name} = {}", self.ty(&constraint["binding"]["equality"]["type"])));
        }
        if all.is_empty() { String::new() } else { format!("<{}>", all.join(", ")) }
    }

    fn bounds(&self, bounds: &Value) -> String {
        let bound = |bound: &Value| match &bound["trait_bound"] {
            Value::Null => bound["outlives"].as_str().unwrap_or("?").to_owned(),
            bound => self.path(&bound["trait"]),
        };
        list_of(bounds).iter().map(bound).collect::<Vec<_>>().join(" + ")
    }

    fn ty(&self, ty: &Value) -> String {
        let Some((kind, inner)) = ty.as_object().and_then(|ty| ty.iter().next()) else {
            return "_".to_owned();
        };
        let all = |types: &Value| {
            list_of(types).iter().map(|ty| self.ty(ty)).collect::<Vec<_>>().join(", ")
        };
        match kind.as_str() {
            "resolved_path" => self.path(inner),
            "primitive" | "generic" => inner.as_str().unwrap_or_default().to_owned(),
            "borrowed_ref" => {
                let lifetime = inner["lifetime"].as_str().map(|name| format!("{name} "));
                let mutable = if inner["is_mutable"] == Value::Bool(true) { "mut " } else { "" };
                format!("&{}{mutable}{}", lifetime.unwrap_or_default(), self.ty(&inner["type"]))
            }
            "tuple" => format!("({})", all(inner)),
            "slice" => format!("[{}]", self.ty(inner)),
            "array" => {
                format!("[{}; {}]", self.ty(&inner["type"]), inner["len"].as_str().unwrap_or("_"))
            }
            "impl_trait" => format!("impl {}", self.bounds(inner)),
            "dyn_trait" => {
                let traits =
                    list_of(&inner["traits"]).iter().map(|bound| self.path(&bound["trait"]));
                format!("dyn {}", traits.collect::<Vec<_>>().join(" + "))
            }
            "qualified_path" => {
                let name = inner["name"].as_str().unwrap_or_default();
                format!("{}::{name}", self.ty(&inner["self_type"]))
            }
            other => other.to_owned(),
        }
    }
}

fn list_of(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

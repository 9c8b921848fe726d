//! Clusters as JSON lines, one per line:
//! `{"cluster":0,"size":3,"density":1.0,"weakest":0.71,"members":["…"]}`.

use std::path::Path;

use schemars::JsonSchema;

use crate::jsonl::{push_number, push_string};
use crate::number::push_integer;
use crate::{Error, Output};

/// The fields of a line before the members.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema)]
pub struct ClusterLine {
    /// Its number, from 0.
    pub cluster: u64,
    /// Number of members.
    pub size: u64,
    /// Edges within the cluster divided by all its pairs.
    pub density: f64,
    /// Score of its weakest edge.
    pub weakest: f64,
}

/// Writes clusters to a file or to standard output.
#[derive(Debug)]
pub struct ClusterWriter {
    output: Output,
    buffer: Vec<u8>,
}

impl ClusterWriter {
    /// Starts the file `path`, `-` for standard output; `.gz` and `.zst` compress.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn create(path: &Path) -> Result<Self, Error> {
        Ok(Self { output: Output::create(path)?, buffer: Vec::new() })
    }

    /// Writes one line. Members are streamed, because a cluster may have millions.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn cluster<'a>(
        &mut self,
        line: &ClusterLine,
        members: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), Error> {
        self.buffer.extend_from_slice(b"{\"cluster\":");
        push_integer(line.cluster, &mut self.buffer);
        self.buffer.extend_from_slice(b",\"size\":");
        push_integer(line.size, &mut self.buffer);
        self.buffer.extend_from_slice(b",\"density\":");
        push_number(line.density, &mut self.buffer);
        self.buffer.extend_from_slice(b",\"weakest\":");
        push_number(line.weakest, &mut self.buffer);
        self.members(line.size, members)
    }

    /// Writes one line for a set without edges: `{"set":0,"size":3,"members":["…"]}`.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn set<'a>(
        &mut self,
        set: u64,
        size: u64,
        members: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), Error> {
        self.buffer.extend_from_slice(b"{\"set\":");
        push_integer(set, &mut self.buffer);
        self.buffer.extend_from_slice(b",\"size\":");
        push_integer(size, &mut self.buffer);
        self.members(size, members)
    }

    fn members<'a>(
        &mut self,
        size: u64,
        members: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), Error> {
        self.buffer.extend_from_slice(b",\"members\":[");
        let mut n_members = 0;
        for member in members {
            if n_members > 0 {
                self.buffer.push(b',');
            }
            n_members += 1;
            push_string(member, &mut self.buffer);
            if self.buffer.len() >= 1 << 16 {
                self.flush()?;
            }
        }
        debug_assert_eq!(n_members, size, "size is the number of members");
        self.buffer.extend_from_slice(b"]}\n");
        self.flush()
    }

    /// Moves the file into place.
    ///
    /// # Errors
    /// When the output cannot be written. There is no new file then.
    pub fn finish(self) -> Result<(), Error> {
        self.output.finish()
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.output.write(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_documented_format() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("clusters.jsonl");
        let mut writer = ClusterWriter::create(&path).unwrap();
        let line = ClusterLine { cluster: 0, size: 3, density: 1.0, weakest: 0.71 };
        writer.cluster(&line, ["a", "b\"c", "d/é"]).unwrap();
        writer.cluster(&ClusterLine { cluster: 1, size: 2, ..line }, ["x", "x"]).unwrap();
        writer.finish().unwrap();
        let expected = "{\"cluster\":0,\"size\":3,\"density\":1.0,\"weakest\":0.71,\
            \"members\":[\"a\",\"b\\\"c\",\"d/é\"]}\n\
            {\"cluster\":1,\"size\":2,\"density\":1.0,\"weakest\":0.71,\"members\":[\"x\",\"x\"]}\n";
        assert_eq!(std::fs::read_to_string(path).unwrap(), expected);
    }

    #[test]
    fn a_million_members_are_streamed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("clusters.jsonl");
        let mut writer = ClusterWriter::create(&path).unwrap();
        let line = ClusterLine { cluster: 0, size: 1_000_000, density: 1.0, weakest: 1.0 };
        writer.cluster(&line, std::iter::repeat_n("same/id", 1_000_000)).unwrap();
        assert!(writer.buffer.capacity() <= 1 << 18);
        writer.finish().unwrap();
        let value: serde_json::Value =
            serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        assert_eq!(value["members"].as_array().unwrap().len(), 1_000_000);
    }
}

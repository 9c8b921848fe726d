//! Files of a package, as bytes. Nothing is written to disk: names in an archive are only compared, and sizes are
//! limited.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::list::PackageManager;

/// Maximum bytes of an archive after decompression.
const MAX_ARCHIVE: u64 = 2 << 30;
/// Maximum bytes of a file in it; larger ones are skipped.
const MAX_FILE: u64 = 16 << 20;
/// Maximum number of files in it.
const MAX_FILES: usize = 200_000;

/// Calls `each` with the name and the bytes of every file that `is_wanted`. Names omit the common prefix: the folder
/// of a source distribution, `usr/share/doc/NAME` of a Debian package.
pub(crate) fn read(
    client: PackageManager,
    path: &Path,
    is_wanted: impl Fn(&str) -> bool,
    each: impl FnMut(&str, &[u8]) -> Result<()>,
) -> Result<()> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let file = BufReader::new(file);
    let name = path.to_string_lossy();
    let result = match client {
        PackageManager::Pip if name.ends_with(".tar.gz") => {
            read_tar(flate2::read::GzDecoder::new(file), 1, is_wanted, each)
        }
        PackageManager::Pip => bail!(
            "{} is not a .tar.gz file; pin source distributions in that format",
            path.display()
        ),
        PackageManager::Apt => {
            debian_data(file).and_then(|data| read_tar(data, 4, is_wanted, each))
        }
    };
    result.with_context(|| format!("cannot read {}", path.display()))
}

fn read_tar(
    reader: impl Read,
    n_leading: usize,
    is_wanted: impl Fn(&str) -> bool,
    mut each: impl FnMut(&str, &[u8]) -> Result<()>,
) -> Result<()> {
    let mut archive = tar::Archive::new(reader.take(MAX_ARCHIVE));
    for (number, entry) in archive.entries()?.enumerate() {
        ensure!(number < MAX_FILES, "the archive has more than {MAX_FILES} files");
        let entry = entry?;
        if !entry.header().entry_type().is_file() || entry.size() > MAX_FILE {
            continue;
        }
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let mut parts = name.split('/').filter(|part| !part.is_empty() && *part != ".");
        if n_leading > 1 && !parts.by_ref().take(3).eq(["usr", "share", "doc"]) {
            continue;
        }
        let rest: Vec<&str> = parts.skip(1).collect();
        let rest = rest.join("/");
        if rest.is_empty() || !is_wanted(&rest) {
            continue;
        }
        let mut bytes = Vec::new();
        entry.take(MAX_FILE).read_to_end(&mut bytes)?;
        each(&rest, &bytes)?;
    }
    Ok(())
}

/// Returns the data archive of a Debian package, which is an `ar` archive: each member follows a header of 60 bytes.
fn debian_data(mut reader: impl Read + 'static) -> Result<Box<dyn Read>> {
    let mut magic = [0; 8];
    reader.read_exact(&mut magic)?;
    ensure!(&magic == b"!<arch>\n", "not a Debian package");
    loop {
        let mut header = [0; 60];
        reader.read_exact(&mut header).context("the package has no data.tar")?;
        let field = |range: std::ops::Range<usize>| {
            String::from_utf8_lossy(header.get(range).unwrap_or_default()).trim().to_owned()
        };
        let name = field(0..16);
        let size: u64 = field(48..58).parse().context("a member has an invalid size")?;
        ensure!(header.ends_with(b"`\n"), "the header of a member is corrupt");
        match name.trim_end_matches('/') {
            "data.tar.xz" => return Ok(Box::new(liblzma::read::XzDecoder::new(reader.take(size)))),
            "data.tar.zst" => return Ok(Box::new(zstd::Decoder::new(reader.take(size))?)),
            "data.tar.gz" => return Ok(Box::new(flate2::read::GzDecoder::new(reader.take(size)))),
            "data.tar" => return Ok(Box::new(reader.take(size))),
            _ => {}
        }
        // Members start at even offsets.
        let skipped = size + size % 2;
        let passed = std::io::copy(&mut reader.by_ref().take(skipped), &mut std::io::sink())?;
        ensure!(passed == skipped, "the package is truncated");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, bytes) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            // Written as is: a name may point outside the archive.
            header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_cksum();
            builder.append(&header, *bytes).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn gz(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn ar(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut bytes = b"!<arch>\n".to_vec();
        for (name, content) in members {
            bytes.extend(
                format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, content.len())
                    .bytes(),
            );
            bytes.extend(*content);
            bytes.resize(bytes.len().next_multiple_of(2), b'\n');
        }
        bytes
    }

    fn names(client: PackageManager, file: &str, bytes: &[u8]) -> Result<Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(file);
        std::fs::write(&path, bytes).unwrap();
        let mut names = Vec::new();
        read(
            client,
            &path,
            |name| name.ends_with(".rst"),
            |name, bytes| {
                names.push(format!("{name}={}", String::from_utf8_lossy(bytes)));
                Ok(())
            },
        )?;
        Ok(names)
    }

    #[test]
    fn source_distributions_are_read() {
        let bytes =
            gz(&tar(&[("x-1/docs/a.rst", b"A"), ("x-1/x.py", b"B"), ("../../b.rst", b"C")]));
        let found = names(PackageManager::Pip, "x-1.tar.gz", &bytes).unwrap();
        assert_eq!(found, ["docs/a.rst=A", "../b.rst=C"], "names are only compared");
        assert!(names(PackageManager::Pip, "x-1.zip", b"").is_err());
        assert!(names(PackageManager::Pip, "x-1.tar.gz", b"no archive").is_err());
        assert!(names(PackageManager::Pip, "x-1.tar.gz", &bytes[..bytes.len() / 2]).is_err());
    }

    #[test]
    fn debian_packages_are_read() {
        let data = tar(&[("./usr/share/doc/x/html/a.rst", b"A"), ("./usr/bin/b.rst", b"B")]);
        for (member, data) in [
            ("data.tar", data.clone()),
            ("data.tar.gz/", gz(&data)),
            ("data.tar.zst", zstd::encode_all(&data[..], 1).unwrap()),
        ] {
            let bytes =
                ar(&[("debian-binary", b"2.0"), ("control.tar.gz", b"xyz"), (member, &data)]);
            assert_eq!(
                names(PackageManager::Apt, "x.deb", &bytes).unwrap(),
                ["html/a.rst=A"],
                "{member}"
            );
        }
        for wrong in [&b""[..], b"!<arch>\n", &ar(&[("debian-binary", b"2.0")]), b"!<arch>\nxx"] {
            assert!(names(PackageManager::Apt, "x.deb", wrong).is_err());
        }
    }
}

//! Word documents of the old format and DVI, which the introduction of Shivakumar and Garcia-Molina (1996) names.

use textkin_extract::{Error, FileKind};

use crate::samples::{PARAGRAPHS, extract_default, words_of};

fn text(name: &str, bytes: &[u8]) -> String {
    let mut documents = extract_default(name, bytes).unwrap().documents;
    assert_eq!(documents.len(), 1);
    documents.remove(0).text
}

/// A compound file of sectors of 512 bytes with these streams, each in sectors of its own.
fn compound(streams: &[(&str, Vec<u8>)]) -> Vec<u8> {
    const END: u32 = 0xffff_fffe;
    let (mut table, mut data) = (vec![0xffff_fffd_u32], Vec::new());
    let mut directory = entry("Root Entry", 5, END, 0);
    for (name, bytes) in streams {
        let mut bytes = bytes.clone();
        // Streams of fewer than 4096 bytes would be in small sectors.
        bytes.resize(bytes.len().max(4096).next_multiple_of(512), 0);
        let first = u32::try_from(table.len()).unwrap();
        let n = u32::try_from(bytes.len() / 512).unwrap();
        table.extend((first + 1..first + n).chain([END]));
        directory.extend(entry(name, 2, first, u32::try_from(bytes.len()).unwrap()));
        data.extend(bytes);
    }
    directory.resize(directory.len().next_multiple_of(512), 0);
    let at = u32::try_from(table.len()).unwrap();
    let n = u32::try_from(directory.len() / 512).unwrap();
    table.extend((at + 1..at + n).chain([END]));
    table.resize(128, u32::MAX);
    let mut header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec();
    header.resize(512, 0);
    let mut set =
        |at: usize, number: u32| header[at..at + 4].copy_from_slice(&number.to_le_bytes());
    set(30, 9);
    for (offset, number) in [(44, 1), (48, at), (56, 4096), (60, END), (68, END)] {
        set(offset, number);
    }
    (76..512).step_by(4).for_each(|offset| set(offset, u32::MAX));
    set(76, 0);
    let table = table.iter().flat_map(|number| number.to_le_bytes());
    header.into_iter().chain(table).chain(data).chain(directory).collect()
}

fn entry(name: &str, kind: u8, start: u32, size: u32) -> Vec<u8> {
    let mut entry: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let length = u8::try_from(entry.len() + 2).unwrap();
    entry.resize(128, 0);
    (entry[64], entry[66]) = (length, kind);
    entry[116..120].copy_from_slice(&start.to_le_bytes());
    entry[120..124].copy_from_slice(&size.to_le_bytes());
    entry
}

/// A document with these pieces: in UTF-16, or in Windows 1252 if the flag is set.
fn word(pieces: &[(&str, bool)]) -> Vec<u8> {
    let mut main = vec![0; 2048];
    main[..2].copy_from_slice(&0xa5ec_u16.to_le_bytes());
    main[0x0b] = 2;
    let (mut ends, mut addresses) = (vec![0_u32], Vec::new());
    for (text, is_narrow) in pieces {
        let start = u32::try_from(main.len()).unwrap();
        addresses.push(if *is_narrow { (start * 2) | 0x4000_0000 } else { start });
        match is_narrow {
            true => main.extend(encoding_rs::WINDOWS_1252.encode(text).0.iter()),
            false => main.extend(text.encode_utf16().flat_map(u16::to_le_bytes)),
        }
        let length = u32::try_from(text.encode_utf16().count()).unwrap();
        ends.push(ends.last().unwrap() + length);
    }
    let mut plc: Vec<u8> = ends.iter().flat_map(|end| end.to_le_bytes()).collect();
    for address in addresses {
        plc.extend([0, 0]);
        plc.extend(address.to_le_bytes());
        plc.extend([0, 0]);
    }
    // Properties of a run, which are skipped, and the table.
    let mut table = vec![7; 100];
    table.extend([1, 3, 0, 9, 9, 9, 2]);
    table.extend(u32::try_from(plc.len()).unwrap().to_le_bytes());
    table.extend(plc);
    let length = u32::try_from(table.len() - 100).unwrap();
    main[0x1a2..0x1a6].copy_from_slice(&100_u32.to_le_bytes());
    main[0x1a6..0x1aa].copy_from_slice(&length.to_le_bytes());
    compound(&[("1Table", table), ("WordDocument", main)])
}

#[test]
fn pieces_of_an_old_word_document_are_read_in_order() {
    let document = word(&[
        ("A “page” of caf\u{e9}\r", true),
        ("Здравствуйте, \u{13}HYPERLINK x\u{14}see here\u{15}.\r", false),
        ("cell\u{7}cell\u{7}\u{7}one\u{b}two non\u{1e}breaking opt\u{1f}ional\r", true),
    ]);
    assert_eq!(FileKind::detect(Some("a.txt"), &document), FileKind::Doc);
    assert_eq!(
        text("a.doc", &document),
        "A “page” of café\n\nЗдравствуйте, see here.\n\ncell\ncell\none\ntwo non-breaking optional"
    );
    let all = PARAGRAPHS.join("\r");
    assert_eq!(words_of(&text("a.doc", &word(&[(&all, false)]))), words_of(&all));
}

#[test]
fn damaged_and_encrypted_word_documents_are_errors() {
    let document = word(&[("Some text", true)]);
    for end in [100, 600, 5000, document.len() - 700] {
        let result = extract_default("a.doc", &document[..end]);
        assert!(result.is_err() || !result.unwrap().problems.is_empty(), "{end}");
    }
    let mut main = vec![0; 4096];
    (main[0x0b], main[0]) = (1, 0xec);
    let encrypted = compound(&[("0Table", vec![0; 10]), ("WordDocument", main)]);
    assert_eq!(extract_default("a.doc", &encrypted), Err(Error::Encrypted(FileKind::Doc)));
    // A chain that ends in itself.
    let mut cyclic = document;
    cyclic[516..520].copy_from_slice(&1_u32.to_le_bytes());
    assert!(extract_default("a.doc", &cyclic).is_err());
}

fn dvi(pages: &[u8]) -> Vec<u8> {
    let mut bytes = b"\xf7\x02\x01\x83\x92\xc0\x1c\x3b\x00\x00\x00\x00\x03\xe8\x00".to_vec();
    bytes.extend(pages);
    bytes.push(248);
    bytes
}

/// A page in a font of ten points.
fn page(commands: &[u8]) -> Vec<u8> {
    let mut bytes = vec![139];
    bytes.extend([0; 44]);
    bytes.extend([243, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0, 10, 0, 0, 0, 5]);
    bytes.extend(b"cmr10\xab");
    bytes.extend(commands);
    bytes.push(140);
    bytes
}

#[test]
fn words_lines_and_paragraphs_of_dvi_are_found_by_movements() {
    // A third of ten points to the right, as between words; a kern of 0.3 points to the left within a word.
    let space = [145, 3, 85, 85];
    let kern = [145, 255, 180, 0];
    let mut commands = vec![141];
    commands.extend(b"Hello");
    commands.extend(space);
    commands.extend(b"W");
    commands.extend(kern);
    commands.extend(b"orld,");
    commands.extend(space);
    // The ligature fi, and a word divided at the line end.
    commands.extend(b"\x0cne");
    commands.extend(space);
    commands.extend(b"di-");
    commands.extend([142, 159, 12, 0, 0, 141]);
    commands.extend(b"vided");
    commands.extend([142, 159, 24, 0, 0, 141]);
    commands.extend(b"New");
    commands.push(142);
    let bytes = dvi(&page(&commands));
    assert_eq!(FileKind::detect(None, &bytes), FileKind::Dvi);
    assert_eq!(text("a.dvi", &bytes), "Hello World, fine divided\n\nNew");
}

#[test]
fn a_truncated_dvi_gives_its_beginning_with_a_note() {
    let bytes = dvi(&page(b"\x8dHello"));
    let document = extract_default("a.dvi", &bytes[..bytes.len() - 3]).unwrap().documents.remove(0);
    assert_eq!((&*document.text, document.notes.len()), ("Hell", 1));
}

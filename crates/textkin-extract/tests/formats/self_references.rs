//! Self-referencing files: an archive that contains itself, and PDFs whose parts refer to one another
//! in a loop. The tests of `textkin-cli` include this module too.

use std::fmt::Write as _;

/// Bytes of an instruction of the program in [`quine_zip`].
const UNIT: usize = 5;

/// A zip archive whose only entry is the archive itself, byte for byte.
///
/// Compressed data is a program of two instructions: *print* the following bytes (a stored block) and
/// *repeat* the last bytes printed (a match). Both take five bytes here. With a head (the header of
/// the entry) and a tail (the directory), this program prints head, itself and tail. `L` is print and
/// `R` is repeat, for the given number of instructions, or for the head or tail and one instruction:
///
/// ```text
/// L(head L(head)) R(head) L1(R(head)) L1(L1) L4(R(head) L1 L1 L4) R4 L4(R4 L4 R4 L4) R4
/// L4(R4 L0 L0 L(tail)) R4 L0 L0 L(tail)(R(tail) tail) R(tail)
/// ```
///
/// The archive contains its own checksum, which is a linear function of its own bits. Solving a system
/// of equations gives the correct one.
pub(crate) fn quine_zip() -> Vec<u8> {
    // Most timestamps have a solution.
    (0..u16::MAX).find_map(solved_quine).unwrap()
}

/// Returns the archive with this entry time, if there is a correct checksum.
fn solved_quine(time: u16) -> Option<Vec<u8>> {
    let checksum = |bytes: &[u8]| {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        crc.sum()
    };
    // With checksum x in it, the archive has the checksum `constant ^ f(x)`, where f is linear.
    let constant = checksum(&quine_with(time, 0));
    // One equation per bit: the columns of f plus the identity, and the constant.
    let column = |bit: u32| (checksum(&quine_with(time, 1 << bit)) ^ constant) ^ (1 << bit);
    let columns: Vec<u32> = (0..32).map(column).collect();
    let mut rows: Vec<u64> = (0..32)
        .map(|row| {
            let bits = columns.iter().zip(0..);
            let row_bits = bits.map(|(column, at)| u64::from(column >> row & 1) << at).sum::<u64>();
            row_bits | u64::from(constant >> row & 1) << 32
        })
        .collect();
    for column in 0..32 {
        let pivot = (column..32).find(|&row| rows[row] >> column & 1 == 1)?;
        rows.swap(column, pivot);
        for row in (0..32).filter(|&row| row != column) {
            if rows[row] >> column & 1 == 1 {
                rows[row] ^= rows[column];
            }
        }
    }
    let value = (0..32).map(|bit| u32::try_from(rows[bit] >> 32).unwrap() << bit).sum();
    Some(quine_with(time, value))
}

/// Returns the archive with this checksum, correct or not.
fn quine_with(time: u16, checksum: u32) -> Vec<u8> {
    const NAME: &str = "an-archive-that-has-itself.zip";
    const COMMENT: &str = "and nothing else ...";
    let (head, tail) = (30 + NAME.len(), 46 + NAME.len() + 22 + COMMENT.len());
    let n_program = 30 * UNIT + head + tail;
    let n_all = head + n_program + tail;
    let number = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
    let short = |n: usize| u16::try_from(n).unwrap().to_le_bytes();
    let mut common = vec![20, 0, 0, 0, 8, 0];
    common.extend(time.to_le_bytes());
    common.extend([0x21, 0x58]);
    common.extend(checksum.to_le_bytes());
    common.extend(number(n_program));
    common.extend(number(n_all));
    common.extend(short(NAME.len()));
    common.extend([0, 0]);
    let header = [b"PK\x03\x04", &common[..], NAME.as_bytes()].concat();
    let mut directory = [b"PK\x01\x02\x14\0", &common[..], &[0; 14], NAME.as_bytes()].concat();
    let n_directory = directory.len();
    directory.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    directory.extend(number(n_directory));
    directory.extend(number(head + n_program));
    directory.extend(short(COMMENT.len()));
    directory.extend(COMMENT.as_bytes());
    assert_eq!((header.len(), directory.len()), (head, tail));

    let print = |n_bytes: usize| {
        let [low, high] = short(n_bytes);
        vec![0, low, high, !low, !high]
    };
    let repeat_units = repeat(&[10, 10], 20, None, false);
    let repeat_head = repeat(&[head + UNIT], head + UNIT, None, false);
    let last = directory.last().copied();
    let repeat_tail = repeat(&[tail + UNIT - 1], tail + UNIT, last, true);
    let (none, one, four) = (print(0), print(UNIT), print(4 * UNIT));
    let (print_head, print_tail) = (print(head + UNIT), print(tail + UNIT));
    [
        &header,
        &print_head,
        &header,
        &print_head,
        &repeat_head,
        &one,
        &repeat_head,
        &one,
        &one,
        &four,
        &repeat_head,
        &one,
        &one,
        &four,
        &repeat_units,
        &four,
        &repeat_units,
        &four,
        &repeat_units,
        &four,
        &repeat_units,
        &four,
        &repeat_units,
        &none,
        &none,
        &print_tail,
        &repeat_units,
        &none,
        &none,
        &print_tail,
        &repeat_tail,
        &directory,
        &repeat_tail,
        &directory,
    ]
    .map(Vec::as_slice)
    .concat()
}

/// Encodes an instruction that repeats bytes from `distance` bytes ago, in matches of these lengths,
/// and then prints one byte. An empty block fills the rest of the five bytes.
fn repeat(lengths: &[usize], distance: usize, byte: Option<u8>, is_last: bool) -> Vec<u8> {
    let mut bits: Vec<bool> = Vec::new();
    let low_first = |bits: &mut Vec<bool>, value: usize, n: u32| {
        bits.extend((0..n).map(|bit| value >> bit & 1 == 1));
    };
    let high_first = |bits: &mut Vec<bool>, value: usize, n: u32| {
        bits.extend((0..n).rev().map(|bit| value >> bit & 1 == 1));
    };
    let mut body: Vec<bool> = Vec::new();
    for &length in lengths {
        let (code, extra, n_extra) = extended(length - 3, 3);
        match code + 257 {
            code @ 257..280 => high_first(&mut body, code - 256, 7),
            code => high_first(&mut body, code - 280 + 0b1100_0000, 8),
        }
        low_first(&mut body, extra, n_extra);
        let (code, extra, n_extra) = extended(distance - 1, 2);
        high_first(&mut body, code, 5);
        low_first(&mut body, extra, n_extra);
    }
    if let Some(byte) = byte {
        assert!(byte < 144, "its code has eight bits");
        high_first(&mut body, usize::from(byte) + 0b0011_0000, 8);
    }
    body.extend([false; 7]);
    let n_left = UNIT * 8 - 3 - body.len();
    low_first(&mut bits, usize::from(is_last && n_left == 0), 1);
    low_first(&mut bits, 1, 2);
    bits.extend(body);
    if n_left > 0 {
        low_first(&mut bits, usize::from(is_last), 1);
        low_first(&mut bits, 1, 2);
        bits.extend([false; 7]);
    }
    assert_eq!(bits.len(), UNIT * 8, "an instruction has five bytes");
    let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
    bits.chunks(8).map(byte).collect()
}

/// Returns the code of a length or distance (minus the smallest one) and its extra bits: every
/// `2^(groups - 1)` codes have one bit more.
fn extended(value: usize, groups: u32) -> (usize, usize, u32) {
    let group = 1usize << (groups - 1);
    if value < 2 * group {
        return (value, 0, 0);
    }
    let n_extra = value.ilog2() + 1 - groups;
    let code = (value >> n_extra) + group * n_extra as usize;
    (code, value & ((1 << n_extra) - 1), n_extra)
}

/// The text of valid pages among the loops.
pub(crate) const READABLE: &str = "every honest page has a line of words that can be read";

/// Builds PDFs with loops, named by the kind of loop.
pub(crate) fn looping_pdfs() -> Vec<(&'static str, Vec<u8>)> {
    let catalog = "<< /Type /Catalog /Pages 2 0 R >>".to_owned();
    let text = format!("BT /F1 10 Tf 50 700 Td ({READABLE}) Tj ET");
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";
    let kids = |kids: &str| format!("<< /Type /Pages /Kids [{kids}] /Count 1 >>");
    let page = |more: &str| {
        let resources = "/Font << /F1 5 0 R >> /XObject << /X1 6 0 R /X2 7 0 R >>";
        format!("<< /Type /Page /Parent 2 0 R /Resources << {resources} >> {more} >>")
    };
    let plain = |content: &str, font: &str, more: &[String]| {
        let mut objects = vec![
            catalog.clone(),
            kids("3 0 R"),
            page("/Contents 4 0 R"),
            stream("", content),
            font.to_owned(),
        ];
        objects.extend_from_slice(more);
        objects
    };
    let form = |content: &str| {
        let resources = "/Resources << /XObject << /X1 6 0 R /X2 7 0 R >> >>";
        stream(&format!("/Type /XObject /Subtype /Form {resources}"), content)
    };
    let called = format!("{text} /X1 Do");
    let drawn = "<< /Type /Font /Subtype /Type3 /FontMatrix [1 0 0 1 0 0] /FirstChar 97 /Widths [1] \
                 /Encoding << /Differences [97 /a] >> /CharProcs << /a 6 0 R >> \
                 /Resources << /Font << /F1 5 0 R >> >> >>";
    let composite = "<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding 6 0 R \
                     /DescendantFonts [5 0 R 5 0 R] /ToUnicode 6 0 R >>";
    let used = stream("/Type /CMap /UseCMap 6 0 R", "/Any usecmap 1 begincidrange");
    let chain = |count: usize| {
        let link = |at: usize| format!("{} 0 R", if at + 1 < count { at + 7 } else { 6 });
        (0..count).map(link).collect::<Vec<String>>()
    };
    vec![
        ("pages.pdf", pdf(&[catalog.clone(), kids("2 0 R 2 0 R")], "")),
        (
            "pages-and-a-page.pdf",
            pdf(
                &[
                    catalog.clone(),
                    kids("2 0 R 3 0 R 6 0 R 3 0 R"),
                    page("/Contents 4 0 R"),
                    stream("", &text),
                    font.to_owned(),
                    kids("2 0 R 6 0 R"),
                ],
                "",
            ),
        ),
        (
            "forms.pdf",
            pdf(&plain(&called, font, &[form("/X1 Do /X2 Do"), form("/X1 Do /X2 Do")]), ""),
        ),
        ("form-of-page.pdf", pdf(&plain(&called, font, &["4 0 R".to_owned()]), "")),
        (
            "drawn.pdf",
            pdf(
                &plain("BT /F1 1 Tf (aaaa) Tj ET", drawn, &[stream("", "BT /F1 1 Tf (aa) Tj ET")]),
                "",
            ),
        ),
        ("composite.pdf", pdf(&plain(&text, composite, &[used]), "")),
        ("contents.pdf", {
            let mut objects = plain(&text, font, &["[6 0 R 4 0 R 6 0 R]".to_owned()]);
            objects[2] = page("/Contents 6 0 R");
            pdf(&objects, "")
        }),
        ("references.pdf", {
            let mut objects = plain(&text, font, &chain(100));
            objects[2] = page("/Contents [4 0 R 6 0 R] /MediaBox 6 0 R /Annots 6 0 R");
            pdf(&objects, "")
        }),
        ("length.pdf", {
            let mut objects = plain(&text, font, &["6 0 R".to_owned()]);
            let content = stream("", &text);
            objects[3] = content.replace(&format!("/Length {}", text.len()), "/Length 4 0 R");
            pdf(&objects, "")
        }),
        ("filters.pdf", {
            let names = "/ASCIIHexDecode ".repeat(1000);
            let more = format!("/Filter [{names}6 0 R] /DecodeParms 6 0 R");
            let mut objects = plain(&text, font, &["[6 0 R]".to_owned()]);
            objects[3] = stream(&more, &text);
            pdf(&objects, "")
        }),
        ("table.pdf", {
            let objects = plain(&text, font, &[]);
            let offset = table(&pdf(&objects, ""));
            pdf(&objects, &format!("/Prev {offset:010}"))
        }),
        ("two-tables.pdf", two_tables(&plain(&text, font, &[]))),
        ("object-stream.pdf", object_stream(7)),
        ("object-streams.pdf", object_stream(8)),
    ]
}

fn stream(dictionary: &str, content: &str) -> String {
    format!("<< /Length {} {dictionary} >>\nstream\n{content}\nendstream", content.len())
}

/// Builds a PDF of these objects; the first one is the catalog.
fn pdf(objects: &[String], trailer: &str) -> Vec<u8> {
    let mut file = "%PDF-1.5\n".to_owned();
    let mut offsets = Vec::new();
    for (object, number) in objects.iter().zip(1..) {
        offsets.push(file.len());
        // Writing to a string does not fail.
        let _ = write!(file, "{number} 0 obj\n{object}\nendobj\n");
    }
    let table = file.len();
    let _ = write!(file, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for offset in offsets {
        let _ = writeln!(file, "{offset:010} 00000 n ");
    }
    let _ = write!(
        file,
        "trailer\n<< /Size {} /Root 1 0 R {trailer} >>\nstartxref\n{table}\n%%EOF\n",
        objects.len() + 1
    );
    file.into_bytes()
}

/// Returns the offset of the object table.
fn table(file: &[u8]) -> usize {
    file.windows(7).rposition(|window| window == b"\nxref\n0").unwrap() + 1
}

/// Builds a PDF with two object tables that name each other as the previous one.
fn two_tables(objects: &[String]) -> Vec<u8> {
    let first = pdf(objects, "/Prev 0000000000");
    let (offset, second) = (table(&first), first.len());
    let mut file = String::from_utf8(first)
        .unwrap()
        .replace("/Prev 0000000000", &format!("/Prev {second:010}"));
    let _ = write!(
        file,
        "xref\n0 1\n0000000000 65535 f \ntrailer\n<< /Size 9 /Root 1 0 R /Prev {offset} >>\n\
         startxref\n{second}\n%%EOF\n"
    );
    file.into_bytes()
}

/// Builds a PDF whose page is in an object stream that extends stream `other` and is itself declared
/// to be in stream `other`: 7 is the stream itself, 8 is a stream inside it.
fn object_stream(other: u8) -> Vec<u8> {
    let text = format!("BT /F1 10 Tf 50 700 Td ({READABLE}) Tj ET");
    let inside = [
        (1, "<< /Type /Catalog /Pages 2 0 R >>"),
        (2, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"),
        (
            3,
            "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        ),
        (8, "<< /Type /ObjStm /N 1 /First 4 /Extends 7 0 R >>"),
    ];
    let (mut numbers, mut bodies) = (String::new(), String::new());
    for (number, body) in inside {
        let _ = write!(numbers, "{number} {} ", bodies.len());
        let _ = write!(bodies, "{body} ");
    }
    let packed = stream(
        &format!("/Type /ObjStm /N 4 /First {} /Extends {other} 0 R", numbers.len()),
        &format!("{numbers}{bodies}"),
    );
    let mut file = "%PDF-1.5\n".to_owned();
    let mut offsets = [0; 10];
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned();
    for (number, object) in [(4, stream("", &text)), (5, font), (7, packed)] {
        offsets[number] = file.len();
        let _ = write!(file, "{number} 0 obj\n{object}\nendobj\n");
    }
    let table = file.len();
    let mut entries: Vec<u8> = Vec::new();
    for (number, offset) in (0u8..).zip(offsets) {
        let [high, low] = u16::try_from(offset).unwrap().to_be_bytes();
        entries.extend(match number {
            1..=3 => [2, 0, 7, number - 1],
            8 => [2, 0, 7, 3],
            7 if other == 8 => [2, 0, 8, 0],
            4 | 5 | 7 => [1, high, low, 0],
            _ => [0, 0, 0, 0],
        });
    }
    let mut file = file.into_bytes();
    file.extend(
        format!(
            "9 0 obj\n<< /Type /XRef /Size 10 /Root 1 0 R /W [1 2 1] /Length {} /Prev {table} >>\nstream\n",
            entries.len()
        )
        .bytes(),
    );
    file.extend(entries);
    file.extend(format!("\nendstream\nendobj\nstartxref\n{table}\n%%EOF\n").bytes());
    file
}

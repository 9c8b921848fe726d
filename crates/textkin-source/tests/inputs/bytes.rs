//! Arbitrary bytes never panic, and the piece size does not change the result.

use proptest::prelude::*;
use textkin_source::{InputFormat, SourceSettings};

use crate::compressed::{KINDS, compress};
use crate::support::{read_as, read_bytes, settings};

const FORMATS: [InputFormat; 4] =
    [InputFormat::Text, InputFormat::Jsonl, InputFormat::Csv, InputFormat::Tsv];

fn noise() -> impl Strategy<Value = Vec<u8>> {
    let lines =
        "(\\{\"text\": ?\"[a-z\\\\n\",]{0,9}\"\\}|text,id|[a-z,\"\t]{0,12}|\u{feff}|ü|\\{){0,3}";
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300),
        prop::collection::vec(
            prop_oneof![Just("\n"), Just("\r\n")].prop_flat_map(move |end| (lines, Just(end))),
            0..20
        )
        .prop_map(|lines| lines
            .into_iter()
            .map(|(line, end)| line + end)
            .collect::<String>()
            .into_bytes()),
    ]
}

fn check(bytes: &[u8], piece_bytes: usize) {
    for format in FORMATS {
        for limit in [20, 1 << 20] {
            let set = SourceSettings { max_document_bytes: limit, ..settings() };
            let small = SourceSettings { piece_bytes, ..set.clone() };
            assert_eq!(read_as(format, bytes, &set), read_as(format, bytes, &small));
        }
    }
    let small = SourceSettings { piece_bytes, ..settings() };
    assert_eq!(read_bytes(bytes, &settings()), read_bytes(bytes, &small));
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in noise(), piece_bytes in 0usize..50) {
        check(&bytes, piece_bytes);
    }

    #[test]
    fn corrupt_compressed_bytes_never_panic(
        bytes in noise(),
        kind in 0..4usize,
        index in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = compress(KINDS[kind], &bytes);
        let index = index.index(bytes.len());
        bytes[index] = byte;
        check(&bytes, 7);
        check(&bytes[..cut.index(bytes.len())], 7);
    }
}

#[cfg(feature = "parquet")]
proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn arbitrary_bytes_as_parquet_never_panic(bytes in noise()) {
        read_as(InputFormat::Parquet, &bytes, &settings());
        let framed = [b"PAR1".as_slice(), &bytes, &10u32.to_le_bytes(), b"PAR1"].concat();
        read_as(InputFormat::Parquet, &framed, &settings());
    }
}

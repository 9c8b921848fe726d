//! Colours, the same as on the pages, adapted for print.

use krilla::color::rgb::Color;

/// Fill and edge colour of a source, by its number from 1.
pub(crate) fn hue(number: usize) -> (Color, Color) {
    const HUES: [(u32, u32); 6] = [
        (0xcf_e3ff, 0x1f_5fbf),
        (0xff_e2b8, 0x93_5200),
        (0xd2_f0cf, 0x2b_7a2b),
        (0xf3_d3f2, 0x8e_2f8c),
        (0xc9_eef0, 0x0d_7078),
        (0xf9_d6d0, 0xb0_3a2e),
    ];
    let (fill, edge) = HUES[number.saturating_sub(1) % HUES.len()];
    (rgb(fill), rgb(edge))
}

/// Dash pattern of the line under a passage, so that colour is not the only cue; empty for a solid
/// line.
pub(crate) fn dash(number: usize) -> &'static [f32] {
    const DASHES: [&[f32]; 4] = [&[], &[4.0, 2.0], &[1.0, 1.5], &[6.0, 1.5, 1.0, 1.5]];
    DASHES[number.saturating_sub(1) / 6 % DASHES.len()]
}

pub(crate) fn ink() -> Color {
    rgb(0x1c_1c1c)
}

pub(crate) fn soft() -> Color {
    rgb(0x5c_5c5c)
}

pub(crate) fn line() -> Color {
    rgb(0xcf_cfca)
}

pub(crate) fn grey() -> Color {
    rgb(0xee_eeeb)
}

pub(crate) fn warning() -> Color {
    rgb(0xff_f0cc)
}

pub(crate) fn paper() -> Color {
    rgb(0xff_ffff)
}

fn rgb(value: u32) -> Color {
    let [_, red, green, blue] = value.to_be_bytes();
    Color::new(red, green, blue)
}

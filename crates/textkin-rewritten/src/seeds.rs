//! Seeds: pairs of windows that share many telling words.

use crate::pair::{Side, TextPair};

/// A pair of windows, given by their first words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seed {
    pub(crate) sum: f32,
    pub(crate) a: usize,
    pub(crate) b: usize,
}

/// Returns the pairs of windows with the sum of a seed, the best first.
pub(crate) fn seeds(pair: &TextPair<'_>) -> Vec<Seed> {
    let step = pair.method.window / 2;
    let windows_of_words = windows_by_word(pair);
    let n_windows = pair.n_words(Side::B).div_ceil(step).max(1);
    let mut sums = vec![0.0_f32; n_windows];
    let mut touched: Vec<u32> = Vec::new();
    let mut seen = vec![usize::MAX; pair.n_shared()];
    let mut found = Vec::new();
    for a in (0..pair.n_words(Side::A)).step_by(step) {
        for at in a..(a + pair.method.window).min(pair.n_words(Side::A)) {
            let Some(number) = pair.number(Side::A, at) else { continue };
            if std::mem::replace(&mut seen[number], a) == a {
                continue;
            }
            let gain = pair.typical_gain(number);
            for &window in &windows_of_words[number] {
                let sum = &mut sums[window as usize];
                if *sum == 0.0 {
                    touched.push(window);
                }
                *sum += gain;
            }
        }
        for window in touched.drain(..) {
            let sum = std::mem::take(&mut sums[window as usize]);
            if sum >= pair.method.min_window_sum {
                found.push(Seed { sum, a, b: window as usize * step });
            }
        }
    }
    found.sort_by(|x, y| y.sum.total_cmp(&x.sum).then((x.a, x.b).cmp(&(y.a, y.b))));
    found
}

/// Returns the windows of the second text that have each shared word, in order; none for words of little gain.
fn windows_by_word(pair: &TextPair<'_>) -> Vec<Vec<u32>> {
    let step = pair.method.window / 2;
    let mut windows: Vec<Vec<u32>> = vec![Vec::new(); pair.n_shared()];
    for at in 0..pair.n_words(Side::B) {
        let Some(number) = pair.number(Side::B, at) else { continue };
        if pair.typical_gain(number) <= pair.method.min_window_gain {
            continue;
        }
        let last = (at / step) as u32;
        let list = &mut windows[number];
        for window in last.saturating_sub(1)..=last {
            if list.last().is_none_or(|known| *known < window) {
                list.push(window);
            }
        }
    }
    windows
}

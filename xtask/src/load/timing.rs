//! Whether the time of a probe reveals that another account privately holds a text.
//!
//! One account holds many documents and some further texts, all private. Another account probes these texts and
//! texts that nobody holds, repeatedly and in random order, and compares the times. A text that nobody holds has the
//! words of a held one in another order, so that only being held distinguishes them. The AUC is the probability
//! that a held text takes longer than another one; 0.5 reveals nothing.
//!
//! Even without any difference, the AUC of 60 texts of each kind exceeds 0.55 in one of six cases by chance.
//! Therefore the experiment is repeated with new texts, and the mean decides.

use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};

use super::client::HttpClient;
use super::options::Options;
use super::texts::text;
use super::{fill, load_documents, start_server, temporary_folder, wait_for_jobs};
use crate::generate::Random;

/// Words of the texts.
const LENGTHS: [usize; 2] = [120, 5000];
/// Texts of each kind in an experiment.
const TEXTS: usize = 60;
/// Times that each text is probed.
const REPEATS: usize = 30;

/// The texts of an experiment.
struct Experiment {
    n_words: usize,
    held: Vec<String>,
    free: Vec<String>,
}

impl Experiment {
    fn new(n_words: usize, random: &mut Random) -> Self {
        let mut experiment = Self { n_words, held: Vec::new(), free: Vec::new() };
        for _ in 0..TEXTS {
            let mut words: Vec<u32> = (0..n_words).map(|_| random.word()).collect();
            experiment.held.push(text(&words));
            shuffle(&mut words, random);
            experiment.free.push(text(&words));
        }
        experiment
    }

    /// Returns the AUC of the minimum and of the median of the repeats.
    fn run(&self, client: &mut HttpClient, random: &mut Random) -> Result<(f64, f64)> {
        let texts: Vec<&String> = self.held.iter().chain(&self.free).collect();
        let mut times: Vec<Vec<Duration>> = vec![Vec::new(); texts.len()];
        // The first time is not counted.
        for repeat in 0..=REPEATS {
            let mut order: Vec<usize> = (0..texts.len()).collect();
            shuffle(&mut order, random);
            for index in order {
                let body = format!("{{\"text\":\"{}\"}}", texts[index]);
                let started = Instant::now();
                let (status, response) = client.send("POST", "/api/v1/probe", &body)?;
                let took = started.elapsed();
                let is_blank = status == 200 && response.contains("\"matches\":[]");
                ensure!(is_blank, "the response reveals a private text: {status} {response}");
                if repeat > 0 {
                    times[index].push(took);
                }
            }
        }
        times.iter_mut().for_each(|times| times.sort_unstable());
        let auc_at = |index: usize| {
            let times: Vec<Duration> = times.iter().map(|times| times[index]).collect();
            auc(&times[..TEXTS], &times[TEXTS..])
        };
        Ok((auc_at(0), auc_at(REPEATS / 2)))
    }
}

/// Runs the experiments; fails if the time reveals more than `--max-auc`.
pub(crate) fn timing(arguments: &[&str]) -> Result<()> {
    let options = Options::new(arguments, &["--documents", "--trials", "--max-auc"])?;
    let n_documents = options.number("--documents", 100_000)?;
    let n_trials: usize = options.number("--trials", 10)?;
    let max_auc: f64 = options.number("--max-auc", 0.55)?;
    ensure!(n_trials > 0, "--trials must be at least 1");
    let mut random = Random::new(11);
    let experiments: Vec<Experiment> = LENGTHS
        .iter()
        .flat_map(|&length| std::iter::repeat_n(length, n_trials))
        .map(|length| Experiment::new(length, &mut random))
        .collect();
    let folder = temporary_folder()?;
    let mut server = start_server(folder.path())?;
    let mut owner = server.client()?;
    let new = "{\"name\":\"library\",\"visibility\":\"private\"}";
    owner.send_json("POST", "/api/v1/repositories", new)?;
    // Half of the held texts are the oldest documents, half the newest.
    let held = experiments.iter().flat_map(|experiment| &experiment.held);
    let held = held.enumerate().map(|(number, text)| (format!("held-{number}"), text.clone()));
    let (oldest, newest): (Vec<_>, Vec<_>) =
        held.enumerate().partition(|(index, _)| index % 2 == 0);
    let documents = |part: Vec<(usize, (String, String))>| part.into_iter().map(|(_, held)| held);
    load_documents(&mut owner, folder.path(), "library", documents(oldest))?;
    fill(&mut owner, folder.path(), "library", 1, n_documents)?;
    load_documents(&mut owner, folder.path(), "library", documents(newest))?;
    wait_for_jobs(&mut owner)?;
    println!("documents            {n_documents:>10} of another account");
    println!("texts held           {:>10}", experiments.len() * TEXTS);
    println!("times per text       {REPEATS:>10}");
    let mut client = server.client_of("visitor")?;
    let mut worst = 0.5f64;
    for (experiments, n_words) in experiments.chunks(n_trials).zip(LENGTHS) {
        let (mut minima, mut medians) = (Vec::new(), Vec::new());
        for experiment in experiments {
            debug_assert_eq!(experiment.n_words, n_words);
            let (minimum, median) = experiment.run(&mut client, &mut random)?;
            minima.push(minimum);
            medians.push(median);
        }
        for (name, aucs) in [("minimum", minima), ("median", medians)] {
            let mean = aucs.iter().sum::<f64>() / aucs.len() as f64;
            let lowest = aucs.iter().copied().fold(f64::INFINITY, f64::min);
            let highest = aucs.iter().copied().fold(0.0, f64::max);
            println!(
                "{n_words:>4} words, {name:<9} AUC {mean:>6.3}   ({lowest:.3} to {highest:.3} in {n_trials} trials)"
            );
            // Times that are shorter reveal as much as times that are longer.
            worst = worst.max(mean).max(1.0 - mean);
        }
    }
    // The standard deviation of the AUC of two equal distributions.
    let n = TEXTS as f64;
    let chance = ((2.0 * n + 1.0) / (12.0 * n * n * n_trials as f64)).sqrt();
    println!("without a difference    0.500 ± {:.3} (95 %)", 1.96 * chance);
    server.stop()?;
    if worst > max_auc {
        bail!("the time of a probe reveals private texts: AUC {worst:.3}, goal at most {max_auc}");
    }
    Ok(())
}

/// Returns the probability that one of `held` is larger than one of `free`; ties count half.
fn auc(held: &[Duration], free: &[Duration]) -> f64 {
    let score = |(held, free): (&Duration, &Duration)| match held.cmp(free) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    };
    let pairs = held.iter().flat_map(|held| free.iter().map(move |free| (held, free)));
    pairs.map(score).sum::<f64>() / (held.len() * free.len()) as f64
}

fn shuffle<T>(items: &mut [T], random: &mut Random) {
    for last in (1..items.len()).rev() {
        items.swap(last, random.index(last + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_auc_is_one_half_for_equal_times_and_one_for_longer_ones() {
        let times = |millis: &[u64]| -> Vec<Duration> {
            millis.iter().map(|millis| Duration::from_millis(*millis)).collect()
        };
        assert!((auc(&times(&[1, 2, 3]), &times(&[3, 2, 1])) - 0.5).abs() < 1e-9);
        assert!((auc(&times(&[4, 5]), &times(&[1, 2, 3])) - 1.0).abs() < 1e-9);
        assert!((auc(&times(&[1, 4]), &times(&[2, 3])) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn texts_that_nobody_holds_have_the_words_of_held_ones() {
        let experiment = Experiment::new(120, &mut Random::new(3));
        let words = |text: &str| {
            let mut words: Vec<String> =
                text.split_whitespace().map(|word| word.trim_end_matches('.').to_owned()).collect();
            words.sort_unstable();
            words
        };
        for (held, free) in experiment.held.iter().zip(&experiment.free) {
            assert_ne!(held, free);
            assert_eq!(words(held), words(free));
        }
    }
}

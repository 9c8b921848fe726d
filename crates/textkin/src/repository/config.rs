//! How a repository was made: stored with it, and never mixed with other settings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use textkin_text::grammar::Resources;

use crate::error::Error;
use crate::index_file::AnalysisConfig;
use crate::settings::Settings;

/// What is decided when a repository is made, and holds for every document in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepositoryConfig {
    /// How text becomes words and words become chunks.
    #[serde(flatten)]
    pub analysis: AnalysisConfig,
    /// Which chunks are indexed.
    pub select: String,
    /// Word lists of the selector, by the file that named them.
    pub lists: BTreeMap<String, Vec<String>>,
    /// Texts whose passages never count.
    pub template_texts: Vec<String>,
    /// Whether texts are kept; else only hashes of their words and chunks.
    pub keeps_text: bool,
}

impl RepositoryConfig {
    /// What `settings` decide.
    ///
    /// # Errors
    /// If the selector must know the whole collection, which is never whole.
    pub fn new(settings: &Settings, keeps_text: bool) -> Result<Self, Error> {
        if settings.select.needs_collection() {
            return Err(Error::SelectorNeedsCollection(settings.select.to_string()));
        }
        let lists = settings.resources.lists.iter();
        let list = |(file, words): (&std::path::PathBuf, &Vec<String>)| {
            (file.to_string_lossy().into_owned(), words.clone())
        };
        Ok(Self {
            analysis: AnalysisConfig::new(settings),
            select: settings.select.to_string(),
            lists: lists.map(list).collect(),
            template_texts: settings.templates.clone(),
            keeps_text,
        })
    }

    /// The making of a repository, as it is stored.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn read(about: &serde_json::Value) -> Result<Self, Error> {
        Self::deserialize(about).map_err(|error| Error::RepositoryConfig(error.to_string()))
    }

    pub(crate) fn write(&self) -> Result<serde_json::Value, Error> {
        serde_json::to_value(self).map_err(|error| Error::RepositoryConfig(error.to_string()))
    }

    /// The settings that make words and chunks like those of the repository.
    ///
    /// # Errors
    /// If this version lacks one of the strategies.
    pub fn settings(&self) -> Result<Settings, Error> {
        let lists = self.lists.iter().map(|(file, words)| (file.into(), words.clone()));
        Ok(Settings {
            select: self.select.parse()?,
            resources: Resources { lists: lists.collect(), ..Resources::default() },
            templates: self.template_texts.clone(),
            replays: !self.keeps_text,
            ..self.analysis.settings()?
        })
    }
}

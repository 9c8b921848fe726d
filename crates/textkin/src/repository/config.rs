//! The configuration of a repository, stored with it and fixed at its creation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use textkin_text::grammar::Resources;

use crate::error::Error;
use crate::index_file::AnalysisConfig;
use crate::settings::Settings;

/// The configuration of a repository: fixed at its creation and applied to every document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepositoryConfig {
    /// How texts become words and chunks.
    #[serde(flatten)]
    pub analysis: AnalysisConfig,
    /// Which chunks are indexed.
    pub select: String,
    /// Word lists of the selector, by file.
    pub lists: BTreeMap<String, Vec<String>>,
    /// Texts whose passages are excluded.
    pub template_texts: Vec<String>,
    /// Whether texts are stored; else only hashes of their words and chunks.
    pub keeps_text: bool,
    /// Whether pairs of words are indexed, so that rewritten text can be found.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rewritten: bool,
}

impl RepositoryConfig {
    /// Takes the configuration from `settings`.
    ///
    /// # Errors
    /// If the selector needs the whole collection, which a growing repository does not have.
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
            rewritten: false,
        })
    }

    /// Parses a stored configuration.
    ///
    /// # Errors
    /// If the configuration is invalid.
    pub(crate) fn read(stored: &serde_json::Value) -> Result<Self, Error> {
        Self::deserialize(stored).map_err(|error| Error::RepositoryConfig(error.to_string()))
    }

    pub(crate) fn write(&self) -> Result<serde_json::Value, Error> {
        serde_json::to_value(self).map_err(|error| Error::RepositoryConfig(error.to_string()))
    }

    /// Returns settings that produce the same words and chunks as the repository.
    ///
    /// # Errors
    /// If this version does not support one of the strategies.
    pub fn settings(&self) -> Result<Settings, Error> {
        let lists = self.lists.iter().map(|(file, words)| (file.into(), words.clone()));
        Ok(Settings {
            select: self.select.parse()?,
            resources: Resources { lists: lists.collect(), ..Resources::default() },
            templates: self.template_texts.clone(),
            ..self.analysis.settings()?
        })
    }
}

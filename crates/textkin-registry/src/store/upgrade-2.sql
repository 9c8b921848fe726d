-- From version 1 to version 2.

-- Texts that everybody was given, such as forms and cover sheets; a check can exclude them.
CREATE TABLE template (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    repository INTEGER NOT NULL REFERENCES repository ON DELETE CASCADE,
    name       TEXT    NOT NULL,
    words      INTEGER NOT NULL,
    text       BLOB    NOT NULL,
    created    INTEGER NOT NULL,
    UNIQUE (repository, name)
) STRICT;

-- Phrases that a check can exclude.
CREATE TABLE stop_phrase (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    repository INTEGER NOT NULL REFERENCES repository ON DELETE CASCADE,
    phrase     TEXT    NOT NULL,
    created    INTEGER NOT NULL,
    UNIQUE (repository, phrase)
) STRICT;

-- The overview of a repository on the dashboard, computed from time to time.
CREATE TABLE figures (
    repository INTEGER PRIMARY KEY REFERENCES repository ON DELETE CASCADE,
    at         INTEGER NOT NULL,
    documents  INTEGER NOT NULL,         -- of the repository at that time
    compared   INTEGER NOT NULL,         -- documents that were compared
    words      INTEGER NOT NULL,         -- their words
    duplicated INTEGER NOT NULL,         -- those of them that another of the documents has
    clusters   INTEGER NOT NULL,
    bars       TEXT    NOT NULL,         -- JSON: documents by best match, in steps of 5 %
    best       TEXT    NOT NULL          -- JSON: [number, best match in ‰, number of the other]
) STRICT;

-- Passages whose origin changed because an older document was registered later.
CREATE TABLE reattribution (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    repository INTEGER NOT NULL REFERENCES repository ON DELETE CASCADE,
    at         INTEGER NOT NULL,
    document   INTEGER NOT NULL REFERENCES document ON DELETE CASCADE,
    before     INTEGER NOT NULL,
    after      INTEGER NOT NULL REFERENCES document ON DELETE CASCADE,
    words      INTEGER NOT NULL
) STRICT;
CREATE INDEX reattribution_repository ON reattribution (repository, id);
CREATE INDEX reattribution_document ON reattribution (document);
CREATE INDEX reattribution_after ON reattribution (after);

-- Contact requests to the owners of private matches, who stay anonymous.
CREATE TABLE question (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    account    INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    document   INTEGER NOT NULL REFERENCES document ON DELETE CASCADE,
    digest     BLOB    NOT NULL,         -- of the text that was asked about
    title      TEXT    NOT NULL,
    note       TEXT    NOT NULL,
    words      INTEGER NOT NULL,         -- of that text
    shared     INTEGER NOT NULL,         -- those of them that the document has
    created    INTEGER NOT NULL,
    handled    INTEGER,
    handled_by INTEGER REFERENCES account ON DELETE SET NULL,
    UNIQUE (account, document, digest)
) STRICT;
CREATE INDEX question_document ON question (document);

ALTER TABLE hook ADD COLUMN name TEXT NOT NULL DEFAULT '';

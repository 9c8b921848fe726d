-- Version 7: results are listed by account; those of several files belong to a batch.

ALTER TABLE result ADD COLUMN batch TEXT;
CREATE INDEX result_account ON result (account, created);

-- An alert outlives the document that it found, with what it needs to be understood. SQLite cannot change a foreign
-- key; the program switches them off for the upgrade.
CREATE TABLE alert_7 (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    watch         INTEGER NOT NULL REFERENCES watch ON DELETE CASCADE,
    watched       INTEGER NOT NULL REFERENCES document ON DELETE CASCADE,
    found         INTEGER REFERENCES document ON DELETE SET NULL,
    level         TEXT    NOT NULL,
    watched_words INTEGER NOT NULL,
    found_words   INTEGER NOT NULL,
    watched_shared INTEGER NOT NULL,
    found_shared  INTEGER NOT NULL,
    created_ms    INTEGER NOT NULL,
    state         TEXT    NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'handled', 'dismissed')),
    changed       INTEGER,
    changed_by    INTEGER,
    assignee      INTEGER REFERENCES account ON DELETE SET NULL,
    is_bounded    INTEGER NOT NULL DEFAULT 0,
    found_repository TEXT NOT NULL,
    found_id      TEXT    NOT NULL,
    found_title   TEXT,
    found_time    TEXT,
    passages      TEXT    NOT NULL DEFAULT '[]', -- JSON: [first byte, end, words] in the watched text
    UNIQUE (watch, watched, found)
) STRICT;
INSERT INTO alert_7 (id, watch, watched, found, level, watched_words, found_words, watched_shared, found_shared,
    created_ms, state, changed, changed_by, assignee, is_bounded, found_repository, found_id, found_title, found_time)
SELECT alert.id, watch, watched, found, level, watched_words, found_words, watched_shared, found_shared, created_ms,
    state, changed, changed_by, assignee, is_bounded, repository.name, document.id, document.title, document.time
FROM alert JOIN document ON document.number = found JOIN repository ON repository.id = document.repository;
DROP TABLE alert;
ALTER TABLE alert_7 RENAME TO alert;
CREATE INDEX alert_watched ON alert (watched);
CREATE INDEX alert_found ON alert (found);
CREATE INDEX alert_state ON alert (state, id);
CREATE INDEX alert_watch ON alert (watch, state, id);
CREATE INDEX alert_assignee ON alert (assignee, id) WHERE assignee IS NOT NULL;

-- Links by which an account sets a new password, once; only their digests are stored.
CREATE TABLE password_reset (
    digest  BLOB    PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Links by which people without an account read a result; only their digests are stored.
CREATE TABLE result_link (
    digest     BLOB    PRIMARY KEY,
    result     TEXT    NOT NULL REFERENCES result ON DELETE CASCADE,
    exclusions TEXT    NOT NULL,         -- JSON
    created    INTEGER NOT NULL,
    expires    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX result_link_result ON result_link (result);

-- The address of the client.
ALTER TABLE audit ADD COLUMN address TEXT;

-- A repository is found by its name without reading all others.
CREATE INDEX repository_name ON repository (name);

-- Version 1. Times are seconds since 1970 unless a column says otherwise.

CREATE TABLE account (
    id       INTEGER PRIMARY KEY,
    name     TEXT    NOT NULL UNIQUE,
    mail     TEXT    UNIQUE,
    password TEXT,                       -- argon2; NULL: cannot sign in
    is_admin INTEGER NOT NULL DEFAULT 0,
    is_off   INTEGER NOT NULL DEFAULT 0,
    created  INTEGER NOT NULL,
    seen     INTEGER NOT NULL DEFAULT 0  -- last visit of the dashboard
) STRICT;

CREATE TABLE team (
    id      INTEGER PRIMARY KEY,
    name    TEXT    NOT NULL UNIQUE,
    created INTEGER NOT NULL
) STRICT;

CREATE TABLE member (
    team    INTEGER NOT NULL REFERENCES team ON DELETE CASCADE,
    account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    role    TEXT    NOT NULL CHECK (role IN ('reader', 'writer', 'owner')),
    PRIMARY KEY (team, account)
) STRICT, WITHOUT ROWID;
CREATE INDEX member_account ON member (account);

CREATE TABLE session (
    digest  BLOB    PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    csrf    TEXT    NOT NULL,
    created INTEGER NOT NULL,
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE api_key (
    id         INTEGER PRIMARY KEY,
    account    INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    name       TEXT    NOT NULL,
    digest     BLOB    NOT NULL UNIQUE,
    scopes     TEXT    NOT NULL,
    repository INTEGER REFERENCES repository ON DELETE CASCADE,
    addresses  TEXT,
    created    INTEGER NOT NULL,
    expires    INTEGER,
    used       INTEGER,
    revoked    INTEGER
) STRICT;

CREATE TABLE repository (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    team            INTEGER NOT NULL REFERENCES team,
    name            TEXT    NOT NULL,
    visibility      TEXT    NOT NULL CHECK (visibility IN ('public', 'private')),
    keeps_text      INTEGER NOT NULL DEFAULT 1,
    checked_against INTEGER NOT NULL DEFAULT 1,
    is_disclosed    INTEGER NOT NULL DEFAULT 0,
    keep_days       INTEGER,
    keep_count      INTEGER,
    created         INTEGER NOT NULL,
    documents       INTEGER NOT NULL DEFAULT 0,
    words           INTEGER NOT NULL DEFAULT 0,
    last_added      INTEGER,
    UNIQUE (team, name)
) STRICT;
CREATE UNIQUE INDEX repository_public ON repository (name) WHERE visibility = 'public';

CREATE TABLE document (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    repository INTEGER NOT NULL REFERENCES repository,
    id         TEXT    NOT NULL,
    title      TEXT,
    time       TEXT,
    words      INTEGER NOT NULL,
    bytes      INTEGER NOT NULL,
    digest     BLOB    NOT NULL,
    added      INTEGER NOT NULL,
    account    INTEGER,
    UNIQUE (repository, id)
) STRICT;
CREATE INDEX document_added ON document (repository, added);

-- Texts that are not flushed to the index yet. `shelf`: 0 for the texts partition, 1 for fingerprints.
CREATE TABLE pending (
    number INTEGER PRIMARY KEY REFERENCES document ON DELETE CASCADE,
    shelf  INTEGER NOT NULL,
    text   BLOB    NOT NULL
) STRICT;

-- Deleted documents that may still be in index files.
CREATE TABLE erase (
    number  INTEGER PRIMARY KEY,
    shelf   INTEGER NOT NULL,
    receipt INTEGER
) STRICT;

CREATE TABLE receipt (
    id         INTEGER PRIMARY KEY,
    at         INTEGER NOT NULL,
    account    INTEGER,
    team       INTEGER NOT NULL,
    repository TEXT    NOT NULL,
    reason     TEXT    NOT NULL,
    documents  INTEGER NOT NULL,
    words      INTEGER NOT NULL,
    ids        TEXT    NOT NULL,         -- JSON: the first thousand ids with digests
    erased     INTEGER                   -- when the last byte left the disk
) STRICT;

CREATE TABLE job (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT    NOT NULL,
    account    INTEGER,
    repository INTEGER REFERENCES repository ON DELETE CASCADE,
    document   INTEGER,
    state      TEXT    NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed')),
    detail     TEXT    NOT NULL DEFAULT '',
    payload    TEXT,
    done       INTEGER NOT NULL DEFAULT 0,
    total      INTEGER,
    attempts   INTEGER NOT NULL DEFAULT 0,
    created    INTEGER NOT NULL,
    finished   INTEGER
) STRICT;
CREATE INDEX job_checks ON job (id) WHERE state IN ('waiting', 'running') AND kind = 'check';
CREATE INDEX job_others ON job (id) WHERE state IN ('waiting', 'running') AND kind <> 'check';
CREATE INDEX job_document ON job (document) WHERE state <> 'done';
CREATE INDEX job_failed ON job (id) WHERE state = 'failed';

CREATE TABLE watch (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    account    INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    repository INTEGER NOT NULL REFERENCES repository ON DELETE CASCADE,
    min_level  TEXT    NOT NULL DEFAULT 'some',
    exact      REAL    NOT NULL DEFAULT 1.0,
    high       REAL    NOT NULL DEFAULT 0.5,
    some       REAL    NOT NULL DEFAULT 0.05,
    min_words  INTEGER NOT NULL DEFAULT 0,
    channels   TEXT    NOT NULL,         -- JSON list
    hook       INTEGER REFERENCES hook ON DELETE SET NULL,
    quiet_from INTEGER,                  -- minutes of the day, UTC
    quiet_to   INTEGER,
    digest     INTEGER NOT NULL DEFAULT 0, -- hours between digests; 0: at once
    created    INTEGER NOT NULL
) STRICT;
CREATE INDEX watch_repository ON watch (repository);

CREATE TABLE alert (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    watch         INTEGER NOT NULL REFERENCES watch ON DELETE CASCADE,
    watched       INTEGER NOT NULL REFERENCES document ON DELETE CASCADE,
    found         INTEGER NOT NULL REFERENCES document ON DELETE CASCADE,
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
    UNIQUE (watch, watched, found)
) STRICT;
CREATE INDEX alert_watched ON alert (watched);
CREATE INDEX alert_found ON alert (found);
CREATE INDEX alert_state ON alert (state, id);

CREATE TABLE hook (
    id      INTEGER PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    url     TEXT    NOT NULL,
    secret  TEXT    NOT NULL,
    created INTEGER NOT NULL
) STRICT;

CREATE TABLE delivery (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    alert    INTEGER REFERENCES alert ON DELETE CASCADE,
    account  INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    channel  TEXT    NOT NULL,
    hook     INTEGER REFERENCES hook ON DELETE CASCADE,
    state    TEXT    NOT NULL CHECK (state IN ('waiting', 'done', 'failed')),
    attempts INTEGER NOT NULL DEFAULT 0,
    next     INTEGER NOT NULL,
    answer   TEXT    NOT NULL DEFAULT '',
    created  INTEGER NOT NULL,
    finished INTEGER
) STRICT;
CREATE INDEX delivery_due ON delivery (next) WHERE state = 'waiting';
CREATE INDEX delivery_alert ON delivery (alert);

CREATE TABLE idempotency (
    account INTEGER NOT NULL,
    key     TEXT    NOT NULL,
    request BLOB    NOT NULL,
    status  INTEGER NOT NULL,
    body    TEXT    NOT NULL,
    created INTEGER NOT NULL,
    PRIMARY KEY (account, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE result (
    id      TEXT    PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    title   TEXT    NOT NULL,
    created INTEGER NOT NULL,
    text    BLOB    NOT NULL,
    query   TEXT    NOT NULL             -- JSON: what was asked for
) STRICT, WITHOUT ROWID;

CREATE TABLE decision (
    id      INTEGER PRIMARY KEY,
    team    INTEGER NOT NULL REFERENCES team ON DELETE CASCADE,
    account INTEGER NOT NULL,
    a       INTEGER NOT NULL,
    b       INTEGER NOT NULL,
    state   TEXT    NOT NULL,
    note    TEXT    NOT NULL,
    at      INTEGER NOT NULL
) STRICT;
CREATE INDEX decision_pair ON decision (a, b);

CREATE TABLE origin (
    number INTEGER PRIMARY KEY REFERENCES document ON DELETE CASCADE,
    labels TEXT NOT NULL
) STRICT;

CREATE TABLE audit (
    id      INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    account INTEGER,
    action  TEXT    NOT NULL,
    object  TEXT    NOT NULL
) STRICT;

CREATE TABLE mail (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    message TEXT    NOT NULL UNIQUE,
    sender  TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    body    BLOB                          -- until it is answered
) STRICT;

CREATE TABLE setting (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

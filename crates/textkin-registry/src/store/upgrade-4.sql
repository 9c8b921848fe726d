-- From version 3 to version 4.

-- Invitations to teams, until they are accepted or declined.
CREATE TABLE invitation (
    team       INTEGER NOT NULL REFERENCES team ON DELETE CASCADE,
    account    INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    role       TEXT    NOT NULL CHECK (role IN ('reader', 'writer', 'owner')),
    invited_by INTEGER REFERENCES account ON DELETE SET NULL,
    created    INTEGER NOT NULL,
    PRIMARY KEY (team, account)
) STRICT, WITHOUT ROWID;
CREATE INDEX invitation_account ON invitation (account);

-- What the text of a result shares with which documents, computed once; compressed.
ALTER TABLE result ADD COLUMN matches BLOB;

-- Whether the counts of an alert come from the index alone, because there were too many candidates to
-- compare each word by word.
ALTER TABLE alert ADD COLUMN is_bounded INTEGER NOT NULL DEFAULT 0;

-- When the matches were calculated, and the last document that had been registered by then.
ALTER TABLE result ADD COLUMN calculated INTEGER NOT NULL DEFAULT 0;
ALTER TABLE result ADD COLUMN last_document INTEGER NOT NULL DEFAULT 0;

-- The matches of a result with exclusions that need the texts, by settings; compressed.
CREATE TABLE result_exclusions (
    result   TEXT NOT NULL REFERENCES result ON DELETE CASCADE,
    settings TEXT NOT NULL,
    matches  BLOB NOT NULL,
    PRIMARY KEY (result, settings)
) STRICT, WITHOUT ROWID;

-- The comparisons of a result with its sources, by settings; empty for the defaults; compressed.
CREATE TABLE result_comparison (
    result     TEXT    NOT NULL REFERENCES result ON DELETE CASCADE,
    settings   TEXT    NOT NULL,
    document   INTEGER NOT NULL REFERENCES document ON DELETE CASCADE,
    comparison BLOB    NOT NULL,
    PRIMARY KEY (result, settings, document)
) STRICT;
CREATE INDEX result_comparison_document ON result_comparison (document);

-- The setup token was readable; now only its digest is stored, and the server prints a new one when it
-- starts. Webhook secrets are encrypted by the program, in the same transaction.
DELETE FROM setting WHERE name = 'setup';

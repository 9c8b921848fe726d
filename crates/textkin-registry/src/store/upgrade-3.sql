-- From version 2 to version 3.

-- Author and label of a document, according to its source.
ALTER TABLE document ADD COLUMN author TEXT;
ALTER TABLE document ADD COLUMN label TEXT;

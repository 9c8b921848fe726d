-- From version 2 to version 3.

-- Who wrote a document, and what else it is to be known by, as its source says.
ALTER TABLE document ADD COLUMN author TEXT;
ALTER TABLE document ADD COLUMN label TEXT;

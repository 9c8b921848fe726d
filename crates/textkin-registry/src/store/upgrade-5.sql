-- Version 5: the index has a partition per private repository. A document that is still to be erased has the
-- name of its partition; NULL for those of earlier versions, whose files the upgrade of the index deletes.

ALTER TABLE erase ADD COLUMN partition TEXT;
ALTER TABLE erase DROP COLUMN shelf;
ALTER TABLE pending DROP COLUMN shelf;

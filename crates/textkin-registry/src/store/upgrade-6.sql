-- Version 6: the latest alerts of a watch, and those assigned to an account, are found without reading the others.

CREATE INDEX alert_watch ON alert (watch, state, id);
CREATE INDEX alert_assignee ON alert (assignee, id) WHERE assignee IS NOT NULL;

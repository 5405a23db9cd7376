-- Why: runs that are watched from outside. What was told already is known by its sign, so that the same file
-- again, a grown one, or another source of the same session gives no doubles; and every file has its account.

CREATE TABLE seen (
    run  INTEGER NOT NULL REFERENCES runs (key) DEFERRABLE INITIALLY DEFERRED,
    sign BLOB    NOT NULL CHECK (length(sign) = 16),
    PRIMARY KEY (run, sign)
) STRICT, WITHOUT ROWID;

-- How often the same words were told, by whom: who tells them for the first time tells nothing new where another did.
CREATE TABLE said (
    run    INTEGER NOT NULL REFERENCES runs (key) DEFERRABLE INITIALLY DEFERRED,
    words  BLOB    NOT NULL CHECK (length(words) = 16),
    teller TEXT    NOT NULL,
    times  INTEGER NOT NULL,
    PRIMARY KEY (run, words, teller)
) STRICT, WITHOUT ROWID;

-- Files that were read, with what became of their lines.
CREATE TABLE files (
    key     INTEGER PRIMARY KEY,
    path    TEXT    NOT NULL UNIQUE,
    account TEXT    NOT NULL,
    at      INTEGER NOT NULL
) STRICT;

CREATE TABLE file_runs (
    run  INTEGER NOT NULL REFERENCES runs (key) DEFERRABLE INITIALLY DEFERRED,
    file INTEGER NOT NULL REFERENCES files (key),
    PRIMARY KEY (run, file)
) STRICT, WITHOUT ROWID;

CREATE TABLE answers (
    project     INTEGER NOT NULL,
    scope       TEXT    NOT NULL,
    key         TEXT    NOT NULL,
    fingerprint BLOB    NOT NULL CHECK (length(fingerprint) = 32),
    answer      TEXT    NOT NULL,
    at          INTEGER NOT NULL,
    PRIMARY KEY (project, scope, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX answers_by_age ON answers (at);

CREATE TRIGGER bodies_are_never_changed BEFORE UPDATE ON bodies
BEGIN SELECT raise(ABORT, 'bodies are append-only'); END;

CREATE TRIGGER bodies_are_never_removed BEFORE DELETE ON bodies
BEGIN SELECT raise(ABORT, 'bodies are append-only'); END;

CREATE TABLE bodies (
    key    INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
    text   TEXT NOT NULL
) STRICT;

CREATE TABLE chains (
    run         INTEGER NOT NULL REFERENCES runs (key) DEFERRABLE INITIALLY DEFERRED,
    seq         INTEGER NOT NULL,
    project     INTEGER NOT NULL,
    position    INTEGER NOT NULL,
    tool        TEXT    NOT NULL,
    task        INTEGER,
    code        TEXT    NOT NULL,
    state       TEXT    NOT NULL CHECK (state IN ('open', 'repaired', 'gave_up', 'loop')),
    expected    INTEGER NOT NULL CHECK (expected IN (0, 1)),
    tries       INTEGER NOT NULL,
    last_call   INTEGER NOT NULL,
    digest      TEXT    NOT NULL,
    same        INTEGER NOT NULL,
    repaired_by INTEGER,
    first_at    INTEGER NOT NULL,
    last_at     INTEGER NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX chains_by_position ON chains (project, position);

CREATE INDEX chains_by_task ON chains (project, task) WHERE task IS NOT NULL;

CREATE INDEX chains_unrepaired ON chains (run, seq) WHERE state <> 'repaired';

CREATE TRIGGER checkpoints_are_never_changed BEFORE UPDATE ON checkpoints
BEGIN SELECT raise(ABORT, 'checkpoints are append-only'); END;

CREATE TRIGGER checkpoints_are_never_removed BEFORE DELETE ON checkpoints
BEGIN SELECT raise(ABORT, 'checkpoints are append-only'); END;

CREATE TABLE checkpoints (
    key  INTEGER PRIMARY KEY,
    run  INTEGER NOT NULL REFERENCES runs (key) DEFERRABLE INITIALLY DEFERRED,
    seq  INTEGER NOT NULL CHECK (seq > 0),
    hash BLOB    NOT NULL CHECK (length(hash) = 32),
    at   INTEGER NOT NULL,
    sig  BLOB    NOT NULL CHECK (length(sig) = 64),
    UNIQUE (run, seq)
) STRICT;

CREATE TABLE checks (
    run       INTEGER PRIMARY KEY REFERENCES runs (key) DEFERRABLE INITIALLY DEFERRED,
    seq       INTEGER NOT NULL,
    ok        INTEGER NOT NULL CHECK (ok IN (0, 1)),
    first_bad INTEGER,
    at        INTEGER NOT NULL
) STRICT;

CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
BEGIN SELECT raise(ABORT, 'events are append-only'); END;

CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events
BEGIN SELECT raise(ABORT, 'events are append-only'); END;

CREATE TABLE events (
    position INTEGER PRIMARY KEY CHECK (position > 0),
    run      INTEGER NOT NULL REFERENCES runs (key) DEFERRABLE INITIALLY DEFERRED,
    seq      INTEGER NOT NULL CHECK (seq > 0),
    project  INTEGER NOT NULL,
    kind     TEXT    NOT NULL,
    task     INTEGER,
    body     TEXT    NOT NULL,
    hash     BLOB    NOT NULL CHECK (length(hash) = 32),
    UNIQUE (run, seq)
) STRICT;

CREATE INDEX events_by_task ON events (project, task, position) WHERE task IS NOT NULL;

CREATE INDEX events_of_board ON events (project, position, kind)
WHERE kind IN ('call_answered', 'call_rejected', 'note', 'rejection_marked', 'run_ended', 'run_resumed', 'run_started',
               'task_created', 'task_deleted', 'task_restored', 'task_updated', 'todo_written');

CREATE INDEX events_of_reads ON events (run, seq) WHERE kind = 'call_answered';

CREATE TABLE file_runs (
    run  INTEGER NOT NULL REFERENCES runs (key) DEFERRABLE INITIALLY DEFERRED,
    file INTEGER NOT NULL REFERENCES files (key),
    PRIMARY KEY (run, file)
) STRICT, WITHOUT ROWID;

CREATE TABLE files (
    key     INTEGER PRIMARY KEY,
    path    TEXT    NOT NULL UNIQUE,
    account TEXT    NOT NULL,
    at      INTEGER NOT NULL
) STRICT;

CREATE TABLE imports (
    run     INTEGER PRIMARY KEY REFERENCES runs (key) DEFERRABLE INITIALLY DEFERRED,
    id      BLOB    NOT NULL CHECK (length(id) = 16),
    name    TEXT    NOT NULL,
    file    TEXT    NOT NULL,
    chained INTEGER NOT NULL CHECK (chained IN (0, 1)),
    at      INTEGER NOT NULL
) STRICT;

CREATE TABLE keyframes (
    project  INTEGER NOT NULL,
    position INTEGER NOT NULL,
    events   INTEGER NOT NULL,
    board    BLOB    NOT NULL,
    PRIMARY KEY (project, position)
) STRICT;

CREATE TABLE policies (
    project INTEGER NOT NULL,
    name    TEXT    NOT NULL,
    value   TEXT    NOT NULL,
    PRIMARY KEY (project, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
    key  INTEGER PRIMARY KEY,
    id   BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    name TEXT NOT NULL,
    path TEXT UNIQUE
) STRICT;

CREATE TABLE refusals (
    run   INTEGER NOT NULL REFERENCES runs (key) DEFERRABLE INITIALLY DEFERRED,
    seq   INTEGER NOT NULL,
    chain INTEGER NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX refusals_by_chain ON refusals (run, chain, seq);

CREATE TABLE run_keys (
    source TEXT    NOT NULL,
    key    TEXT    NOT NULL,
    run    INTEGER NOT NULL REFERENCES runs (key) DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY (source, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE "runs" (
    key        INTEGER PRIMARY KEY,
    id         BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    project    INTEGER NOT NULL REFERENCES projects (key),
    parent     INTEGER REFERENCES runs (key) DEFERRABLE INITIALLY DEFERRED,
    parent_id  BLOB    CHECK (length(parent_id) = 16),
    actor      TEXT    NOT NULL CHECK (actor IN ('agent', 'person', 'host')),
    name       TEXT    NOT NULL,
    version    TEXT,
    title      TEXT,
    source     TEXT    NOT NULL CHECK (source IN ('bridge', 'session', 'meta', 'unattributed', 'window', 'browser', 'cli', 'import', 'transcript', 'hooks',
                                           'telemetry')),
    status     TEXT    NOT NULL CHECK (status IN ('running', 'completed', 'failed', 'interrupted', 'cancelled', 'budget_exhausted')),
    head_seq   INTEGER NOT NULL,
    head_hash  BLOB    NOT NULL CHECK (length(head_hash) = 32),
    calls      INTEGER NOT NULL DEFAULT 0,
    rejected   INTEGER NOT NULL,
    tokens_in  INTEGER,
    tokens_out INTEGER,
    cost       INTEGER,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER,
    last_at    INTEGER NOT NULL
) STRICT;

CREATE INDEX runs_by_parent ON runs (parent, key) WHERE parent IS NOT NULL;

CREATE INDEX runs_by_project ON runs (project, key);

CREATE INDEX runs_orphaned ON runs (parent_id) WHERE parent_id IS NOT NULL AND parent IS NULL;

CREATE INDEX runs_running ON runs (last_at) WHERE status = 'running';

CREATE TABLE said (
    run    INTEGER NOT NULL REFERENCES runs (key) DEFERRABLE INITIALLY DEFERRED,
    words  BLOB    NOT NULL CHECK (length(words) = 16),
    teller TEXT    NOT NULL,
    times  INTEGER NOT NULL,
    PRIMARY KEY (run, words, teller)
) STRICT, WITHOUT ROWID;

CREATE TABLE seen (
    run  INTEGER NOT NULL REFERENCES runs (key) DEFERRABLE INITIALLY DEFERRED,
    sign BLOB    NOT NULL CHECK (length(sign) = 16),
    PRIMARY KEY (run, sign)
) STRICT, WITHOUT ROWID;

CREATE TABLE segments (
    run     INTEGER NOT NULL REFERENCES runs (key) DEFERRABLE INITIALLY DEFERRED,
    first   INTEGER NOT NULL,
    last    INTEGER NOT NULL,
    columns BLOB    NOT NULL,
    facts   BLOB    NOT NULL,
    touched BLOB    NOT NULL,
    PRIMARY KEY (run, first)
) STRICT;

CREATE TABLE task_deps (
    project INTEGER NOT NULL,
    task    INTEGER NOT NULL,
    blocker INTEGER NOT NULL,
    PRIMARY KEY (project, task, blocker),
    FOREIGN KEY (project, task) REFERENCES tasks (project, no),
    FOREIGN KEY (project, blocker) REFERENCES tasks (project, no)
) STRICT, WITHOUT ROWID;

CREATE INDEX task_deps_by_blocker ON task_deps (project, blocker, task);

CREATE TABLE tasks (
    project          INTEGER NOT NULL REFERENCES projects (key),
    no               INTEGER NOT NULL CHECK (no > 0),
    id               BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    version          INTEGER NOT NULL CHECK (version > 0),
    status           TEXT    NOT NULL CHECK (status IN ('pending', 'in_progress', 'blocked', 'done')),
    subject          TEXT    NOT NULL CHECK (length(subject) BETWEEN 1 AND 200),
    description      TEXT    CHECK (length(description) BETWEEN 1 AND 2000),
    holder           INTEGER REFERENCES runs (key),
    rejected         INTEGER NOT NULL,
    deleted          INTEGER NOT NULL CHECK (deleted IN (0, 1)),
    created_position INTEGER NOT NULL,
    created_run      INTEGER NOT NULL REFERENCES runs (key),
    created_at       INTEGER NOT NULL,
    changed_position INTEGER NOT NULL,
    changed_run      INTEGER NOT NULL REFERENCES runs (key),
    changed_at       INTEGER NOT NULL,
    touched          INTEGER NOT NULL,
    PRIMARY KEY (project, no),
    CHECK (holder IS NULL OR status = 'in_progress')
) STRICT, WITHOUT ROWID;

CREATE INDEX tasks_by_status ON tasks (project, deleted, status, no);

CREATE INDEX tasks_by_touch ON tasks (project, touched);

//! The board at any position: the nearest kept board, and the events after it folded in.

use domain::fold::{At, Board};
use domain::{Payload, Position, ProjectId, RunId, Seq};
use store::table::keyframe::KeyframeRow;
use store::table::project::ProjectRow;
use store::{Reader, StoreError};

/// A board is kept after so many events at least …
pub(crate) const KEYFRAME_EVENTS: u64 = 1_000;

/// … and after as many as a quarter of its tasks: a large board costs more to keep than to fold.
fn due(events: u64, tasks: usize) -> bool {
    events >= KEYFRAME_EVENTS.max(tasks as u64 / 4)
}

fn pack(board: &Board) -> Result<Vec<u8>, StoreError> {
    let bytes = postcard::to_allocvec(board).map_err(StoreError::internal)?;
    Ok(lz4_flex::compress_prepend_size(&bytes))
}

fn unpack(packed: &[u8]) -> Result<Board, StoreError> {
    let bytes = lz4_flex::decompress_size_prepended(packed).map_err(StoreError::internal)?;
    postcard::from_bytes(&bytes).map_err(StoreError::internal)
}

fn fold(board: &mut Board, position: Position, run: RunId, body: &str) -> Result<(), StoreError> {
    let event = domain::ledger::read_brief(body).map_err(StoreError::internal)?;
    if let Some(payload) = Payload::parse_text(&event.kind, event.payload)? {
        let at = At { position, run, seq: event.seq, at: event.at };
        board.apply(at, &payload).map_err(StoreError::internal)?;
    }
    Ok(())
}

/// The last kept board at or before `at`, its position, and how many events it holds. One that cannot
/// be read, because another program kept it, is as good as none.
fn nearest(
    reader: &Reader<'_>,
    project: &ProjectRow,
    at: Position,
) -> Result<(Board, Position, u64), StoreError> {
    let keyframe = reader.keyframe_before(project, at)?;
    let kept = keyframe.and_then(|kept| Some((unpack(&kept.board).ok()?, kept.position, kept.events)));
    Ok(kept.unwrap_or((Board::default(), Position(0), 0)))
}

/// The board after everything up to `at`.
pub(crate) fn board_at(reader: &Reader<'_>, project: &ProjectRow, at: Position) -> Result<Board, StoreError> {
    let (mut board, from, _) = nearest(reader, project, at)?;
    forward(reader, project, &mut board, (from, at))?;
    Ok(board)
}

/// Brings a board from one position to a later one.
pub(crate) fn forward(
    reader: &Reader<'_>,
    project: &ProjectRow,
    board: &mut Board,
    (from, to): (Position, Position),
) -> Result<(), StoreError> {
    reader.event_of_board_each(project, (from, to), |position, run, body| {
        fold(board, position, run, body).map(|()| true)
    })
}

/// The board as one run's own events show it: of a run from a file nothing else is here. What does
/// not follow from them is passed over.
pub(crate) fn board_of_run(reader: &Reader<'_>, run: RunId, at: Seq) -> Result<Board, StoreError> {
    let mut board = Board::default();
    reader.event_bytes_each(run, Seq(1), |seq, position, body, _| {
        if seq <= at && is_of_board(body) {
            // An event that cannot follow, or has another shape, changes nothing here.
            let _ = fold(&mut board, position, run, body);
        }
        seq < at
    })?;
    Ok(board)
}

/// A cheap look at where a kind stands in the canonical form.
fn is_of_board(body: &str) -> bool {
    let kind = body.split_once("\"kind\":\"").and_then(|(_, rest)| rest.split_once('"'));
    kind.is_none_or(|(kind, _)| Board::KINDS.contains(&kind))
}

/// Boards to keep that are not kept yet, at most `limit`.
pub(crate) fn unkept(
    reader: &Reader<'_>,
    project: ProjectId,
    limit: usize,
) -> Result<Vec<(ProjectRow, KeyframeRow)>, StoreError> {
    let Some(project) = reader.project_by_id(project)? else { return Ok(Vec::new()) };
    let end = reader.position()?;
    let (mut board, from, mut events) = nearest(reader, &project, end)?;
    let (mut kept, mut since) = (Vec::new(), 0);
    reader.event_of_board_each(&project, (from, end), |position, run, body| {
        fold(&mut board, position, run, body)?;
        events += 1;
        since += 1;
        if due(since, board.tasks.len()) {
            kept.push((project.clone(), KeyframeRow { position, events, board: pack(&board)? }));
            since = 0;
        }
        Ok(kept.len() < limit)
    })?;
    Ok(kept)
}

//! One read model per screen. Field names here are the UI's types (types.gen.ts).

pub mod board;
pub mod runs;
pub mod status;
pub mod task;
pub mod trash;

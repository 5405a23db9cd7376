//! Streams in pieces: blocks of a model's answer put together from parts that come interleaved, out
//! of order and twice. A block exists once all of it is there; what never became whole is told apart.

use serde::de::IgnoredAny;
use std::collections::BTreeMap;

/// One part of one block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Which block of the answer: the index that the provider keeps stable.
    pub block: u64,
    /// Which part of the block, from 0. Sources that do not number their parts number them as they come.
    pub nth: u64,
    pub part: Part,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Said(String),
    Thought(String),
    /// Arguments of a call, and its name and id where this part has them.
    Call {
        id: Option<String>,
        name: Option<String>,
        arguments: String,
    },
    /// The block has so many parts as this one's number.
    Close,
}

/// A block that is whole, or what there is of one that never became whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    Said(String),
    Thought(String),
    Call { id: Option<String>, name: String, arguments: String },
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Blocks {
    blocks: BTreeMap<u64, Parts>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Parts {
    parts: BTreeMap<u64, Part>,
    /// How many there are, once that is known.
    count: Option<u64>,
    given: bool,
}

impl Blocks {
    /// Adds a part. One that is there already changes nothing.
    pub fn add(&mut self, piece: Piece) {
        let block = self.blocks.entry(piece.block).or_default();
        match piece.part {
            Part::Close => {
                block.count.get_or_insert(piece.nth);
            }
            part => {
                block.parts.entry(piece.nth).or_insert(part);
            }
        }
    }

    /// The number that the next part of a block has, where the source gives none.
    #[must_use]
    pub fn next(&self, block: u64) -> u64 {
        let last = self.blocks.get(&block).and_then(|block| block.parts.last_key_value());
        last.map_or(0, |(nth, _)| nth + 1)
    }

    /// Blocks that became whole since the last call, in the order of their indexes.
    pub fn whole(&mut self) -> Vec<Block> {
        let fresh = self.blocks.values_mut().filter(|block| !block.given && block.is_whole());
        fresh
            .filter_map(|block| {
                block.given = true;
                block.put_together()
            })
            .collect()
    }

    /// What never became whole. A call among it was interrupted: its arguments are not to be trusted.
    #[must_use]
    pub fn interrupted(self) -> Vec<Block> {
        self.blocks
            .into_values()
            .filter(|block| !block.given)
            .filter_map(|block| block.put_together())
            .collect()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }
}

impl Parts {
    fn is_whole(&self) -> bool {
        let Some(count) = self.count else { return false };
        // Parts beyond the close belong to nothing.
        if self.parts.range(..count).count() as u64 != count {
            return false;
        }
        match self.put_together() {
            Some(Block::Call { name, arguments, .. }) => {
                !name.is_empty() && serde_json::from_str::<IgnoredAny>(&arguments).is_ok()
            }
            other => other.is_some(),
        }
    }

    fn put_together(&self) -> Option<Block> {
        let upto = self.count.unwrap_or(u64::MAX);
        let mut whole = None;
        for part in self.parts.range(..upto).map(|(_, part)| part) {
            match (part, &mut whole) {
                (Part::Said(text), None) => whole = Some(Block::Said(text.clone())),
                (Part::Thought(text), None) => whole = Some(Block::Thought(text.clone())),
                (Part::Call { id, name, arguments }, None) => {
                    let name = name.clone().unwrap_or_default();
                    whole = Some(Block::Call { id: id.clone(), name, arguments: arguments.clone() });
                }
                (Part::Said(more), Some(Block::Said(text)))
                | (Part::Thought(more), Some(Block::Thought(text))) => text.push_str(more),
                (
                    Part::Call { id: its_id, name: its_name, arguments: more },
                    Some(Block::Call { id, name, arguments }),
                ) => {
                    *id = id.take().or_else(|| its_id.clone());
                    if name.is_empty() {
                        *name = its_name.clone().unwrap_or_default();
                    }
                    arguments.push_str(more);
                }
                // A part of another kind under the same index belongs to no block of ours.
                _ => {}
            }
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn call(block: u64, nth: u64, arguments: &str) -> Piece {
        let (id, name) = if nth == 0 { (Some("c1".into()), Some("read".into())) } else { (None, None) };
        Piece { block, nth, part: Part::Call { id, name, arguments: arguments.into() } }
    }

    fn whole(pieces: impl IntoIterator<Item = Piece>) -> (Vec<Block>, Vec<Block>) {
        let mut blocks = Blocks::default();
        pieces.into_iter().for_each(|piece| blocks.add(piece));
        (blocks.whole(), blocks.interrupted())
    }

    #[test]
    fn a_call_exists_once_its_block_is_complete() {
        let read = |arguments: &str| Block::Call {
            id: Some("c1".into()),
            name: "read".into(),
            arguments: arguments.into(),
        };
        let close = |block, nth| Piece { block, nth, part: Part::Close };
        let check = |pieces: Vec<Piece>, expected: Vec<Block>, interrupted: Vec<Block>| {
            assert_eq!(whole(pieces), (expected, interrupted));
        };
        let parts = || vec![call(0, 0, "{\"a\""), call(0, 1, ":1}")];
        check(parts(), vec![], vec![read("{\"a\":1}")]);
        check([parts(), vec![close(0, 2)]].concat(), vec![read("{\"a\":1}")], vec![]);
        check([vec![close(0, 2)], parts()].concat(), vec![read("{\"a\":1}")], vec![]);
        // One part is missing: nothing is made up.
        check(vec![call(0, 0, "{\"a\""), close(0, 2)], vec![], vec![read("{\"a\"")]);
        // Closed, and still no arguments that can be read.
        check(vec![call(0, 0, "{\"a\""), close(0, 1)], vec![], vec![read("{\"a\"")]);
        check([parts(), parts(), vec![close(0, 2), close(0, 1)]].concat(), vec![read("{\"a\":1}")], vec![]);
        check(vec![close(3, 0)], vec![], vec![]);
    }

    proptest! {
        /// Any split of the same bytes, in any order, gives the same blocks.
        #[test]
        fn any_split_and_order_gives_the_same(
            texts in prop::collection::vec("[a-z\u{6f22} ]{0,12}", 1..5),
            cuts in prop::collection::vec(0usize..12, 0..20),
            shuffled in any::<prop::sample::Index>(),
            seed in any::<u64>(),
        ) {
            let blocks: Vec<Block> = texts.iter().enumerate().map(|(i, text)| match i % 3 {
                0 => Block::Call { id: Some(format!("c{i}")), name: "t".into(), arguments: serde_json::json!({"x": text}).to_string() },
                1 => Block::Said(text.clone()),
                _ => Block::Thought(text.clone()),
            }).collect();
            let mut pieces = Vec::new();
            for (i, block) in blocks.iter().enumerate() {
                let text = match block { Block::Said(text) | Block::Thought(text) | Block::Call { arguments: text, .. } => text };
                let chars: Vec<char> = text.chars().collect();
                let mut ends: Vec<usize> = cuts.iter().map(|cut| (cut + i) % (chars.len() + 1)).collect();
                ends.push(chars.len());
                ends.sort_unstable();
                let mut from = 0;
                for (nth, end) in ends.iter().enumerate() {
                    let part: String = chars[from..*end].iter().collect();
                    from = *end;
                    let part = match block {
                        Block::Said(_) => Part::Said(part),
                        Block::Thought(_) => Part::Thought(part),
                        Block::Call { id, name, .. } => Part::Call { id: id.clone(), name: Some(name.clone()), arguments: part },
                    };
                    pieces.push(Piece { block: i as u64, nth: nth as u64, part });
                }
                pieces.push(Piece { block: i as u64, nth: ends.len() as u64, part: Part::Close });
            }
            let mut state = seed | 1;
            for i in (1..pieces.len()).rev() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                pieces.swap(i, (state >> 33) as usize % (i + 1));
            }
            let repeated = pieces[shuffled.index(pieces.len())].clone();
            pieces.push(repeated);
            prop_assert_eq!(whole(pieces.clone()), (blocks.clone(), vec![]));
            // Without its last close, a block is not whole.
            let lost = pieces.iter().position(|piece| piece.part == Part::Close && piece.block == 0).unwrap();
            let without: Vec<_> = pieces.iter().enumerate().filter(|(i, piece)| *i != lost && !(piece.part == Part::Close && piece.block == 0)).map(|(_, piece)| piece.clone()).collect();
            let (rest, interrupted) = whole(without);
            prop_assert_eq!(rest, blocks[1..].to_vec());
            prop_assert_eq!(interrupted, blocks[..1].to_vec());
        }
    }
}

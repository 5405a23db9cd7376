//! The person's name as it is written into the ledger.

/// The name by which the operating system knows whoever started this program.
#[must_use]
pub fn person() -> String {
    first_name(["USER", "LOGNAME", "USERNAME"].map(|variable| std::env::var(variable).ok()))
}

fn first_name(candidates: impl IntoIterator<Item = Option<String>>) -> String {
    let named = candidates.into_iter().flatten().find(|name| !name.trim().is_empty());
    named.map_or_else(|| "person".to_owned(), |name| name.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_name_that_says_something() {
        assert_eq!(first_name([None, Some("  ".into()), Some(" ada ".into())]), "ada");
        assert_eq!(first_name([None]), "person");
    }
}

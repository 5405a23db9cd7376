//! What a handler may do at worst: panic, or never come back. Both are answered.

use std::future::Future;
use std::time::Duration;

use serde_json::Value;
use tools::{Code, Failure, Refusal};

/// The longest a caller waits for one call or view.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(10);

/// Runs `work` on a task of its own. A call that is not answered in time goes on by itself: what it
/// commits stays, and a retry with the same key finds it.
pub(crate) async fn bounded<T: Send + 'static>(
    wait: Duration,
    work: impl Future<Output = Result<T, Failure>> + Send + 'static,
) -> Result<T, Failure> {
    match tokio::time::timeout(wait, tokio::spawn(work)).await {
        Ok(Ok(result)) => result,
        Ok(Err(error)) => {
            tracing::error!(%error, "a handler panicked");
            Err(internal(
                "a fault inside Tallyboard",
                "this is not your mistake; go on with other work and tell the person",
            ))
        }
        Err(_) => {
            tracing::error!(seconds = wait.as_secs(), "a handler did not come back in time");
            let fix = "read the task to see whether it changed, or send the same call again with the same idempotencyKey";
            Err(internal("the store did not answer in time; the call may still be carried out", fix))
        }
    }
}

fn internal(message: &str, fix: &str) -> Failure {
    let refusal = Refusal::new(Code::Internal, format!("{message}."));
    Failure::Refused(refusal.issue("", "no answer came from the handler", Value::Null, "an answer", fix))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(result: Result<(), Failure>) -> Code {
        match result {
            Err(Failure::Refused(refusal)) => refusal.code,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn a_panic_is_answered() {
        let result = bounded(WAIT_MAX, async { panic!("on purpose") }).await;
        assert_eq!(code(result), Code::Internal);
    }

    #[tokio::test(start_paused = true)]
    async fn a_handler_that_hangs_is_answered_in_time() {
        let started = tokio::time::Instant::now();
        let stuck = tokio::spawn(bounded(WAIT_MAX, std::future::pending()));
        // Others are not held up.
        assert!(bounded(WAIT_MAX, async { Ok(1) }).await.is_ok());
        assert_eq!(code(stuck.await.unwrap()), Code::Internal);
        assert_eq!(started.elapsed().as_secs(), 10);
    }
}

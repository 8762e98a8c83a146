//! Errors of the library as messages: all types that have one, since an error that was handed on is no longer known by
//! its type.

use std::error::Error;
use std::io;

use juzhong::answers::AnswerError;
use juzhong::message::{Message, ToMessage};

/// The message of an error, without its causes.
pub(crate) fn message_of(error: &(dyn Error + 'static)) -> Message {
    if let Some(error) = error.downcast_ref::<AnswerError>() {
        return message_of(error.fault());
    }
    if let Some(error) = error.downcast_ref::<io::Error>() {
        let within = error.get_ref().and_then(|within| known(within));
        return within.unwrap_or_else(|| error.message());
    }
    known(error).unwrap_or_else(|| Message::from(error.to_string()))
}

/// The message of an error with its causes.
pub(crate) fn in_full(error: &(dyn Error + 'static)) -> Message {
    let message = message_of(error);
    match error.source() {
        Some(cause) => message.because(in_full(cause)),
        None => message,
    }
}

/// The message of an error, if it is of a type that has one.
macro_rules! known {
    ($($kind:ty,)*) => {
        fn known(error: &(dyn Error + 'static)) -> Option<Message> {
            $(
                if let Some(error) = error.downcast_ref::<$kind>() {
                    return Some(error.message());
                }
            )*
            None
        }

        /// The types, as they are written here.
        #[cfg(test)]
        pub(crate) const KNOWN: &[&str] = &[$(stringify!($kind)),*];
    };
}

known! {
    Message,
    juzhong::answers::Refusal,
    juzhong::book::BookError,
    juzhong::book::BuildError,
    juzhong::book::EditError,
    juzhong::book::EvaluatorError,
    juzhong::book::FlagError,
    juzhong::book::RemakeError,
    juzhong::book::ReplaceError,
    juzhong::book::UnknownEnding,
    juzhong::book::UnknownFilter,
    juzhong::book::UnknownPolicy,
    juzhong::book::WeightError,
    juzhong::book::interop::InteropError,
    juzhong::book::interop::UnknownBookFormat,
    juzhong::book::opening::OpeningError,
    juzhong::book::opening::OpeningFault,
    juzhong::bytes::LineError,
    juzhong::bytes::journal::JournalError,
    juzhong::bytes::lock::Busy,
    juzhong::bytes::lock::LockError,
    juzhong::bytes::sealed::SealError,
    juzhong::collection::IndexError,
    juzhong::collection::NoveltyError,
    juzhong::collection::PatternError,
    juzhong::collection::UnknownColumn,
    juzhong::contest::BadPosition,
    juzhong::contest::ContestError,
    juzhong::contest::SelfPlayError,
    juzhong::engine::EngineError,
    juzhong::gomoku::BoardError,
    juzhong::gomoku::GeometryError,
    juzhong::gomoku::UnknownRules,
    juzhong::gomoku::UnknownVariant,
    juzhong::picture::PictureError,
    juzhong::picture::UnknownMark,
    juzhong::picture::UnknownTarget,
    juzhong::protocol::client::ClientError,
    juzhong::proxy::ProxyError,
    juzhong::record::BadGame,
    juzhong::record::BadGameReason,
    juzhong::record::ChangedError,
    juzhong::record::UnknownEncoding,
    juzhong::record::UnknownFormat,
    juzhong::record::UnpackError,
    juzhong::record::WriteError,
    juzhong::review::ReviewError,
    juzhong::search::SearchError,
    juzhong::solve::CheckError,
    juzhong::solve::CompleteTableError,
    juzhong::solve::NodeFault,
    juzhong::solve::ProofError,
    juzhong::solve::StoreError,
    juzhong::tablebase::GenerateError,
    juzhong::tablebase::MaterialError,
    juzhong::tablebase::TableError,
    juzhong::tablebase::UnknownFamily,
    juzhong::tablebase::UnknownName,
    juzhong::tablebase::VerifyError,
    juzhong::train::SourceError,
    juzhong::train::TrainError,
    juzhong::train::UnknownDay,
    juzhong::xiangqi::FenError,
    juzhong::xiangqi::SetupErrors,
    juzhong::xiangqi::UnknownRuleSet,
    juzhong::xiangqi::notation::IllegalReason,
    juzhong::xiangqi::notation::MoveError,
    juzhong::xiangqi::notation::UnknownNotation,
}

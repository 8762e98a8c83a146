//! Games: files of any format read, and written in any.

use juzhong::answers::{FileGames, UNNAMED, WriteRequest};

use crate::answer::{Answer, with_game};
use crate::problem::Problem;
use crate::request::Request;

/// The games in the bytes of a file, and one of them whole.
pub(crate) fn open(request: &Request<'_>) -> Result<Answer, Problem> {
    let index = request.number("index", (0, usize::MAX))?.unwrap_or(0);
    let name = request.text("name").unwrap_or(UNNAMED);
    let language = request.language();
    let opened = with_game!(request, G => {
        let found = FileGames::<G>::read(name, request.body, index)?;
        found.answer(|end| language.end(end), |note| language.say(&note))?
    });
    let body = serde_json::to_vec(&opened);
    let body = body.map_err(|error| Problem::internal(error.to_string()))?;
    Ok(Answer::bytes("application/json", body))
}

/// A game, given as a JSON line, in another format.
pub(crate) fn save(request: &Request<'_>) -> Result<Answer, Problem> {
    let write = write_request(request, "format")?;
    let mut out = Vec::new();
    let name = with_game!(request, G => write.write::<G>(request.body, &mut out)?);
    let answer = Answer::bytes("application/octet-stream", out);
    Ok(answer.with_header("content-disposition", format!("attachment; filename=\"{name}\"")))
}

/// The games of a file of any format in another format.
pub(crate) fn convert(request: &Request<'_>) -> Result<Answer, Problem> {
    let write = write_request(request, "to")?;
    let mut out = Vec::new();
    let bad = with_game!(request, G => write.convert::<G>(request.body, &mut out)?);
    let answer = Answer::bytes("application/octet-stream", out);
    Ok(answer.with_header("x-bad-games", bad.to_string()))
}

fn write_request(request: &Request<'_>, format: &str) -> Result<WriteRequest, Problem> {
    let format = request.text(format).map(str::to_owned);
    Ok(WriteRequest { format, notation: request.asked_notation()? })
}

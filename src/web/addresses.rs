//! What each address takes by the types that its handler reads, compared with the description of the answers.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::State;
use axum::handler::Handler;
use axum::http::{Method, Uri};
use schemars::{JsonSchema, schema_for};

use super::params::{GameBody, InPath, JsonBody, Params};
use super::state::App;
use super::{analyse, autosave, books, games, library, meta, moves, positions, review};

/// The names of parameters.
type Names = BTreeSet<String>;

/// The extractors of a handler, by which it reads a request.
trait Reads {
    /// The parameters that it reads.
    fn parameters() -> Names;
}

/// The names of a type's members, those of flattened ones included.
fn members<T: JsonSchema>() -> Names {
    let schema = schema_for!(T).to_value();
    let members = schema["properties"].as_object();
    members.into_iter().flatten().map(|(name, _)| name.clone()).collect()
}

impl<M, Q: JsonSchema> Reads for (M, State<Arc<App>>, Params<Q>) {
    fn parameters() -> Names {
        members::<Q>()
    }
}

impl<M, Q: JsonSchema> Reads for (M, State<Arc<App>>, Uri, Params<Q>) {
    fn parameters() -> Names {
        members::<Q>()
    }
}

impl<M, Q: JsonSchema> Reads for (M, State<Arc<App>>, Params<Q>, GameBody) {
    fn parameters() -> Names {
        members::<Q>()
    }
}

impl<M, Q: JsonSchema> Reads for (M, State<Arc<App>>, InPath, Params<Q>) {
    fn parameters() -> Names {
        let mut names = members::<Q>();
        names.insert("id".to_owned());
        names
    }
}

/// Of a request with a body the query names the language of errors.
impl<M, B> Reads for (M, State<Arc<App>>, JsonBody<B>) {
    fn parameters() -> Names {
        Names::from(["lang".to_owned()])
    }
}

/// The parameters that a handler reads.
fn read_by<H: Handler<T, Arc<App>>, T: Reads>(_handler: &H) -> Names {
    T::parameters()
}

#[test]
fn the_description_names_what_handlers_read() {
    for (method, path, names) in [
        (Method::GET, "/api/meta", read_by(&meta::meta)),
        (Method::GET, "/api/legal", read_by(&positions::legal)),
        (Method::GET, "/api/eval", read_by(&positions::eval)),
        (Method::GET, "/api/line", read_by(&positions::line)),
        (Method::GET, "/api/read", read_by(&positions::read)),
        (Method::GET, "/api/analyse", read_by(&analyse::analyse)),
        (Method::POST, "/api/move", read_by(&moves::choose)),
        (Method::POST, "/api/review", read_by(&review::stream)),
        (Method::POST, "/api/book/edit", read_by(&books::edit)),
        (Method::POST, "/api/book/undo", read_by(&books::undo)),
        (Method::GET, "/api/games", read_by(&library::list)),
        (Method::GET, "/api/games/moves", read_by(&library::moves)),
        (Method::GET, "/api/games/{id}", read_by(&library::game)),
        (Method::POST, "/api/open", read_by(&games::open)),
        (Method::POST, "/api/save", read_by(&games::save)),
        (Method::POST, "/api/convert", read_by(&games::convert)),
        (Method::GET, "/api/autosave", read_by(&autosave::list)),
        (Method::POST, "/api/autosave", read_by(&autosave::save)),
        (Method::GET, "/api/autosave/{id}", read_by(&autosave::game)),
    ] {
        let described = &super::guard::PARAMETERS[path][&method];
        assert_eq!(described.iter().cloned().collect::<Names>(), names, "{method} {path}");
    }
}

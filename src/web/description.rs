//! The description of the answers as OpenAPI has it, `openapi.json`: made of the list of addresses below and of the
//! types that their handlers read and answer.

#![cfg(all(test, feature = "schemas"))]
#![expect(clippy::unwrap_used, reason = "a test may stop")]

use std::any::type_name;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{Method, Uri};
use axum::response::Response;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::params::{GameBody, JsonBody, LanguageParam, Params, PathParam};
use super::problem::{Body, Problem};
use super::reply::Answer;
use super::searches::{EventStream, Failure};
use super::state::App;
use super::{
    analyse, autosave, books, chessdb, engine_about, engine_move, games, guard, library, meta,
    page, positions, review, solve, tables, train,
};
use juzhong::answers::{AnalysisInfo, BestMove, JsonGame};

/// The variable that makes the test write the file.
const UPDATE: &str = "UPDATE_OPENAPI";
/// Members that the command line leaves out at times, and the server never.
const ALWAYS: [(&str, &[&str]); 2] = [("Solution", &["fen", "texts"]), ("TableLineMove", &["fen"])];

/// Every address with its method: what it is for, the handler, whose types say what it reads and answers, and errors of
/// its own.
fn list_addresses(list: &mut List) {
    of_server(list.tagged("server"));
    of_positions(list.tagged("positions"));
    of_books(list.tagged("books"));
    of_tables(list.tagged("tables"));
    of_engine(list.tagged("engine"));
    of_games(list.tagged("games"));
    of_played_games(list.tagged("games"));
    of_exercises(list.tagged("exercises"));
    of_chessdb(list.tagged("chessdb.cn"));
}

fn of_server(list: &mut List) {
    let word = json!({"type": "string", "enum": ["ok"]});
    let what = "Says that the server is alive.";
    list.add(Method::GET, "/healthz", what).answers("The answer.", "text/plain", word);
    list.get("/api/meta", "The books, tables and limits of the server.", &meta::meta);
    let object = json!({"type": "object"});
    list.add(Method::GET, "/api/openapi.json", "This description.").by(&page::openapi).answers(
        "The answer.",
        "application/json",
        object,
    );
}

fn of_positions(list: &mut List) {
    let what = "A position: legal moves, status, verdict on repetition.";
    list.get("/api/legal", what, &positions::legal);
    list.get("/api/eval", "A position with its static evaluation.", &positions::eval);
    let what = "The moves of a line with their texts and positions.";
    list.get("/api/line", what, &positions::line);
    list.get("/api/read", "A move typed in any notation.", &positions::read);
}

fn of_books(list: &mut List) {
    let no_book = "There is no such book.";
    list.get("/api/book", "The moves of a book.", &books::query).fails(404, no_book);
    let what = "The sample games that a book keeps.";
    list.get("/api/book/games", what, &books::games).fails(404, no_book);
    let refused = "The request lacks the token, or the book may not be written.";
    let what = "Makes one edit of a book; it is on disk once it is answered.";
    list.post("/api/book/edit", what, &books::edit).fails(403, refused).fails(404, no_book);
    let what = "Takes the last edit of a book back.";
    list.post("/api/book/undo", what, &books::undo).fails(403, refused).fails(404, no_book);
}

fn of_tables(list: &mut List) {
    let no_set = "There are no tables, or they lack the set.";
    let what = "The value of a position and of its moves in the tables.";
    list.get("/api/table", what, &tables::probe_position).fails(404, no_set);
    list.get("/api/table/line", "Best play to the end.", &tables::line).fails(404, no_set);
    let no_position = "There are no tables, or they lack the set or such a position.";
    let what = "A position of a set by chance.";
    list.get("/api/table/random", what, &tables::random).fails(404, no_position);
    let no_tables = "There are no tables.";
    list.get("/api/tables", "The sets of the tables.", &tables::list).fails(404, no_tables);
    list.get("/api/tables/{set}", "The statistics of a set.", &tables::stats)
        .in_path("The set, such as KRvKN.")
        .fails(404, no_set);
}

fn of_engine(list: &mut List) {
    let what = "An analysis as it goes on: events `info` and, at the end, `done`. Closing the connection ends it.";
    let no_engine = "The settings of the server have no such engine.";
    list.get("/api/analyse", what, &analyse::analyse)
        .fails(404, no_engine)
        .event::<AnalysisInfo>("info")
        .event::<Option<BestMove>>("done");
    let failed = "The engine of the settings has failed, and was ended.";
    let what = "An engine, and the values that requests may ask of it. It is started if need be.";
    list.get("/api/engine", what, &engine_about::answer).fails(404, no_engine).fails(502, failed);
    list.post("/api/move", "The move that the engine makes.", &engine_move::choose)
        .fails(404, no_engine)
        .fails(502, failed);
    let what = "A review as it goes on: events `progress` and `value`, then `move` and, at the end, `done`. Closing the \
                connection ends it.";
    list.post("/api/review", what, &review::stream)
        .takes_game()
        .event::<review::Progress>("progress")
        .event::<review::Evaluated>("value")
        .event::<review::Reviewed>("move")
        .event::<Option<review::Summary>>("done");
    list.get("/api/solve", "Who wins a position of gomoku, proved.", &solve::answer);
}

fn of_games(list: &mut List) {
    let no_library = "The server has no library.";
    list.get("/api/games", "Games of the library.", &library::list).fails(404, no_library);
    let what = "The moves that games of the library made in a position.";
    list.get("/api/games/moves", what, &library::moves).fails(404, no_library);
    list.get("/api/games/{id}", "A game of the library.", &library::game)
        .in_path("Its `id` in the list.")
        .fails(404, "There is no such game, or the server has no library.");
    let what = "The games of a file of any format, and one of them whole.";
    list.post("/api/open", what, &games::open);
    list.post("/api/save", "A game in another format.", &games::save).takes_game();
    let what = "The games of a file of any format in another, those that break off up to there; those that cannot be \
                read are left out and counted in the header `X-Bad-Games`.";
    list.post("/api/convert", what, &games::convert);
}

fn of_played_games(list: &mut List) {
    let none_kept = "The server keeps no games.";
    let what = "The games that were kept, the latest first; 200 at most.";
    list.get("/api/autosave", what, &autosave::list).fails(404, none_kept);
    let what = "Keeps a game; it is on disk once it is answered.";
    list.post("/api/autosave", what, &autosave::save)
        .takes_game()
        .fails(403, "The request lacks the token.")
        .fails(404, none_kept)
        .fails(507, "The folder of the games is full.");
    list.get("/api/autosave/{id}", "A game that was kept.", &autosave::game)
        .in_path("Its name.")
        .fails(404, "There is no such game, or the server keeps none.");
}

fn of_exercises(list: &mut List) {
    let no_exercises = "The server has no exercises.";
    let what = "The exercises that are due, a page of them, without their answers.";
    list.get("/api/train", what, &train::due).fails(404, no_exercises);
    let what = "Judges the answer to an exercise; it is in the file once it is answered.";
    list.post("/api/train/answer", what, &train::answer)
        .fails(403, "The request lacks the token.")
        .fails(404, "There is no such exercise, or the server has none.");
    let what = "Judges a move in a moment of a game, as an answer to an exercise; nothing is kept.";
    list.post("/api/train/judge", what, &train::judge);
    let what = "Adds a moment of a game to the exercises; it is in the file once it is answered.";
    list.post("/api/train/add", what, &train::add)
        .fails(403, "The request lacks the token.")
        .fails(404, no_exercises)
        .fails(507, "The file of exercises is full.");
}

fn of_chessdb(list: &mut List) {
    let what = "What chessdb.cn answers, from the tables or else the first book that has moves.";
    for (path, what) in [("/chessdb", what), ("/chessdb.php", "The same as /chessdb.")] {
        list.add(Method::GET, path, what)
            .by(&chessdb::answer)
            .query::<chessdb::DescribedQuestion>()
            .answers_as_chessdb();
        let what = "The same, with the parameters in a form.";
        list.add(Method::POST, path, what)
            .by(&chessdb::answer)
            .takes_form::<chessdb::DescribedQuestion>()
            .answers_as_chessdb();
    }
}

/// The generators of schemas: of what is read, of what is answered, and of parameters, which refer to no other schema.
struct Schemas {
    read: SchemaGenerator,
    answered: SchemaGenerator,
    parameters: SchemaGenerator,
}

impl Schemas {
    fn new() -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.meta_schema = None;
            settings.definitions_path = "/components/schemas".into();
        });
        let settings = settings.with_transform(RecursiveTransform(tidy));
        Self {
            read: settings.clone().for_deserialize().into_generator(),
            answered: settings.clone().for_serialize().into_generator(),
            parameters: settings
                .for_deserialize()
                .with(|settings| settings.inline_subschemas = true)
                .into_generator(),
        }
    }

    /// The schemas with a name.
    fn named(mut self) -> Map<String, Value> {
        let mut named = self.read.take_definitions(true);
        for (name, schema) in self.answered.take_definitions(true) {
            let other = named.insert(name.clone(), schema.clone());
            assert!(
                other.is_none_or(|other| other == schema),
                "{name}: read otherwise than answered"
            );
        }
        for (name, members) in ALWAYS {
            let schema = &mut named[name];
            for member in members {
                assert!(schema["properties"].get(member).is_some(), "{name}: {member}");
                schema["required"].as_array_mut().unwrap().push((*member).into());
            }
            sort(&mut schema["required"]);
        }
        for name in named.keys() {
            assert!(
                name.chars().all(|c| c.is_ascii_alphabetic()),
                "{name} wants a name by `rename`"
            );
        }
        named
    }
}

/// Makes a schema ready to be read: one line of description, no default that says nothing, and members that may be left
/// out without null, which says the same.
fn tidy(schema: &mut Schema) {
    let Some(schema) = schema.as_object_mut() else { return };
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
        assert!(!text.contains("[`"), "a link that leads nowhere; give a `description`: {text}");
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    if let Some(required) = schema.get_mut("required") {
        sort(required);
    }
    let required = schema.get("required").cloned().unwrap_or_else(|| json!([]));
    let members = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, member) in members.into_iter().flatten() {
        let Some(member) = member.as_object_mut() else { continue };
        let has_null = member.remove("x-null").is_some();
        if !has_null && !required.as_array().unwrap().contains(&json!(name)) {
            take_null(member);
        }
    }
}

/// Takes null from the values of a schema. Returns true if it was one of them.
fn take_null(schema: &mut Map<String, Value>) -> bool {
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(kinds)) = schema.get_mut("type") {
        let all = kinds.len();
        kinds.retain(|kind| kind != "null");
        let had_null = kinds.len() < all;
        if let [kind] = &kinds[..] {
            let kind = kind.clone();
            schema.insert("type".to_owned(), kind);
        }
        return had_null;
    }
    let Some(Value::Array(kinds)) = schema.get_mut("anyOf") else { return false };
    let all = kinds.len();
    kinds.retain(|kind| *kind != json!({"type": "null"}));
    let had_null = kinds.len() < all;
    if let ([Value::Object(kind)], true) = (&kinds[..], had_null) {
        let kind = kind.clone();
        schema.remove("anyOf");
        schema.extend(kind);
    }
    had_null
}

fn sort(names: &mut Value) {
    names.as_array_mut().unwrap().sort_by(|a, b| a.as_str().cmp(&b.as_str()));
}

/// An address with a method.
type Place = (&'static str, Method);

/// The addresses that are described so far.
struct List {
    /// The group of the addresses that come next.
    tag: &'static str,
    schemas: Schemas,
    operations: BTreeMap<(&'static str, String), Operation>,
}

/// The description of an address with a method.
#[derive(Default)]
struct Operation {
    /// The last parts of the handler's name, such as `meta::meta`.
    handler: Option<String>,
    parameters: Vec<Value>,
    object: Map<String, Value>,
}

/// An operation while it is described.
struct Described<'a> {
    place: Place,
    operation: &'a mut Operation,
    schemas: &'a mut Schemas,
}

impl List {
    /// The same for addresses of that group.
    const fn tagged(&mut self, tag: &'static str) -> &mut Self {
        self.tag = tag;
        self
    }

    fn add(&mut self, method: Method, path: &'static str, summary: &'static str) -> Described<'_> {
        let key = (path, method.as_str().to_lowercase());
        assert!(!self.operations.contains_key(&key), "{key:?} stands twice in the list");
        let operation = self.operations.entry(key).or_default();
        operation.object.insert("summary".to_owned(), summary.into());
        operation.object.insert("tags".to_owned(), json!([self.tag]));
        operation.object.insert(
            "responses".to_owned(),
            json!({"default": {"$ref": "#/components/responses/Problem"}}),
        );
        if guard::writes(&method, path) {
            operation.object.insert("security".to_owned(), json!([{"token": []}]));
        }
        Described { place: (path, method), operation, schemas: &mut self.schemas }
    }

    /// An address that is read.
    fn get<H: Handles<T>, T>(
        &mut self,
        path: &'static str,
        summary: &'static str,
        handler: &H,
    ) -> Described<'_> {
        self.add(Method::GET, path, summary).handled(handler)
    }

    /// An address that something is sent to.
    fn post<H: Handles<T>, T>(
        &mut self,
        path: &'static str,
        summary: &'static str,
        handler: &H,
    ) -> Described<'_> {
        self.add(Method::POST, path, summary).handled(handler)
    }

    /// The whole description.
    fn document(self) -> Value {
        let Self { mut schemas, operations, .. } = self;
        let problem = schemas.answered.subschema_for::<Body>();
        let shared = shared_parameters(&operations);
        let mut paths = Map::new();
        for ((path, method), Operation { parameters, mut object, .. }) in operations {
            let reference = |parameter: Value| {
                let name = parameter["name"].as_str().unwrap();
                match shared.get(name) {
                    Some(_) => json!({"$ref": format!("#/components/parameters/{name}")}),
                    None => parameter,
                }
            };
            if !parameters.is_empty() {
                let parameters: Value = parameters.into_iter().map(reference).collect();
                object.insert("parameters".to_owned(), parameters);
            }
            let methods = paths.entry(path).or_insert_with(|| json!({}));
            methods[method] = object.into();
        }
        let token = "Drawn at each start; part of the second address that is printed.";
        json!({
            "openapi": "3.1.0",
            "info": {
                "title": "juzhong",
                "summary": "Opening books, endgame tables and an engine of xiangqi and gomoku.",
                "description": "What `juzhong serve` answers. docs/reference/http.md describes it with examples.",
                "version": env!("CARGO_PKG_VERSION"),
                "license": {"name": "MIT OR Apache-2.0"},
            },
            "servers": [{"url": "http://127.0.0.1:8000"}],
            "paths": paths,
            "components": {
                "parameters": shared,
                "responses": {
                    "Problem": {
                        "description": "What is wrong.",
                        "content": {"application/problem+json": {"schema": problem}},
                    },
                },
                "schemas": schemas.named(),
                "securitySchemes": {
                    "token": {"type": "apiKey", "in": "header", "name": "X-Token", "description": token},
                },
            },
        })
    }
}

/// The parameters that are the same at all of several addresses.
fn shared_parameters(
    operations: &BTreeMap<(&'static str, String), Operation>,
) -> BTreeMap<String, Value> {
    let mut found: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    for parameter in operations.values().flat_map(|operation| &operation.parameters) {
        found.entry(parameter["name"].as_str().unwrap().to_owned()).or_default().push(parameter);
    }
    found.retain(|_, of| of.len() > 1 && of.iter().all(|other| *other == of[0]));
    found.into_iter().map(|(name, of)| (name, of[0].clone())).collect()
}

impl Described<'_> {
    /// Notes the handler.
    fn by<H>(self, _handler: &H) -> Self {
        let name: Vec<&str> = type_name::<H>().rsplit("::").take(2).collect();
        self.operation.handler = Some(format!("{}::{}", name[1], name[0]));
        self
    }

    /// Describes what a handler reads and answers.
    fn handled<H: Handles<T>, T>(self, handler: &H) -> Self {
        let mut described = self.by(handler);
        H::describe(&mut described);
        described
    }

    fn set(&mut self, member: &str, value: impl Into<Value>) {
        self.operation.object.insert(member.to_owned(), value.into());
    }

    /// Parameters, the members of a type. Those that a request may leave out are `Option`s.
    fn add_query<Q: JsonSchema>(&mut self) {
        let mut schema = Q::json_schema(&mut self.schemas.parameters);
        let members = schema.remove("properties").unwrap_or_else(|| json!({}));
        let Value::Object(members) = members else { unreachable!() };
        for (name, schema) in members {
            let mut schema = Schema::try_from(schema).unwrap();
            RecursiveTransform(tidy).transform(&mut schema);
            let Value::Object(mut schema) = schema.to_value() else { unreachable!() };
            let is_required = !take_null(&mut schema);
            if is_required {
                // That of a text which the handler refuses.
                schema.remove("default");
            }
            let description = schema.remove("description");
            let description = description.unwrap_or_else(|| panic!("{name} wants a doc comment"));
            let mut parameter = json!({
                "name": name,
                "in": "query",
                "description": description,
                "schema": schema,
            });
            if is_required {
                parameter["required"] = true.into();
            }
            self.operation.parameters.push(parameter);
        }
    }

    fn query<Q: JsonSchema>(mut self) -> Self {
        self.add_query::<Q>();
        self
    }

    /// The meaning of the part of the path that varies.
    fn in_path(self, description: &'static str) -> Self {
        let mut parameters = self.operation.parameters.iter_mut();
        let parameter = parameters.find(|parameter| parameter["in"] == "path").unwrap();
        parameter["description"] = description.into();
        self
    }

    fn add_body(&mut self, kind: &str, schema: impl Into<Value>, is_required: bool) {
        let mut body = json!({"content": {kind: {"schema": schema.into()}}});
        if is_required {
            body["required"] = true.into();
        }
        self.set("requestBody", body);
    }

    /// The body is a game as a JSON line.
    fn takes_game(mut self) -> Self {
        let schema = self.schemas.read.subschema_for::<JsonGame>();
        self.add_body("application/json", schema, true);
        self
    }

    /// The body is a form.
    fn takes_form<T: JsonSchema>(mut self) -> Self {
        let schema = self.schemas.read.subschema_for::<T>();
        self.add_body("application/x-www-form-urlencoded", schema, false);
        self
    }

    fn add_answer(
        &mut self,
        status: &str,
        description: &str,
        kind: &str,
        schema: impl Into<Value>,
    ) {
        let responses = &mut self.operation.object["responses"];
        if responses[status].get("content").is_none() {
            responses[status] = json!({"description": description, "content": {}});
        }
        responses[status]["content"][kind] = json!({"schema": schema.into()});
    }

    fn answers(mut self, description: &str, kind: &str, schema: Value) -> Self {
        self.add_answer("200", description, kind, schema);
        self
    }

    /// An answer in the words of chessdb.cn, also to a request that is refused.
    fn answers_as_chessdb(mut self) -> Self {
        let object = self.schemas.answered.subschema_for::<chessdb::AnswerObject>();
        let refused = "A request that is refused, in the words of chessdb.cn.";
        for (status, what) in [("200", "As chessdb.cn writes it."), ("default", refused)] {
            self.add_answer(status, what, "text/plain", json!({"type": "string"}));
            self.add_answer(status, what, "application/json", object.clone());
        }
        self
    }

    /// An event of an answer that is a stream of them, and the type of its data.
    fn event<T: JsonSchema>(self, name: &str) -> Self {
        let schema = self.schemas.answered.subschema_for::<T>();
        let content = &mut self.operation.object["responses"]["200"]["content"];
        content["text/event-stream"]["x-events"][name] = schema.into();
        self
    }

    /// A status of errors with its meaning at this address.
    fn fails(self, status: u16, description: &'static str) -> Self {
        let problem = "#/components/responses/Problem";
        let responses = &mut self.operation.object["responses"];
        responses[status.to_string()] = json!({"$ref": problem, "description": description});
        self
    }
}

/// A handler by what it reads and what it answers.
trait Handles<T> {
    fn describe(of: &mut Described<'_>);
}

macro_rules! handles {
    ($($part:ident),+) => {
        impl<F, A, R, $($part),+> Handles<($($part,)+)> for F
        where
            F: Fn($($part),+) -> A,
            A: Future<Output = Result<R, Problem>>,
            R: Answers,
            $($part: Reads),+
        {
            fn describe(of: &mut Described<'_>) {
                $($part::describe(of);)+
                R::describe(of);
            }
        }
    };
}

handles!(P, Q);
handles!(P, Q, S);
handles!(P, Q, S, T);

/// A part of a request as handlers take it.
trait Reads {
    fn describe(of: &mut Described<'_>);
}

impl Reads for State<Arc<App>> {
    fn describe(_of: &mut Described<'_>) {}
}

impl Reads for Uri {
    fn describe(_of: &mut Described<'_>) {}
}

impl<Q: JsonSchema> Reads for Params<Q> {
    fn describe(of: &mut Described<'_>) {
        of.add_query::<Q>();
    }
}

impl Reads for PathParam {
    fn describe(of: &mut Described<'_>) {
        let (_, name) = of.place.0.split_once('{').unwrap();
        let name = name.trim_end_matches('}');
        let parameter =
            json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}});
        of.operation.parameters.push(parameter);
    }
}

/// Of a request with a body the query names the language of errors.
impl<B: JsonSchema> Reads for JsonBody<B> {
    fn describe(of: &mut Described<'_>) {
        of.add_query::<LanguageParam>();
        let schema = of.schemas.read.subschema_for::<B>();
        of.add_body("application/json", schema, true);
    }
}

impl Reads for GameBody {
    fn describe(of: &mut Described<'_>) {
        let file = json!({"description": "A file of any format, packed or not."});
        of.add_body("application/octet-stream", file, true);
    }
}

/// An answer as handlers give it.
trait Answers {
    fn describe(of: &mut Described<'_>);
}

impl<T: JsonSchema> Answers for Answer<T> {
    fn describe(of: &mut Described<'_>) {
        let schema = of.schemas.answered.subschema_for::<T>();
        of.add_answer("200", "The answer.", "application/json", schema);
    }
}

impl Answers for EventStream {
    fn describe(of: &mut Described<'_>) {
        let failure = of.schemas.answered.subschema_for::<Failure>();
        of.add_answer("200", "Server-sent events.", "text/event-stream", json!({"type": "string"}));
        let content = &mut of.operation.object["responses"]["200"]["content"];
        content["text/event-stream"]["x-events"] = json!({"error": failure});
    }
}

impl Answers for Response {
    fn describe(of: &mut Described<'_>) {
        of.add_answer("200", "The file.", "application/octet-stream", json!({}));
    }
}

/// All addresses with their descriptions.
fn addresses() -> List {
    let mut list = List { tag: "", schemas: Schemas::new(), operations: BTreeMap::new() };
    list_addresses(&mut list);
    list
}

#[test]
fn the_description_is_that_of_the_types() {
    let made = format!("{:#}\n", addresses().document());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/web/openapi.json");
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap();
    let differs = made.lines().zip(known.lines()).position(|(made, known)| made != known);
    let is_same = made == known;
    assert!(
        is_same,
        "openapi.json, line {differs:?} from 0, is not as the types are; write it by {UPDATE}=1"
    );
}

/// The handlers of the list are those that the server has at the addresses.
#[test]
fn the_description_has_the_routes_of_the_server() {
    let source = include_str!("mod.rs");
    let routes = source.split("\n        .route(\"").skip(1);
    let mut served = BTreeSet::new();
    for route in routes {
        let (path, rest) = route.split_once("\", ").unwrap();
        let handlers = rest.split('\n').next().unwrap();
        for method in ["get", "post"] {
            let Some((_, handler)) = handlers.split_once(&format!("{method}(")) else { continue };
            let handler = handler.split(')').next().unwrap();
            let handler = handler.contains("::").then(|| handler.to_owned());
            served.insert((path.to_owned(), method.to_owned(), handler));
        }
    }
    let described = addresses().operations.into_iter();
    let described: BTreeSet<_> = described
        .map(|((path, method), operation)| (path.to_owned(), method, operation.handler))
        .collect();
    assert_eq!(served, described);
}

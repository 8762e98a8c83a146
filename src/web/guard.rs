//! The checks that every request passes, and the headers that every answer has.

use juzhong::message::message;
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use axum::Router;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use tower_http::catch_panic::CatchPanicLayer;

use super::body::LONGEST_BODY;
use super::chessdb;
use super::page;
use super::params::{Common, pairs_of};
use super::problem::Problem;
use super::state::App;

const LONGEST_QUESTION: usize = 128 << 10;
/// The address of a client.
#[derive(Clone, Copy)]
pub(crate) struct Client(pub(crate) IpAddr);

/// The header that has the token.
const TOKEN: HeaderName = HeaderName::from_static("x-token");
/// Scripts, styles and connections from this server alone; nothing within the page itself.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src \
                      'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; manifest-src 'self'; \
                      worker-src 'self'";

/// The state of the checks.
struct Guard {
    app: Arc<App>,
    bound: SocketAddr,
    log: Option<AccessLog>,
}

/// Puts the checks in front of all routes.
pub(crate) fn guarded(routes: Router, app: Arc<App>, bound: SocketAddr) -> Router {
    let log = app.config.log.then(AccessLog::start);
    let guard = Arc::new(Guard { app, bound, log });
    routes
        .route_layer(middleware::from_fn(only_described))
        .layer(DefaultBodyLimit::max(LONGEST_QUESTION))
        .layer(CatchPanicLayer::custom(|_panic| {
            Problem::internal("the request broke down; please report it").into_response()
        }))
        .layer(middleware::from_fn_with_state(guard, check))
}

async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let log = guard.log.as_ref().map(|log| (log, described(&request)));
    let uri = request.uri().clone();
    let mut response = match guard.admit(&request) {
        Err(problem) => problem.into_response(),
        Ok(()) => next.run(request).await,
    };
    response = guard.app.outbox.admit(response).unwrap_or_else(Problem::into_response);
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        response = if chessdb::is_path(uri.path()) {
            chessdb::refusal(response.status(), &uri)
        } else {
            problem.render(Common::lang_of(&uri))
        };
    }
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    if let Some((log, what)) = log {
        let status = response.status().as_u16();
        let time = began.elapsed().as_millis();
        log.write(format!("{status} {time} ms {what}"));
    }
    response
}

/// A request as the access log has it.
fn described(request: &Request) -> String {
    let client = request.extensions().get::<Client>();
    let client = client.map_or_else(String::new, |Client(address)| address.to_string());
    format!("{client} {} {}", request.method(), request.uri())
}

/// Writes the lines of the access log in a thread of its own, so that no request waits for whoever reads them. Lines
/// that do not fit the queue are left out.
struct AccessLog(SyncSender<String>);

impl AccessLog {
    /// Lines that wait.
    const QUEUE: usize = 1_024;

    fn start() -> Self {
        let (sender, receiver) = std::sync::mpsc::sync_channel::<String>(Self::QUEUE);
        std::thread::spawn(move || receiver.into_iter().for_each(crate::tell::tell));
        Self(sender)
    }

    fn write(&self, line: String) {
        let _full = self.0.try_send(line);
    }
}

/// The parameters that each address has for each method, by the description of the answers.
pub(crate) static PARAMETERS: LazyLock<HashMap<String, HashMap<Method, Vec<String>>>> =
    LazyLock::new(|| {
        let description: Value = serde_json::from_str(page::DESCRIPTION).unwrap_or_default();
        let shared = &description["components"]["parameters"];
        let paths = description["paths"].as_object().into_iter().flatten();
        paths.map(|(path, methods)| (path.clone(), parameters_by_method(methods, shared))).collect()
    });

/// The parameters of an address by the methods that its description has.
fn parameters_by_method(methods: &Value, shared: &Value) -> HashMap<Method, Vec<String>> {
    let methods = methods.as_object().into_iter().flatten();
    let parameters = methods.filter_map(|(name, operation)| {
        let method = Method::from_bytes(name.to_uppercase().as_bytes()).ok()?;
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let names = parameters.filter_map(|parameter| parameter_name(parameter, shared));
        Some((method, names.collect()))
    });
    parameters.collect()
}

/// The name of a parameter, which may stand among those that several addresses share.
fn parameter_name(parameter: &Value, shared: &Value) -> Option<String> {
    let reference = parameter["$ref"].as_str().and_then(|path| path.rsplit('/').next());
    let parameter = reference.map_or(parameter, |name| &shared[name]);
    parameter["name"].as_str().map(str::to_owned)
}

/// Refuses parameters that the address does not have: a misprint would pass for an answer to the question otherwise.
async fn only_described(path: MatchedPath, request: Request, next: Next) -> Response {
    let method = if request.method() == Method::HEAD { &Method::GET } else { request.method() };
    let pairs = match pairs_of(request.uri()) {
        Ok(pairs) => pairs,
        Err(problem) => return problem.into_response(),
    };
    // Programs that ask chessdb.cn send more than is answered here.
    let is_strict = !chessdb::is_path(path.as_str());
    let known = PARAMETERS.get(path.as_str()).filter(|_| is_strict);
    let known = known.and_then(|methods| methods.get(method));
    match pairs.iter().find(|(name, _)| known.is_some_and(|known| !known.contains(name))) {
        Some((name, _)) => {
            Problem::bad_request(message!("{name}: there is no such parameter")).into_response()
        }
        None => next.run(request).await,
    }
}

impl Guard {
    /// Refuses what comes for another server, from another site's page, or to write without the token.
    fn admit(&self, request: &Request) -> Result<(), Problem> {
        let headers = request.headers();
        let host = text_of(headers, &header::HOST);
        let is_one = headers.get_all(header::HOST).iter().count() == 1;
        let is_target = request.uri().authority().is_none_or(|target| self.is_own(target.as_str()));
        if !is_one || !is_target || !host.is_some_and(|host| self.is_own(host)) {
            let message = "the request is for another host; name it by --allow-host";
            return Err(Problem::forbidden("other_host", message));
        }
        let mut origins = headers.get_all(header::ORIGIN).iter();
        if !origins.all(|origin| self.is_own_origin(origin, host)) || is_of_other_site(request) {
            let message = "the request comes from the page of another site";
            return Err(Problem::forbidden("other_origin", message));
        }
        let length = text_of(headers, &header::CONTENT_LENGTH).and_then(|len| len.parse().ok());
        if length.is_some_and(|length: u64| length > LONGEST_BODY as u64) {
            return Err(Problem::too_long());
        }
        let writes = writes(request.method(), request.uri().path());
        let token = text_of(headers, &TOKEN).unwrap_or_default();
        if writes && !is_same(token.as_bytes(), self.app.token.as_bytes()) {
            let hint = "open the page by the address with the token, which `juzhong serve` prints";
            return Err(Problem::forbidden("token", "only with the token is anything written")
                .with_hint(hint));
        }
        Ok(())
    }

    /// Returns true if an `Origin` is this server: of a name that was allowed behind TLS, too.
    fn is_own_origin(&self, origin: &HeaderValue, host: Option<&str>) -> bool {
        let Some((scheme, name)) = origin.to_str().ok().and_then(|text| text.split_once("://"))
        else {
            return false;
        };
        Some(name) == host && (scheme == "http" || scheme == "https" && self.is_allowed(name))
    }

    /// Returns true if a name, perhaps with a port, was allowed by the user.
    fn is_allowed(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else { return false };
        let mut allowed = self.app.config.allowed_hosts.iter();
        allowed.any(|allowed| allowed.eq_ignore_ascii_case(authority.host()))
    }

    /// Returns true if a `Host` may name this server. A name that the server was not given might be one that somebody
    /// else points at it.
    fn is_own(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else { return false };
        let name = authority.host().trim_start_matches('[').trim_end_matches(']');
        let is_port = authority.port_u16().unwrap_or(80) == self.bound.port();
        let is_address = name.parse::<IpAddr>().is_ok_and(|address| {
            address == self.bound.ip() || self.bound.ip().is_unspecified() || address.is_loopback()
        });
        // A name that was allowed may stand for a proxy at another port.
        self.is_allowed(host) && !is_local(name) || is_port && (is_address || is_local(name))
    }
}

/// Returns true if a request writes, for which it needs the token.
pub(crate) fn writes(method: &Method, path: &str) -> bool {
    let is_written = ["/api/autosave", "/api/train/answer", "/api/train/add"].contains(&path);
    *method == Method::POST && (path.starts_with("/api/book/") || is_written)
}

/// Returns true if a browser says that another site's page makes the request. Links to the page itself may be anywhere.
fn is_of_other_site(request: &Request) -> bool {
    let path = request.uri().path();
    let is_link = header_bytes(request, "sec-fetch-mode") == Some(b"navigate")
        && *request.method() == Method::GET
        && !path.starts_with("/api/")
        && !chessdb::is_path(path);
    let site = header_bytes(request, "sec-fetch-site");
    !is_link && site.is_some_and(|site| site != b"same-origin" && site != b"none")
}

/// The bytes of a header.
fn header_bytes<'a>(request: &'a Request, name: &str) -> Option<&'a [u8]> {
    request.headers().get(name).map(HeaderValue::as_bytes)
}

fn is_local(name: &str) -> bool {
    name.eq_ignore_ascii_case("localhost")
}

fn text_of<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Compares secrets in a time that does not depend on where they differ.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    // Looks at every byte: `==` would end at the first difference.
    one.len() == other.len()
        && one.iter().zip(other).fold(0, |differences, (a, b)| differences | (a ^ b)) == 0
}

//! The checks that every request passes, and the headers that every answer has.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use tokio::sync::{Semaphore, SemaphorePermit};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::timeout::RequestBodyTimeoutLayer;

use super::params::Common;
use super::problem::Problem;
use super::state::App;

/// The longest body of a request, in bytes: a file of games.
const LONGEST_BODY: usize = 8 << 20;
/// The time between two parts of a request's body.
const BODY_TIME: Duration = Duration::from_secs(10);
/// Requests that bring a game that are worked on at the same time: it needs up to fifty times its length of memory.
const BODIES: usize = 4;
/// The addresses of these requests.
const GAME_BRINGING: [&str; 5] =
    ["/api/open", "/api/save", "/api/convert", "/api/review", "/api/autosave"];
/// Requests that are worked on at the same time.
const REQUESTS: usize = 256;
/// The time that such a request waits for others.
const PATIENCE: Duration = Duration::from_secs(10);
/// The header that has the token.
const TOKEN: HeaderName = HeaderName::from_static("x-token");
/// Scripts, styles and connections from this server alone; nothing within the page itself.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src \
                      'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The state of the checks.
struct Guard {
    app: Arc<App>,
    bound: SocketAddr,
    requests: Semaphore,
    bodies: Semaphore,
}

/// Puts the checks in front of all routes.
pub(super) fn guarded(routes: Router, app: Arc<App>, bound: SocketAddr) -> Router {
    let guard = Arc::new(Guard {
        app,
        bound,
        requests: Semaphore::new(REQUESTS),
        bodies: Semaphore::new(BODIES),
    });
    routes
        .layer(DefaultBodyLimit::max(LONGEST_BODY))
        .layer(RequestBodyTimeoutLayer::new(BODY_TIME))
        .layer(CatchPanicLayer::custom(|_panic| {
            Problem::internal("the request broke down; please report it").into_response()
        }))
        .layer(middleware::from_fn_with_state(guard, check))
}

async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let what = guard.app.config.log.then(|| format!("{} {}", request.method(), request.uri()));
    let lang = Common::lang_of(request.uri());
    let mut response = match guard.admit(&request) {
        Err(problem) => problem.into_response(),
        Ok(()) => match guard.permits(request.uri().path()).await {
            Some(_permits) => next.run(request).await,
            None => Problem::busy("too many requests at once").into_response(),
        },
    };
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        response = problem.render(lang);
    }
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    if let Some(what) = what {
        let (status, time) = (response.status().as_u16(), began.elapsed().as_millis());
        crate::cli::tell(format_args!("{status} {time} ms {what}"));
    }
    response
}

impl Guard {
    /// Permits to work on a request: at once, or after a moment where it brings a game.
    async fn permits(
        &self,
        path: &str,
    ) -> Option<(SemaphorePermit<'_>, Option<SemaphorePermit<'_>>)> {
        let permit = self.requests.try_acquire().ok()?;
        if !GAME_BRINGING.contains(&path) {
            return Some((permit, None));
        }
        let body = tokio::time::timeout(PATIENCE, self.bodies.acquire()).await.ok()?.ok()?;
        Some((permit, Some(body)))
    }

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
        if headers.contains_key(header::ORIGIN) {
            let origin = text_of(headers, &header::ORIGIN);
            let host_of_origin = origin.and_then(|origin| origin.strip_prefix("http://"));
            if host_of_origin.is_none() || host_of_origin != host {
                let message = "the request comes from the page of another site";
                return Err(Problem::forbidden("other_origin", message));
            }
        }
        let length = text_of(headers, &header::CONTENT_LENGTH).and_then(|len| len.parse().ok());
        if length.is_some_and(|length: u64| length > LONGEST_BODY as u64) {
            return Err(Problem::too_long());
        }
        let path = request.uri().path();
        let writes = *request.method() == Method::POST
            && (path.starts_with("/api/book/") || path == "/api/autosave");
        let token = text_of(headers, &TOKEN).unwrap_or_default();
        if writes && !is_same(token.as_bytes(), self.app.token.as_bytes()) {
            let hint = "open the page by the address with the token, which `juzhong serve` prints";
            return Err(Problem::forbidden("token", "only with the token is anything written")
                .with_hint(hint));
        }
        Ok(())
    }

    /// Returns true if a `Host` may name this server. A name that the server was not told might be one that somebody
    /// else points at it.
    fn is_own(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else { return false };
        let name = authority.host().trim_start_matches('[').trim_end_matches(']');
        let is_port = authority.port_u16().unwrap_or(80) == self.bound.port();
        let is_address = name.parse::<IpAddr>().is_ok_and(|address| {
            address == self.bound.ip() || self.bound.ip().is_unspecified() || address.is_loopback()
        });
        let mut allowed = self.app.config.allowed_hosts.iter();
        // A name that was allowed may stand for a proxy at another port.
        allowed.any(|allowed| allowed.eq_ignore_ascii_case(name) && !is_local(name))
            || is_port && (is_address || is_local(name))
    }
}

fn is_local(name: &str) -> bool {
    name.eq_ignore_ascii_case("localhost")
}

fn text_of<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Compares secrets in a time that does not depend on where they differ.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).fold(0, |differences, (a, b)| differences | (a ^ b)) == 0
}

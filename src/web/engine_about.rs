//! An engine that requests may name: what it says about itself, and the values that they may ask for.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use serde::Deserialize;

use super::engine_facts::EngineFacts;
use super::engines::{EngineLease, EnginePool};
use super::params::{EngineParam, LanguageParam, Params};
use super::problem::Problem;
use super::reply::{Answer, reply};
use super::state::App;

/// The time that a question waits for an engine that searches for others.
const FACTS_QUEUE_TIME: Duration = Duration::from_secs(15);
/// The interval at which it is looked up whether another request has started the engine.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// The parameters of [`answer`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct EngineQuery {
    #[serde(flatten)]
    engine: EngineParam,
    #[serde(flatten)]
    lang: LanguageParam,
}

/// The facts about an engine, which is started if no request has done that before.
pub(crate) async fn answer(
    State(app): State<Arc<App>>,
    Params(query): Params<EngineQuery>,
) -> Result<Answer<EngineFacts>, Problem> {
    let lang = query.lang.lang();
    let Some(pool) = app.engines.find(query.engine.engine.as_deref())? else {
        return reply(app, lang, |app| Ok(EngineFacts::own(app.own_sizes()))).await;
    };
    let known = known(&pool).await?;
    let stop = app.search_of("engine", None);
    reply(app, lang, move |_| match known {
        Known::Facts(facts) => Ok(facts),
        Known::NotYet(lease) => lease.facts(&stop.0),
    })
    .await
}

/// The facts about an engine as far as another request has found them out.
enum Known {
    Facts(EngineFacts),
    NotYet(EngineLease),
}

/// Waits until a request has started the engine, or this one may.
async fn known(pool: &Arc<EnginePool>) -> Result<Known, Problem> {
    let end = Instant::now() + FACTS_QUEUE_TIME;
    loop {
        if let Some(facts) = pool.facts() {
            return Ok(Known::Facts(facts));
        }
        match pool.lease(POLL_INTERVAL).await {
            Ok(lease) => return Ok(Known::NotYet(lease)),
            Err(busy) if Instant::now() >= end => return Err(busy),
            Err(_) => {}
        }
    }
}

//! HTTP around the answers: connections, limits on bodies and time, the token, and an end that loses no request.

use std::cell::RefCell;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Incoming};
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use super::answer::{Answer, Asked, answer};
use super::site::Site;
use crate::failure::{Failure, Result};

/// What a request may ask for.
pub struct Limits {
    pub body: usize,
    /// Until the head has arrived, and until the body has.
    pub time: Duration,
    pub token: Option<String>,
}

/// Connections at the same time; others wait until one ends.
const CONNECTIONS: usize = 1024;
/// Requests at hand have so long to be answered when it ends.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_secs(1);
/// Larger bodies are worked on beside the connections.
const LARGE: usize = 256 << 10;

/// What a request, or else each of its rows, goes by.
const KEY: HeaderName = HeaderName::from_static("idempotency-key");

struct Server {
    site: Arc<Site>,
    limits: Limits,
}

thread_local! {
    /// What is shared out inside a request stays on the thread that answers it.
    static ALONE: RefCell<Option<rayon::ThreadPool>> = const { RefCell::new(None) };
}

fn stay_alone() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    let pool = pool.use_current_thread().build().ok();
    ALONE.with(|alone| *alone.borrow_mut() = pool);
}

/// Serves until it is told to stop. `said` is given the address once there is one.
pub fn serve(
    address: SocketAddr,
    threads: NonZeroUsize,
    site: Arc<Site>,
    limits: Limits,
    said: impl FnOnce(SocketAddr) -> Result<()>,
) -> Result<()> {
    let cannot = |error: std::io::Error| {
        Failure::with_help(
            format!("cannot listen on {address}: {error}"),
            "choose another port with --port, or 0 for any that is free",
        )
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads.get())
        .on_thread_start(stay_alone)
        .enable_all()
        .build()
        .map_err(cannot)?;
    let (stop, stopped) = watch::channel(false);
    // Fails only where a handler is set already, and here none is.
    let _ = ctrlc::set_handler(move || {
        let _ = stop.send(true);
    });
    runtime.block_on(async {
        let listener = TcpListener::bind(address).await.map_err(cannot)?;
        said(listener.local_addr().map_err(cannot)?)?;
        let server = Arc::new(Server { site, limits });
        tokio::spawn(refresh(server.clone(), stopped.clone()));
        accept(&listener, &server, stopped).await;
        Ok(())
    })
}

/// Looks for newer versions.
async fn refresh(server: Arc<Server>, stopped: watch::Receiver<bool>) {
    while !*stopped.borrow() {
        tokio::time::sleep(LOOK).await;
        let site = server.site.clone();
        let _ = tokio::task::spawn_blocking(move || site.look()).await;
    }
}

async fn accept(listener: &TcpListener, server: &Arc<Server>, mut stopped: watch::Receiver<bool>) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(place) = room.clone().acquire_owned().await else {
            return;
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stopped.changed() => break,
        };
        // Too many open files, or a peer that is gone already: others may still come.
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        let (server, stopped) = (server.clone(), stopped.clone());
        tokio::spawn(async move {
            server.site.metrics.opened();
            connection(stream, &server, stopped).await;
            server.site.metrics.closed();
            drop(place);
        });
    }
    let all = room.acquire_many(CONNECTIONS as u32 - 1);
    let _ = tokio::time::timeout(PATIENCE, all).await;
}

async fn connection(stream: TcpStream, server: &Arc<Server>, mut stopped: watch::Receiver<bool>) {
    let _ = stream.set_nodelay(true);
    let own = server.clone();
    let service = service_fn(move |request| {
        let server = own.clone();
        async move { Ok::<_, Infallible>(respond(request, &server).await) }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(server.limits.time)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(serving);
    tokio::select! {
        _ = serving.as_mut() => {}
        _ = stopped.changed() => {
            serving.as_mut().graceful_shutdown();
            let _ = serving.await;
        }
    }
}

async fn respond(request: Request<Incoming>, server: &Arc<Server>) -> Response<Full<Bytes>> {
    let begun = Instant::now();
    let journal = server.site.journal.as_ref();
    let asked = journal.map(|_| (request.method().clone(), request.uri().path().to_owned()));
    let answer = if is_allowed(&request, server) {
        received(request, server).await
    } else {
        Answer::told(401, "a token is needed: Authorization: Bearer …")
    };
    let took = begun.elapsed();
    server.site.metrics.answered(answer.status, took);
    if let (Some(journal), Some((method, path))) = (journal, asked) {
        journal.request(method.as_str(), &path, answer.status, took);
    }
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = Response::builder()
        .status(status)
        .header(CONTENT_TYPE, answer.kind);
    if status == StatusCode::UNAUTHORIZED {
        response = response.header(WWW_AUTHENTICATE, "Bearer");
    }
    if matches!(answer.status, 408 | 413) {
        // What is left of the body is not read.
        response = response.header(hyper::header::CONNECTION, "close");
    }
    let body = Full::new(Bytes::from(answer.body));
    response.body(body).unwrap_or_default()
}

fn is_allowed(request: &Request<Incoming>, server: &Server) -> bool {
    let Some(token) = &server.limits.token else {
        return true;
    };
    let given = header(request, &AUTHORIZATION);
    let given = given.strip_prefix("Bearer ").unwrap_or_default();
    // As long for a wrong first letter as for a wrong last one.
    let pairs = given.bytes().zip(token.bytes());
    let differ = pairs.fold(0, |all, (a, b)| all | (a ^ b));
    request.uri().path() == "/health" || (given.len() == token.len() && differ == 0)
}

fn header<'a>(request: &'a Request<Incoming>, name: &HeaderName) -> &'a str {
    let value = request.headers().get(name);
    value
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

/// Reads the body within the limits and answers.
async fn received(request: Request<Incoming>, server: &Arc<Server>) -> Answer {
    let mut asked = Asked {
        method: request.method().as_str().to_owned(),
        path: request.uri().path().to_owned(),
        kind: header(&request, &CONTENT_TYPE).to_owned(),
        accepts: header(&request, &ACCEPT).to_owned(),
        key: header(&request, &KEY).to_owned(),
        body: Bytes::new(),
    };
    let most = server.limits.body;
    let too_large = || Answer::told(413, &format!("the body is larger than {most} bytes"));
    // Told before any of it is read, where the head says so.
    if request.body().size_hint().lower() > most as u64 {
        return too_large();
    }
    let body = Limited::new(request.into_body(), most).collect();
    asked.body = match tokio::time::timeout(server.limits.time, body).await {
        Err(_) => return Answer::told(408, "the body took too long to arrive"),
        Ok(Err(error)) if error.is::<LengthLimitError>() => return too_large(),
        Ok(Err(_)) => return Answer::told(400, "the body could not be read"),
        Ok(Ok(body)) => body.to_bytes(),
    };
    let looks = asked.method == "GET" && !["/health", "/metrics"].contains(&&*asked.path);
    let long = looks || asked.body.len() > LARGE;
    let own = server.clone();
    let work = move || {
        // A panic over one request is a fault of that request.
        let answered =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| answer(&asked, &own.site)));
        answered.unwrap_or_else(|_| Answer::told(500, "this request could not be answered"))
    };
    if !long {
        return work();
    }
    let work = tokio::task::spawn_blocking(work).await;
    work.unwrap_or_else(|_| Answer::told(500, "this request could not be answered"))
}

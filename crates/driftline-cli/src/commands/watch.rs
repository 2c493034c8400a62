//! `driftline watch`: the report of a run, served to browsers on this machine while the run goes on. Nothing can be changed
//! through it.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use driftline_runs::{RunFolder, RunManifest};
use serde_json::json;

use crate::failure::{Failure, Outcome, Result};
use crate::verbosity::Verbosity;
use crate::{interrupt, output};

/// The longest request that is read, and the longest time that one may take.
const MOST_BYTES: usize = 8192;
const PATIENCE: Duration = Duration::from_secs(2);
/// How often it is looked whether somebody has asked for something, or for the end.
const PAUSE: Duration = Duration::from_millis(50);

#[derive(Debug, Args)]
#[command(before_long_help = "Examples:
  driftline watch run
  driftline watch run --port 8080

Serves the current report on 127.0.0.1 only. The page checks for news every five seconds. Nothing is written. Ctrl-C ends it.")]
pub struct WatchArgs {
    /// Run folder from `driftline adapt`; it may still be written to
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Port to listen on; 0 lets the system choose
    #[arg(long, value_name = "N", default_value_t = 8765)]
    port: u16,
}

pub fn run(args: &WatchArgs, verbosity: Verbosity) -> Result {
    let cancel = interrupt::listen_quietly();
    RunManifest::read(&args.run)?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let listener = TcpListener::bind(address).map_err(|error| {
        Failure::with_help(
            format!("cannot listen on {address}: {error}"),
            "choose another port with --port, or 0 for any that is free",
        )
    })?;
    let told =
        |error: std::io::Error| Failure::told(format!("cannot listen on {address}: {error}"));
    listener.set_nonblocking(true).map_err(told)?;
    let address = listener.local_addr().map_err(told)?;
    output::print(&format!("http://{address}/\n"))?;
    verbosity.say("Ctrl-C ends it");
    let mut page = Page {
        folder: args.run.clone(),
        made_of: String::new(),
        html: String::new(),
    };
    loop {
        // Ending it is how it ends.
        if cancel.is_cancelled() {
            return Ok(Outcome::Done);
        }
        match listener.accept() {
            // A browser that goes away is no concern of ours.
            Ok((stream, _)) => drop(answer(stream, &mut page, address)),
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
}

/// The page as it was made last, and the state of the run that it was made from.
struct Page {
    folder: PathBuf,
    made_of: String,
    html: String,
}

/// Looks whether there is more, and shows it in place of what is there.
const LIVE: &str = "<script>\
const seen='SEEN';setInterval(async()=>{try{\
const r=await fetch('/state',{cache:'no-store'});if(r.ok&&(await r.json()).state!==seen)location.reload();\
}catch{}},5000);</script>";

impl Page {
    /// What changes whenever the run does.
    fn state(&self) -> driftline_core::Result<String> {
        let manifest = RunManifest::read(&self.folder)?;
        let lines = manifest.files.get("windows.jsonl");
        let lines = lines.map_or("", |sum| &sum.blake3);
        let (windows, current) = (manifest.windows, manifest.current);
        let lines = &lines[..lines.len().min(16)];
        Ok(format!("{windows}-{current}-{lines}"))
    }

    fn html(&mut self) -> Result<&str> {
        let state = self.state()?;
        if state != self.made_of {
            let run = RunFolder::read(&self.folder)?;
            let html = driftline_report::run_html(&run)?;
            let live = LIVE.replace("SEEN", &state);
            self.html = html.replacen("</body>", &format!("{live}</body>"), 1);
            self.made_of = state;
        }
        Ok(&self.html)
    }
}

fn answer(mut stream: TcpStream, page: &mut Page, own: SocketAddr) -> std::io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let reply = match Request::read(&stream) {
        None => plain("400 Bad Request", "this request is not understood"),
        Some(request) if !request.is_for(own) => {
            plain("403 Forbidden", "this page is for this machine only")
        }
        Some(Request { method, .. }) if method != "GET" && method != "HEAD" => {
            plain("405 Method Not Allowed", "this page can only be read")
        }
        Some(Request { path, .. }) => found(&path, page).unwrap_or_else(|failure| {
            // A run that is just being written; the next look will do.
            plain("503 Service Unavailable", &failure.to_string())
        }),
    };
    stream.write_all(reply.as_bytes())
}

/// What there is at a path.
fn found(path: &str, page: &mut Page) -> Result<String> {
    Ok(match path {
        "/" => reply("200 OK", "text/html; charset=utf-8", page.html()?),
        "/state" => {
            let state = json!({ "state": page.state()? });
            reply("200 OK", "application/json", &state.to_string())
        }
        _ => plain("404 Not Found", "only the report at / is served"),
    })
}

/// What matters of a request.
struct Request {
    method: String,
    path: String,
    host: String,
}

impl Request {
    /// At most this many bytes and so long, however slowly they come; none of what is no request.
    fn read(mut stream: &TcpStream) -> Option<Self> {
        let until = Instant::now() + PATIENCE;
        let (mut bytes, mut more) = (vec![], [0; 1024]);
        while !bytes.windows(4).any(|end| end == b"\r\n\r\n") {
            let left = until.checked_duration_since(Instant::now())?;
            let left = left.max(Duration::from_millis(1));
            stream.set_read_timeout(Some(left)).ok()?;
            let read = stream.read(&mut more).ok().filter(|&read| read > 0)?;
            bytes.extend_from_slice(&more[..read]);
            if bytes.len() > MOST_BYTES {
                return None;
            }
        }
        let text = String::from_utf8(bytes).ok()?;
        let mut lines = text.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
        words
            .next()
            .filter(|version| version.starts_with("HTTP/1."))?;
        let mut fields = lines.filter_map(|line| line.split_once(':'));
        let host = fields.find(|(name, _)| name.eq_ignore_ascii_case("host"));
        let host = host.map_or(String::new(), |(_, value)| value.trim().to_owned());
        Some(Self { method, path, host })
    }

    /// Another name for this address would let a page from elsewhere read it.
    fn is_for(&self, own: SocketAddr) -> bool {
        self.host == own.to_string() || self.host == format!("localhost:{}", own.port())
    }
}

fn reply(status: &str, kind: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
         X-Frame-Options: DENY\r\n\r\n{body}",
        body.len()
    )
}

fn plain(status: &str, body: &str) -> String {
    reply(status, "text/plain; charset=utf-8", body)
}

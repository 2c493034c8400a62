//! Downloads the files of a data set from a web server: over TLS, or in the clear from this very machine only.

use std::time::Duration;

use driftline_lab::datasets::catalog::CatalogEntry;
use ureq::Agent;
use ureq::http::Uri;

use super::gather::{Files, LARGEST, read_plain};
use crate::failure::{Failure, Result};
use crate::verbosity::Verbosity;

pub fn from_mirror(dataset: &CatalogEntry, mirror: &str, verbosity: Verbosity) -> Result<Files> {
    let agent = agent_for(mirror)?;
    let mirror = mirror.trim_end_matches('/');
    verbosity.say(&format!("downloading {} from {mirror}", dataset.title));
    let mut files = Files::new();
    for file in dataset.files {
        let plain = format!("{mirror}/{}", file.name);
        // Most mirrors keep the files compressed.
        let mut bytes = get(&agent, &format!("{plain}.gz"))?;
        if bytes.is_none() {
            bytes = get(&agent, &plain)?;
        }
        let absent = || Failure::told(format!("{mirror} has neither {0}.gz nor {0}", file.name));
        files.push((file.name, bytes.ok_or_else(absent)?));
    }
    Ok(files)
}

fn agent_for(mirror: &str) -> Result<Agent> {
    let address: Uri = mirror
        .parse()
        .map_err(|error| Failure::told(format!("`{mirror}` is not a web address: {error}")))?;
    let host = address.host().unwrap_or_default();
    let is_loopback = ["127.0.0.1", "[::1]", "localhost"].contains(&host);
    let scheme = address.scheme_str();
    if scheme != Some("https") && !(scheme == Some("http") && is_loopback) {
        return Err(Failure::with_help(
            format!("`{mirror}` is neither https nor on this machine"),
            "give an address that begins with https://",
        ));
    }
    let mut config = Agent::config_builder()
        .timeout_connect(Some(Duration::from_secs(30)))
        .timeout_recv_response(Some(Duration::from_secs(60)))
        .timeout_recv_body(Some(Duration::from_secs(15 * 60)))
        .https_only(!is_loopback)
        .http_status_as_error(false);
    if is_loopback {
        config = config.proxy(None).max_redirects(0);
    }
    Ok(config.build().into())
}

/// The content, decompressed; `None` where the server has no such file.
fn get(agent: &Agent, address: &str) -> Result<Option<Vec<u8>>> {
    let fault = |what: &dyn std::fmt::Display| {
        Failure::with_help(
            format!("cannot download {address}: {what}"),
            "if you have the files, use `--from DIR`; for another server, `--mirror URL`",
        )
    };
    let response = agent.get(address).call().map_err(|error| fault(&error))?;
    match response.status().as_u16() {
        200 => {
            let body = response.into_body().into_with_config().limit(LARGEST);
            let bytes = read_plain(body.reader()).map_err(|error| fault(&error))?;
            Ok(Some(bytes))
        }
        // Some stores answer 403 for what they do not have.
        403 | 404 | 410 => Ok(None),
        status => Err(fault(&format!("the server answers {status}"))),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;

    use driftline_lab::datasets::catalog;

    use super::*;

    /// Serves `contents` by path on this machine, for as long as the test's process lives; returns the address.
    fn serve(contents: BTreeMap<String, Vec<u8>>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let request = lines.next().unwrap().unwrap();
                while lines
                    .next()
                    .is_some_and(|line| line.is_ok_and(|l| !l.is_empty()))
                {}
                let path = request.split(' ').nth(1).unwrap();
                let (status, body) = match contents.get(path) {
                    Some(body) => ("200 OK", body.as_slice()),
                    None => ("404 Not Found", &b""[..]),
                };
                let head = format!(
                    "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(head.as_bytes());
                let _ = stream.write_all(body);
            }
        });
        format!("http://{address}")
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_mirror_may_have_files_plain_or_compressed() {
        let mnist = catalog::find("mnist").unwrap();
        let contents = mnist.files.iter().enumerate().map(|(at, file)| {
            let content = file.name.as_bytes();
            if at % 2 == 0 {
                (format!("/m/{}.gz", file.name), gzip(content))
            } else {
                (format!("/m/{}", file.name), content.to_vec())
            }
        });
        let address = serve(contents.collect());
        let files = from_mirror(mnist, &format!("{address}/m/"), Verbosity::Quiet).unwrap();
        assert_eq!(files.len(), 4);
        for (name, bytes) in &files {
            assert_eq!(bytes, name.as_bytes());
        }
        let error = from_mirror(mnist, &address, Verbosity::Quiet)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("has neither train-images-idx3-ubyte.gz nor"),
            "{error}"
        );
    }

    #[test]
    fn what_a_mirror_sends_is_compared_with_the_checksums() {
        let elec2 = catalog::find("elec2").unwrap();
        let address = serve(BTreeMap::from([(
            "/elec.csv".into(),
            b"a,b\n1,2\n".to_vec(),
        )]));
        let folder = tempfile::tempdir().unwrap();
        let cache = driftline_lab::datasets::Cache::at(folder.path());
        let files = from_mirror(elec2, &address, Verbosity::Quiet).unwrap();
        let error = cache.store(elec2, &files).unwrap_err().to_string();
        assert!(error.contains("has sha256"), "{error}");
        assert!(!cache.holds(elec2));
    }

    #[test]
    fn only_tls_or_this_machine() {
        let mnist = catalog::find("mnist").unwrap();
        for bad in [
            "http://example.org/mnist",
            "ftp://127.0.0.1/",
            "mnist",
            "http://",
        ] {
            assert!(from_mirror(mnist, bad, Verbosity::Quiet).is_err(), "{bad}");
        }
        assert!(agent_for("https://example.org/mnist").is_ok());
    }
}

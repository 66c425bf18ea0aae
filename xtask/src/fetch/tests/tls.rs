//! The downloader against a server that speaks TLS: whom it believes, and that nothing else changes.

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use super::*;

/// A server with a certificate of its own for these names, and the certificate.
fn serve_tls(answers: &[Answer], names: &[&str]) -> (Server, CertificateDer<'static>) {
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(config.with_no_client_auth().with_single_cert(vec![cert.der().clone()], key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (log, mut answers) = (Arc::clone(&seen), VecDeque::from(answers.to_vec()));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = StreamOwned::new(connection, stream);
            let (path, range) = request(&mut stream);
            // Empty where the client did not believe the certificate and hung up.
            if path.is_empty() {
                continue;
            }
            log.lock().unwrap().push((path.clone(), range.clone()));
            let answer = answers.pop_front().unwrap_or(Answer::Good);
            respond(&mut stream, answer, &path, range.as_deref());
            stream.conn.send_close_notify();
            let _ = stream.flush();
        }
    });
    (Server { address, seen }, cert.der().clone())
}

fn client_that_trusts(certificate: &CertificateDer<'_>) -> Client {
    let roots = RootCerts::new_with_certs(&[Certificate::from_der(certificate).to_owned()]);
    let milliseconds = Duration::from_millis;
    let patience = Patience { connect: milliseconds(2000), stall: milliseconds(300), pause: milliseconds(5), tries: 2 };
    Client::trusting(patience, TlsConfig::builder().root_certs(roots).build())
}

#[test]
fn a_trusted_server_is_downloaded_from_and_resumed() {
    let (server, certificate) = serve_tls(&[Answer::Cut(100_000), Answer::Redirect], &["localhost"]);
    let to = tempfile::tempdir().unwrap();
    let data_set = data_set(vec![format!("{}/file.bin", server.address)]);
    fetch(&data_set, None, to.path(), &client_that_trusts(&certificate), &import).unwrap();
    assert_eq!(left(to.path()), ["file.bin", "graph.npz"]);
    let seen = server.seen.lock().unwrap().clone();
    let resumed = Some("100000".to_owned());
    let expected = [("/file.bin", None), ("/file.bin", resumed.clone()), ("/file.bin.moved", resumed)];
    assert!(seen.iter().map(|(path, range)| (path.as_str(), range.clone())).eq(expected), "{seen:?}");
}

#[test]
fn a_certificate_that_nobody_vouches_for_ends_it_at_once() {
    let (server, _) = serve_tls(&[], &["localhost"]);
    let (_, other) = serve_tls(&[], &["localhost"]);
    for client in [client(), client_that_trusts(&other)] {
        refused(&server, &client);
    }
}

#[test]
fn a_certificate_for_another_name_ends_it_at_once() {
    let (server, certificate) = serve_tls(&[], &["example.org"]);
    refused(&server, &client_that_trusts(&certificate));
}

fn refused(server: &Server, client: &Client) {
    let (to, start) = (tempfile::tempdir().unwrap(), Instant::now());
    let url = format!("{}/file.bin", server.address);
    let data_set = data_set(vec![url.clone()]);
    let failure = client.download(&url, &data_set.raw[0], &to.path().join("file.bin.part")).unwrap_err();
    let super::super::download::Failure::Refused(error) = failure else { panic!("{failure:?}") };
    let error = format!("{error:#}");
    assert!(error.contains("certificate"), "{error}");
    let error = fetch(&data_set, None, to.path(), client, &import).unwrap_err().to_string();
    assert!(error.contains("by hand"), "{error}");
    assert_eq!(left(to.path()), [""; 0]);
    assert_eq!(server.seen.lock().unwrap().len(), 0, "not a request was made");
    assert!(start.elapsed() < Duration::from_secs(5));
}

//! Two processes over loopback TCP: a thousand users' devices report, the server estimates.
//!
//! `cargo run -p ldp-core --release --example device_and_server`. The server starts the device process itself. The
//! devices hold ages from 18 to 90; only encoded reports cross the wire.

use std::error::Error;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;

use chacha20::ChaCha12Rng;
use chacha20::rand_core::SeedableRng;
use ldp_core::{Accountant, Bounds, Deployment, Epsilon, Loss, OneBit, Raw, Rectify, Report, Wire, disclosure};

const USERS: u64 = 1000;

/// Public: both sides build the same mechanism.
fn mechanism() -> Result<OneBit, ldp_core::Error> {
    OneBit::new(Epsilon::new(2.0)?, Bounds::new(18.0, 90.0)?)
}

/// The private value of a user; here by formula, so that the server can compare in the end.
fn age(user: u64) -> f64 {
    18.0 + (user * 7919 % 55) as f64
}

fn devices(address: &str) -> Result<(), Box<dyn Error>> {
    let mechanism = mechanism()?;
    let accountant = Accountant::in_memory(Epsilon::new(2.0)?, None);
    let mut seed = [0; 32];
    getrandom::fill(&mut seed)?;
    let mut rng = ChaCha12Rng::from_seed(seed);
    let mut server = TcpStream::connect(address)?;
    for user in 0..USERS {
        let permit = accountant.reserve(user, Loss::of(&mechanism))?;
        let report = Report::release(&mechanism, permit, Raw::new(&age(user)), &mut rng)?;
        server.write_all(&report.encode(&mechanism))?;
    }
    Ok(())
}

fn server() -> Result<(), Box<dyn Error>> {
    let mechanism = mechanism()?;
    println!(
        "{}",
        disclosure(
            &mechanism,
            Deployment {
                unit: "one user's age; any age from 18 to 90 in its place".into(),
                reports_per_day: 1,
                reports_per_lifetime: 1,
                repeated_values: "refused by the device's accountant".into(),
                generator: "ChaCha12, seeded by the operating system".into(),
                not_protected: "who takes part, and when".into(),
                contact: "privacy@example.org".into(),
            }
        )
    );
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?.to_string();
    let mut child = Command::new(std::env::current_exe()?).args(["device", &address]).spawn()?;
    let mut connection = listener.accept()?.0;
    let mut bytes = vec![0; mechanism.encoded_len()];
    let mut estimates = Vec::new();
    for _ in 0..USERS {
        connection.read_exact(&mut bytes)?;
        estimates.push(mechanism.rectify(&mechanism.decode(&bytes)?));
    }
    if !child.wait()?.success() {
        return Err("the device process failed".into());
    }
    let n = estimates.len() as f64;
    let mean = estimates.iter().sum::<f64>() / n;
    let half = 1.96 * (mechanism.worst_variance(1.0) / n).sqrt();
    let truth = (0..USERS).map(age).sum::<f64>() / n;
    println!("reports           {n}");
    println!("mean age          {mean:.2}, 95 % interval {:.2} to {:.2}", mean - half, mean + half);
    println!("truth             {truth:.2} (known here because the example made it up)");
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.get(1).map(String::as_str) {
        Some("device") => devices(arguments.get(2).ok_or("device needs an address")?),
        _ => server(),
    }
}

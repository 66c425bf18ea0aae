//! What a deployment must be able to print about itself.

use alloc::string::String;
use core::fmt;

use crate::{Delta, Epsilon, Wire};

/// The privacy claim of a deployment; prints itself. Filled from the mechanism in use and from what only the
/// deployment knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Disclosure {
    mechanism: String,
    fingerprint: u64,
    epsilon: Epsilon,
    delta: Option<Delta>,
    report_bytes: usize,
    deployment: Deployment,
}

/// What the code cannot know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployment {
    /// The unit of privacy and the neighbour relation, such as "one user's feature row; any row in its place".
    pub unit: String,
    /// Reports a day that one person may send at most.
    pub reports_per_day: u32,
    /// Reports in a lifetime that one person may send at most.
    pub reports_per_lifetime: u32,
    /// How repeated values are treated, such as "the first report is replayed".
    pub repeated_values: String,
    /// The random generator and where its seed comes from.
    pub generator: String,
    /// What is not protected, such as "who takes part, when, and the graph".
    pub not_protected: String,
    /// Whom to ask.
    pub contact: String,
}

impl Disclosure {
    /// For reports of `mechanism`.
    pub fn new<M: Wire>(mechanism: &M, deployment: Deployment) -> Self {
        Self {
            mechanism: alloc::format!("{:?}", M::ID),
            fingerprint: mechanism.fingerprint(),
            epsilon: mechanism.epsilon(),
            delta: mechanism.delta(),
            report_bytes: mechanism.encoded_len(),
            deployment,
        }
    }
}

/// The disclosure of a deployment that uses `mechanism`.
pub fn disclosure<M: Wire>(mechanism: &M, deployment: Deployment) -> Disclosure {
    Disclosure::new(mechanism, deployment)
}

impl fmt::Display for Disclosure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let d = &self.deployment;
        let times = |count: u32| self.epsilon.nats() * f64::from(count);
        writeln!(f, "model:            local; the server sees reports only")?;
        writeln!(f, "mechanism:        {} (parameters {:016x})", self.mechanism, self.fingerprint)?;
        writeln!(f, "unit:             {}", d.unit)?;
        writeln!(f, "epsilon a report: {}", self.epsilon)?;
        match self.delta {
            Some(delta) => writeln!(f, "delta a report:   {:e}", delta.get())?,
            None => writeln!(f, "delta a report:   0")?,
        }
        writeln!(f, "epsilon a day:    {} ({} reports at most)", times(d.reports_per_day), d.reports_per_day)?;
        writeln!(
            f,
            "epsilon for life: {} ({} reports at most)",
            times(d.reports_per_lifetime),
            d.reports_per_lifetime
        )?;
        writeln!(f, "composition:      sequential over reports and attributes of one person")?;
        writeln!(f, "repeated values:  {}", d.repeated_values)?;
        writeln!(f, "accounting:       integers, charged before release")?;
        writeln!(f, "generator:        {}", d.generator)?;
        writeln!(f, "float safety:     integer weights of 2^64; outputs on a public grid")?;
        writeln!(f, "report size:      {} bytes, whatever the value", self.report_bytes)?;
        writeln!(f, "not protected:    {}", d.not_protected)?;
        writeln!(f, "contact:          {}", d.contact)
    }
}

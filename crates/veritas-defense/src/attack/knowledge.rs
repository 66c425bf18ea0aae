//! What an attacker knows: the protocol, and nothing else unless it is handed over.

use graph_denoise::{CsrGraph, CsrMatrix};

use crate::EndorsementLaw;

/// Public parameters of the feature reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeatureProtocol {
    /// Number of features d.
    pub dimensions: u32,
    /// Number m of them that one report has.
    pub reported: u32,
}

/// What the attacker can use. The first three are the protocol; what is optional goes beyond the black box of
/// [VERITAS, Alg. 1], and a result must say that it was given.
#[derive(Debug, Clone, Copy)]
pub struct Knowledge<'a> {
    /// Number of honest users; fakes get the ids from here on.
    pub honest: usize,
    /// The law of a list entry.
    pub law: &'a EndorsementLaw,
    /// How feature reports look, where there are any.
    pub features: Option<FeatureProtocol>,
    /// The mean degree, as anybody can estimate it from published statistics.
    pub mean_degree: f64,
    /// How victims grade a stranger (probabilities of 1 … κ), as the trust model's description says; `None`: always 1.
    pub stranger_grades: Option<&'a [f64]>,
    /// The honest users' graph, where it is public.
    pub graph: Option<&'a CsrGraph>,
    /// The honest users' visible profiles, where they are public.
    pub profiles: Option<&'a CsrMatrix>,
}

impl<'a> Knowledge<'a> {
    /// The protocol only.
    pub fn of_protocol(honest: usize, law: &'a EndorsementLaw, mean_degree: f64) -> Self {
        Self { honest, law, features: None, mean_degree, stranger_grades: None, graph: None, profiles: None }
    }
}

//! How the server comes to its graph: fakes join, users send lists, the server defends itself.

use std::time::Instant;

use graph_denoise::{CsrGraph, CsrMatrix, EdgeKind};
use veritas_defense::as_printed::{
    Neighbourhood, ParametersAsPrinted, midpoint_as_printed, midpoint_corrected, prune_as_printed,
};
use veritas_defense::attack::{FakeProfile, FeatureProtocol, Injection, Knowledge};
use veritas_defense::{
    DefenceOptions, Detection, EdgeAccount, EndorsementLaw, EndorsementLists, MutualPairs, Tallies, TrustModel, World,
    defend, randomize_lists,
};

use crate::record::{DefenceOutcome, Seconds};
use crate::spec::{DefenceSpec, Gamma, StructureSpec};
use crate::{Error, Seed, Spec, Truth};
use crate::{detectors, roc};

/// Bytes beyond which the analysis of lists is refused before it starts.
const MEMORY_LIMIT: u64 = 8 << 30;

/// Everybody: honest users, then fakes.
pub(crate) struct Society {
    /// Who is truly connected to whom.
    graph: CsrGraph,
    /// Rows of everybody, in [0, 1]; none where the data set has no features.
    pub(crate) rows: Option<CsrMatrix>,
    /// Feature reports of fakes that go past the randomizer; empty where all go through it.
    pub(crate) past_the_randomizer: Vec<Option<Vec<(u32, bool)>>>,
    injection: Option<Injection>,
    fake: Vec<bool>,
}

/// One way for the server to see the graph; more than one where the paper chooses by validation.
pub(crate) struct Candidate {
    /// The graph that the server works on, over everybody.
    pub(crate) graph: CsrGraph,
    /// What became of fakes and edges.
    pub(crate) outcome: Option<DefenceOutcome>,
}

impl Society {
    /// Lets the fakes of `spec` join.
    pub(crate) fn gather(spec: &Spec, truth: &Truth, root: &Seed) -> Result<Self, Error> {
        let dataset = truth.dataset();
        let honest = dataset.nodes();
        let own = if spec.features.needs_rows() { Some(truth.features()?) } else { None };
        let Some(attack) = spec.attack.attack(honest) else {
            return Ok(Self {
                graph: dataset.graph().clone(),
                rows: own.cloned(),
                past_the_randomizer: Vec::new(),
                injection: None,
                fake: vec![false; honest],
            });
        };
        let law = law(&spec.structure)?;
        let mean_degree = dataset.graph().entries() as f64 / honest as f64;
        let mut knowledge = Knowledge::of_protocol(honest, &law, mean_degree);
        let reported = match (spec.features.mechanism(), own) {
            (Some(mechanism), Some(rows)) => mechanism.of().reported(rows.columns())?,
            (None, Some(rows)) => rows.columns().min(18),
            (_, None) => 1,
        };
        let dimensions = own.map_or(1, CsrMatrix::columns) as u32;
        knowledge.features = Some(FeatureProtocol { dimensions, reported: reported as u32 });
        knowledge.profiles = own;
        let are_compared =
            matches!(&spec.structure, StructureSpec::Lists { defence: DefenceSpec::Detectors { .. }, .. });
        if spec.structure == StructureSpec::Public || are_compared {
            knowledge.graph = Some(dataset.graph());
        }
        let strangers = stranger_grades(&spec.structure);
        knowledge.stranger_grades = strangers.as_deref();
        let injection = attack.plan(&knowledge, &mut root.child("attack").rng())?;
        let graph = injection.graph(dataset.graph())?;
        let fake = injection.is_fake();
        let rows = own.map(|rows| with_profiles(rows, injection.features())).transpose()?;
        let past = injection.features().iter().map(|profile| match profile {
            FakeProfile::Report(report) => Some(report.clone()),
            FakeProfile::Value(_) => None,
        });
        let past_the_randomizer = past.collect();
        Ok(Self { graph, rows, past_the_randomizer, injection: Some(injection), fake })
    }

    /// Number of honest users and fakes.
    pub(crate) fn len(&self) -> usize {
        self.fake.len()
    }

    /// What the server takes for the graph.
    pub(crate) fn seen(&self, spec: &Spec, root: &Seed, seconds: &mut Seconds) -> Result<Vec<Candidate>, Error> {
        let StructureSpec::Lists { levels, trust, defence, .. } = &spec.structure else {
            let outcome = self.injection.is_some().then(|| self.account(&[], &self.graph));
            return Ok(vec![Candidate { graph: self.graph.clone(), outcome }]);
        };
        let start = Instant::now();
        let law = law(&spec.structure)?;
        let profiles = matches!(trust, TrustModel::FeatureSimilarity { .. }).then_some(self.rows.as_ref()).flatten();
        let world = World { graph: &self.graph, fake: &self.fake, profiles };
        let honest = trust.grades(world, usize::from(*levels), &mut root.child("grades").rng())?;
        let (grades, bypass) = match &self.injection {
            Some(injection) => (injection.join(honest)?, injection.bypasses()),
            None => (honest, vec![false; self.len()]),
        };
        let stage = root.child("lists");
        let stream = |user: u32| stage.numbered(u64::from(user)).rng();
        let lists = randomize_lists(&grades, &law, &bypass, MEMORY_LIMIT, stream)?;
        seconds.lists = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let mut candidates = self.defended(defence, &lists, law)?;
        seconds.defend = start.elapsed().as_secs_f64();
        if *defence == DefenceSpec::Undefended && self.injection.is_some() {
            let outcomes = candidates.iter_mut().filter_map(|candidate| candidate.outcome.as_mut());
            outcomes.for_each(|outcome| outcome.roc = roc::curves(&lists, &law, &self.fake));
        }
        Ok(candidates)
    }

    fn defended(
        &self,
        defence: &DefenceSpec,
        lists: &EndorsementLists,
        law: EndorsementLaw,
    ) -> Result<Vec<Candidate>, Error> {
        let kept = |removed: &[u32], graph: CsrGraph, gamma: Option<f64>| {
            let mut outcome = self.account(removed, &graph);
            outcome.gamma = gamma.filter(|gamma| gamma.is_finite());
            Candidate { graph, outcome: Some(outcome) }
        };
        let mut options = DefenceOptions { memory_limit: MEMORY_LIMIT, ..DefenceOptions::new(law) };
        match *defence {
            DefenceSpec::Undefended | DefenceSpec::Detectors { .. } => {
                let edges = MutualPairs::of(lists);
                let edges: Vec<(u32, u32)> = edges.all().iter().map(|pair| (pair.low, pair.high)).collect();
                let mut candidate = kept(&[], CsrGraph::from_edges(self.len(), &edges, EdgeKind::Undirected)?, None);
                if let (DefenceSpec::Detectors { false_alarm }, Some(outcome)) = (defence, &mut candidate.outcome) {
                    options.false_alarm = *false_alarm;
                    outcome.detectors = detectors::counts(lists, &options, &self.fake)?;
                }
                Ok(vec![candidate])
            }
            DefenceSpec::AsPrinted { gamma } => {
                let (tallies, pairs) = (Tallies::of(lists), MutualPairs::of(lists));
                let middle = midpoint_corrected(&law);
                let gammas = match gamma {
                    Gamma::Printed => vec![midpoint_as_printed(&law)],
                    Gamma::Corrected => vec![middle],
                    Gamma::Fixed { value } => vec![value],
                    Gamma::Validation => {
                        let shares = [1.0 / 16.0, 1.0 / 8.0, 1.0 / 4.0, 1.0 / 2.0, 1.0];
                        shares.iter().map(|share| share * middle).chain([f64::MAX]).collect()
                    }
                };
                let prune = |gamma: f64| {
                    // λ lowers no positive confidence to zero, so it changes neither who nor which edge is kept.
                    let parameters = ParametersAsPrinted { lambda: 1.0, gamma };
                    let over = Neighbourhood::EitherSide;
                    let left = prune_as_printed(&tallies, &pairs, law.levels(), over, parameters)?;
                    let edges: Vec<(u32, u32)> = left.edges.iter().map(|&(low, high, _)| (low, high)).collect();
                    let graph = CsrGraph::from_edges(self.len(), &edges, EdgeKind::Undirected)?;
                    Ok(kept(&left.removed, graph, Some(gamma)))
                };
                gammas.into_iter().map(prune).collect()
            }
            DefenceSpec::EdgesOnly => {
                options.conformity = false;
                options.behaviours.clear();
                let defence = defend(lists, &options)?;
                Ok(vec![kept(&[], defence.graph, None)])
            }
            DefenceSpec::Sound { false_alarm } => {
                options.false_alarm = false_alarm;
                let defence = defend(lists, &options)?;
                let removed: Vec<u32> = defence.removals.iter().map(|removal| removal.node).collect();
                Ok(vec![kept(&removed, defence.graph, None)])
            }
        }
    }

    fn account(&self, removed: &[u32], graph: &CsrGraph) -> DefenceOutcome {
        let found = Detection::of(removed, &self.fake);
        let edges = EdgeAccount::of(graph, &self.graph, &self.fake);
        DefenceOutcome {
            fakes: found.fakes,
            caught: found.caught,
            honest: found.honest,
            honest_removed: found.honest_removed,
            edges: edges.honest,
            edges_lost: edges.honest_lost,
            noise_edges: edges.noise_kept,
            fake_edges: edges.fake_kept,
            gamma: None,
            roc: Vec::new(),
            detectors: Vec::new(),
        }
    }
}

/// The law of one list entry; where the graph is public nobody sends lists, and any law will do for planning an attack.
fn law(structure: &StructureSpec) -> Result<EndorsementLaw, Error> {
    Ok(match structure {
        StructureSpec::Public => EndorsementLaw::new(crate::Epsilon::new(5.0)?, 5)?,
        StructureSpec::Lists { epsilon, levels, .. } => EndorsementLaw::new(*epsilon, usize::from(*levels))?,
    })
}

/// How victims grade a stranger, by the description of the trust model, which is public.
fn stranger_grades(structure: &StructureSpec) -> Option<Vec<f64>> {
    let StructureSpec::Lists { levels, trust, .. } = structure else { return None };
    match trust {
        TrustModel::Oracle { friends, error } => {
            let mut grades: Vec<f64> = friends.iter().map(|share| share * error).collect();
            *grades.first_mut()? += 1.0 - error;
            Some(grades)
        }
        TrustModel::Uniform => Some(vec![1.0 / f64::from(*levels); usize::from(*levels)]),
        _ => None,
    }
}

/// The honest users' rows, then the fakes'; a fake whose report goes past the randomizer has its high features as ones.
fn with_profiles(rows: &CsrMatrix, fakes: &[FakeProfile]) -> Result<CsrMatrix, Error> {
    let (mut indptr, mut indices, mut values) =
        (rows.indptr().to_vec(), rows.indices().to_vec(), rows.values().to_vec());
    for profile in fakes {
        let entries: Vec<(u32, f32)> = match profile {
            FakeProfile::Report(report) => report.iter().filter(|e| e.1).map(|&(index, _)| (index, 1.0)).collect(),
            FakeProfile::Value(value) => value.clone(),
        };
        indices.extend(entries.iter().map(|e| e.0));
        values.extend(entries.iter().map(|e| e.1.clamp(0.0, 1.0)));
        indptr.push(indices.len());
    }
    Ok(CsrMatrix::new(rows.columns(), indptr, indices, values)?)
}

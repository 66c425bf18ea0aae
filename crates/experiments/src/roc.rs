//! How well each score for fakes ranks users, whatever threshold is taken: receiver operating characteristics.
//!
//! This is the experimenter's, who knows the fakes. All scores read the same lists, those of an attacked run without a
//! defence, so that they can be compared.

use serde::{Deserialize, Serialize};
use veritas_defense::as_printed::{Neighbourhood, imbalance_as_printed};
use veritas_defense::{
    Behaviour, DefenceOptions, EndorsementLaw, EndorsementLists, MutualPairs, Population, Tallies, conformity,
    imbalance, suspicion,
};

/// Shares of the honest users who are accused at which a curve is read.
pub const FALSE_ALARMS: [f64; 13] = [0.0, 0.0003, 0.001, 0.003, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0];

/// One score's curve on one run's lists.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RocCurve {
    /// The score.
    pub score: String,
    /// Area under the curve: the chance that a fake looks worse than an honest user, ties counted half.
    pub area: f64,
    /// Share of the fakes caught where the share of honest users of [`FALSE_ALARMS`] is accused.
    pub caught: Vec<f64>,
}

/// The curves of all scores.
pub(crate) fn curves(lists: &EndorsementLists, law: &EndorsementLaw, fake: &[bool]) -> Vec<RocCurve> {
    let (tallies, pairs) = (Tallies::of(lists), MutualPairs::of(lists));
    let nobody = vec![false; fake.len()];
    let population = Population::estimate(&pairs, law, &nobody);
    let grading_error = DefenceOptions::new(*law).grading_error;
    let phi = |over| imbalance_as_printed(&tallies, &pairs, over);
    let suspected = |behaviours: &[Behaviour]| {
        let found = suspicion(&pairs, &population, law, behaviours, grading_error, &nobody);
        // Where the test says p = 1, the evidence still ranks.
        found.iter().map(|one| one.map_or((1.0, f64::NEG_INFINITY), |one| (one.p_value, one.evidence))).collect()
    };
    let alone = |scores: Vec<f64>| scores.into_iter().map(|score| (0.0, score)).collect::<Vec<_>>();
    let z = imbalance(&tallies, &pairs, &population, law, &nobody);
    let own_list = conformity(&tallies, law);
    let scores: [(&str, Vec<(f64, f64)>); 7] = [
        ("φ as printed", alone(phi(Neighbourhood::EitherSide))),
        ("φ over mutual pairs", alone(phi(Neighbourhood::BothSides))),
        ("imbalance, standardized", alone(z.iter().map(|one| one.z).collect())),
        ("conformity of the own list", own_list.iter().map(|one| (one.p_value, 0.0)).collect()),
        ("pair ratio, lavish", suspected(&[Behaviour::Lavish])),
        ("peers doubt", suspected(&[Behaviour::PeersDoubt])),
        ("all behaviours", suspected(&Behaviour::ALL)),
    ];
    scores.into_iter().map(|(name, score)| curve(name, &score, fake)).collect()
}

/// The curve of a score: a p-value, and what decides between equal ones (more is worse).
fn curve(name: &str, score: &[(f64, f64)], fake: &[bool]) -> RocCurve {
    let mut order: Vec<usize> = (0..score.len()).collect();
    let worse_first = |a: &(f64, f64), b: &(f64, f64)| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1));
    order.sort_by(|&a, &b| worse_first(&score[a], &score[b]));
    let fakes = fake.iter().filter(|&&fake| fake).count() as f64;
    let honest = fake.len() as f64 - fakes;
    // Corners of the curve; users with equal scores are passed by one straight line.
    let mut corners = vec![(0.0, 0.0)];
    let (mut accused, mut caught) = (0.0, 0.0);
    for group in order.chunk_by(|&a, &b| worse_first(&score[a], &score[b]).is_eq()) {
        let found = group.iter().filter(|&&node| fake[node]).count() as f64;
        caught += found;
        accused += group.len() as f64 - found;
        corners.push((accused / honest.max(1.0), caught / fakes.max(1.0)));
    }
    let area = corners.windows(2).map(|ends| (ends[1].0 - ends[0].0) * (ends[1].1 + ends[0].1) / 2.0).sum();
    let at = |share: f64| {
        // The last corner at the share or left of it, and the next one.
        let next = corners.partition_point(|corner| corner.0 <= share);
        let left = corners[next - 1];
        let Some(&right) = corners.get(next) else { return left.1 };
        left.1 + (right.1 - left.1) * (share - left.0) / (right.0 - left.0)
    };
    RocCurve { score: name.to_owned(), area, caught: FALSE_ALARMS.map(at).to_vec() }
}

#[cfg(test)]
mod tests {
    use super::{FALSE_ALARMS, curve};

    fn alone(scores: &[f64]) -> Vec<(f64, f64)> {
        scores.iter().map(|&score| (0.0, score)).collect()
    }

    #[test]
    fn the_curve_of_a_perfect_a_useless_and_a_wrong_score() {
        let fake = [true, true, false, false, false, false];
        let perfect = curve("s", &alone(&[9.0, 8.0, 1.0, 2.0, 3.0, 4.0]), &fake);
        assert_eq!((perfect.area, perfect.caught[0]), (1.0, 1.0));
        let useless = curve("s", &alone(&[1.0; 6]), &fake);
        assert_eq!(useless.area, 0.5);
        useless.caught.iter().zip(FALSE_ALARMS).for_each(|(caught, share)| assert!((caught - share).abs() < 1e-12));
        let wrong = curve("s", &alone(&[0.0, -1.0, 1.0, 2.0, 3.0, 4.0]), &fake);
        assert_eq!((wrong.area, wrong.caught[0], wrong.caught[FALSE_ALARMS.len() - 1]), (0.0, 0.0, 1.0));
    }

    /// By hand: fakes at ranks 1 and 4 of six; 1 beats four honest users, 4 beats two. 6 of 8 pairs.
    #[test]
    fn the_area_counts_pairs_and_p_values_go_before_evidence() {
        let fake = [true, false, false, true, false, false];
        let score = [(0.1, 0.0), (0.2, 9.0), (0.2, 8.0), (0.2, 7.0), (1.0, 99.0), (1.0, 98.0)];
        let found = curve("s", &score, &fake);
        assert_eq!(found.area, 0.75);
        let half = FALSE_ALARMS.iter().position(|&share| share == 0.5).expect("a share");
        assert_eq!((found.caught[0], found.caught[half]), (0.5, 1.0));
    }
}

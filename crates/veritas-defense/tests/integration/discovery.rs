//! Benjamini and Hochberg's rule, against their own example and at its borders.

use veritas_defense::benjamini_hochberg;

/// Their table of 15 p-values: at 0.05 the rule rejects four, Bonferroni three [Benjamini & Hochberg 1995, section 3.2].
#[test]
fn the_example_of_its_authors() {
    let p = [
        0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590,
        1.0,
    ];
    assert_eq!(benjamini_hochberg(&p, 0.05), [0, 1, 2, 3]);
    let reversed: Vec<f64> = p.iter().rev().copied().collect();
    assert_eq!(benjamini_hochberg(&reversed, 0.05), [11, 12, 13, 14]);
}

/// The k-th smallest of n is compared with k·level/n, the largest k counts, and equality rejects.
#[test]
fn borders() {
    let level = 0.25;
    // One test of four: rejected up to level/4 and not above.
    assert_eq!(benjamini_hochberg(&[0.0625, 0.9, 0.9, 0.9], level), [0]);
    assert_eq!(benjamini_hochberg(&[0.0626, 0.9, 0.9, 0.9], level), [0; 0]);
    // All four just fit at the last step, though none does at its own.
    assert_eq!(benjamini_hochberg(&[0.24, 0.24, 0.25, 0.23], level), [0, 1, 2, 3]);
    assert_eq!(benjamini_hochberg(&[0.24, 0.24, 0.251, 0.23], level), [0; 0]);
    assert_eq!(benjamini_hochberg(&[], level), [0; 0]);
}

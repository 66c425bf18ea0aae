//! Any JSON: refused, or a value that its own constructor takes and that comes back from its text.
#![no_main]

use ldp_core::{
    Bounds, Delta, Epsilon, GradedList, HybridReport, MultiBitReport, PrivateLevelReport, SampleSize, SampledReport,
};
use libfuzzer_sys::fuzz_target;
use serde_json::{from_str, to_string};

fn round_trip<T>(text: &str) -> Option<T>
where
    T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let value: T = from_str(text).ok()?;
    let again: T = from_str(&to_string(&value).expect("writes")).expect("reads what it wrote");
    assert_eq!(again, value);
    Some(value)
}

fuzz_target!(|text: &str| {
    if let Some(epsilon) = round_trip::<Epsilon>(text) {
        assert_eq!(Epsilon::from_nano(epsilon.nano()), Ok(epsilon));
    }
    if let Some(delta) = round_trip::<Delta>(text) {
        assert!(Delta::new(delta.get()).is_ok());
    }
    if let Some(bounds) = round_trip::<Bounds>(text) {
        assert_eq!(Bounds::new(bounds.lower(), bounds.upper()), Ok(bounds));
    }
    if let Some(report) = round_trip::<MultiBitReport>(text) {
        assert!(MultiBitReport::new(report.indices().to_vec(), report.bits().to_vec()).is_ok());
    }
    if let Some(list) = round_trip::<GradedList>(text) {
        assert!(GradedList::new(list.positions().to_vec(), list.grades().to_vec()).is_ok());
    }
    round_trip::<HybridReport>(text);
    round_trip::<SampledReport<u32>>(text);
    round_trip::<PrivateLevelReport>(text);
    round_trip::<SampleSize>(text);
});

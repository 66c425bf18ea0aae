//! The pipeline: the only place where truth and reports meet

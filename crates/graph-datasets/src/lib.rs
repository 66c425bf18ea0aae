//! Checked graph data sets: canonical files, splits, synthetic graphs

//! The canonical file: a ZIP archive of NPY arrays, `graph.npz`.
//!
//! | key | dtype | shape | meaning |
//! |---|---|---|---|
//! | `edges` | int32 | [E, 2] | undirected, smaller end first, ascending, each once, no self-loop |
//! | `self_loops` | int32 | [L] | nodes with a self-loop upstream, ascending |
//! | `feat_indptr` | int64 | [n+1] | CSR row starts |
//! | `feat_indices` | int32 | [nnz] | CSR columns, ascending in each row |
//! | `feat_data` | float32 | [nnz] | CSR values |
//! | `labels` | int32 | [n] | class of each node |
//! | `num_classes` | int64 | [1] | number of classes |
//! | `shape` | int64 | [2] | nodes, feature columns |
//!
//! The three `feat_` arrays may be absent together. Optional: `train_index`, `val_index`, `test_index` (int32, the
//! split that came with the data), `no_label_nodes` (int32), `traffic` (int64 [n]), `labels_median` (int32 [n]); and, for
//! data that are in no catalog, `feature_low` and `feature_high` (float32, [1] or [columns], the declared public
//! range; absent: [0, 1]) and `marks` (uint8, UTF-8, one mark a line).

mod archive;
mod canonical;
mod npy;
mod write;

pub(crate) use archive::Archive;
pub(crate) use canonical::read;
pub(crate) use write::{write, write_file};

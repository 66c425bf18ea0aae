//! Made-up graphs whose homophily and feature signal are known because they are parameters.

mod block_model;
mod draw;
mod words;

pub use block_model::BlockModel;
pub(crate) use words::topic_words;

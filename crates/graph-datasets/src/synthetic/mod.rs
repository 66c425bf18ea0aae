//! Made-up graphs whose homophily and feature signal are known because they are parameters.

mod block_model;
mod contextual;
mod draw;
mod table;
mod words;

pub use block_model::BlockModel;
pub use contextual::ContextualBlockModel;
pub(crate) use words::topic_words;

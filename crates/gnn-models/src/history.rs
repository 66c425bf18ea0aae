//! What a run leaves behind, epoch by epoch.

/// One epoch of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Epoch {
    /// Number of the epoch, from 0.
    pub epoch: usize,
    /// The loss that was minimised, before this epoch's step, dropout on, in nats.
    pub train_loss: f64,
    /// Share of training nodes whose label is predicted, before this epoch's step, dropout on.
    pub train_accuracy: f64,
    /// Cross-entropy of the validation nodes' labels after this epoch's step, in nats; of P T where the loss corrects
    /// for noise, and never with label propagation.
    pub validation_loss: f64,
    /// Share of validation nodes whose label is predicted after this epoch's step.
    pub validation_accuracy: f64,
}

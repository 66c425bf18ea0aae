//! Graph neural networks on Burn behind plain slices

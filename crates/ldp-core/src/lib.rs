//! Local randomizers, their rectifiers and their exact laws

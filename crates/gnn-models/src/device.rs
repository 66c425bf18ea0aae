//! Where a model is trained. Always named: the backend's own default would pick a GPU as soon as one is compiled in.

use crate::Error;
use std::{fmt, str::FromStr};

/// Where to train: what `--device` accepts.
///
/// Written and read as `auto`, `cpu`, `cuda`, `cuda:1`, `wgpu`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DeviceChoice {
    /// The first CUDA device if there is one, else the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The CUDA device with this index; needs the feature `cuda`.
    Cuda(usize),
    /// The first device that wgpu finds; needs the feature `wgpu`. Meant for testing the GPU kernels.
    Wgpu,
}

impl DeviceChoice {
    /// Replaces [`Auto`](Self::Auto) by what it stands for on this machine and checks that the device is there.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn resolve(self) -> Result<Self, Error> {
        match self {
            Self::Auto | Self::Cpu => Ok(Self::Cpu),
            Self::Cuda(_) | Self::Wgpu => {
                Err(Error::Device { device: self.to_string(), reason: "this build knows only the CPU".to_owned() })
            }
        }
    }

    /// The backend's device.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub(crate) fn open(self) -> Result<burn::tensor::Device, Error> {
        self.resolve()?;
        Ok(burn::tensor::Device::flex())
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(index) => write!(f, "cuda:{index}"),
            Self::Wgpu => f.write_str("wgpu"),
        }
    }
}

impl FromStr for DeviceChoice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda(0)),
            "wgpu" => Ok(Self::Wgpu),
            _ => {
                let index = text.strip_prefix("cuda:").and_then(|index| index.parse().ok());
                index.map(Self::Cuda).ok_or_else(|| Error::Device {
                    device: text.to_owned(),
                    reason: "no such name: auto, cpu, cuda, cuda:INDEX or wgpu".to_owned(),
                })
            }
        }
    }
}

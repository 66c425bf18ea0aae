//! Where a model is trained. Always named: the backend's own default would pick a GPU as soon as one is compiled in.

use crate::Error;
use burn::tensor::Device;
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
            Self::Auto if cuda_devices() > 0 => Ok(Self::Cuda(0)),
            Self::Auto | Self::Cpu => Ok(Self::Cpu),
            Self::Cuda(index) if index < cuda_devices() => Ok(self),
            Self::Cuda(_) => Err(self.absent(cfg!(feature = "cuda"), "cuda", cuda_devices())),
            Self::Wgpu if wgpu_devices() > 0 => Ok(self),
            Self::Wgpu => Err(self.absent(cfg!(feature = "wgpu"), "wgpu", wgpu_devices())),
        }
    }

    fn absent(self, compiled: bool, feature: &str, found: usize) -> Error {
        let reason = if compiled {
            format!("devices of this kind found: {found}")
        } else {
            format!("built without the feature `{feature}`")
        };
        Error::Device { device: self.to_string(), reason }
    }

    /// The backend's device.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub(crate) fn open(self) -> Result<Device, Error> {
        match self.resolve()? {
            #[cfg(feature = "cuda")]
            Self::Cuda(index) => Ok(Device::cuda(index)),
            #[cfg(feature = "wgpu")]
            Self::Wgpu => Ok(Device::wgpu(burn::tensor::DeviceKind::DefaultDevice)),
            _ => Ok(Device::flex()),
        }
    }
}

#[cfg(feature = "cuda")]
fn cuda_devices() -> usize {
    Device::enumerate(burn::tensor::DeviceType::Cuda).into_vec().len()
}

#[cfg(not(feature = "cuda"))]
fn cuda_devices() -> usize {
    0
}

#[cfg(feature = "wgpu")]
fn wgpu_devices() -> usize {
    Device::enumerate(burn::tensor::DeviceType::Wgpu).into_vec().len()
}

#[cfg(not(feature = "wgpu"))]
fn wgpu_devices() -> usize {
    0
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

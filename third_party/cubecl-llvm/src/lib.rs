//! The names that `cubecl-cuda` 0.11.3 uses of `cubecl-llvm`, without LLVM behind them.
//!
//! The released `cubecl-llvm` downloads a prebuilt LLVM while it builds, which fails wherever only a package registry
//! can be reached. CUDA kernels do not need it: with cubecl's feature `cuda-cpp`, which our feature `cuda` turns on,
//! they are compiled as CUDA C++ by NVRTC at run time. Asked to compile, this stand-in answers with an error.
//!
//! To be rid of it: delete this folder and the `[patch.crates-io]` entry of the root manifest.

use cubecl_core::{CompilationError, ir::nvidia::SmArch, prelude::KernelDefinition};
use cubecl_runtime::kernel::BufferIOAttr;

/// Versions of NVIDIA's assembly.
pub mod nvptx {
    /// Versions of NVIDIA's assembly.
    pub mod ptx_version {
        /// A version of NVIDIA's assembly.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct PtxVersion(u32);

        impl PtxVersion {
            /// The newest version that a driver takes; none, for nothing is compiled here.
            pub fn for_driver(_driver: i32) -> Option<Self> {
                None
            }
        }

        impl core::fmt::Display for PtxVersion {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, "ptx{}", self.0)
            }
        }
    }
}

/// What upstream shares between its targets.
pub mod shared {
    /// Device features that a compiler cannot lower.
    pub mod lowered_features {
        /// What is compiled for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum GpuTarget {
            /// NVIDIA.
            Nvptx,
        }

        /// Removes what the compiler cannot lower: nothing, for another compiler does the work.
        pub fn restrict_features(_: &mut cubecl_core::ir::DeviceProperties, _: GpuTarget) {}
    }
}

/// What is compiled for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LlvmTarget {
    /// NVIDIA.
    #[default]
    Nvptx,
}

/// The compiler that is not there.
#[derive(Clone, Debug)]
pub struct PlironCompiler {
    /// What is compiled for.
    pub target: LlvmTarget,
}

/// Its options.
#[derive(Clone, Debug, Default)]
pub struct PlironOptions {
    /// Unused.
    pub arch: Option<()>,
    /// Generation of the device.
    pub sm_arch: Option<SmArch>,
    /// Version of the assembly.
    pub ptx_version: Option<nvptx::ptx_version::PtxVersion>,
    /// Unused.
    pub grid_constants: bool,
    /// Unused; lets `..Default::default()` be written.
    pub _rest: (),
}

/// What it would give back.
#[derive(Clone, Debug)]
pub struct NvptxModule {
    /// Assembly.
    pub ptx: Vec<core::ffi::c_char>,
    /// Name of the kernel.
    pub entrypoint: String,
    /// Intermediate code.
    pub ir: String,
    /// Bytes of shared memory.
    pub shared_memory_size: usize,
    /// What the kernel reads and writes.
    pub io: Vec<BufferIOAttr>,
}

/// What it would give back, by target.
pub enum PlironArtifact {
    /// For NVIDIA.
    NvptxCode(NvptxModule),
    /// Nothing.
    None,
}

impl PlironCompiler {
    /// # Errors
    /// Always.
    pub fn compile(&mut self, _: KernelDefinition, _: &PlironOptions) -> Result<PlironArtifact, CompilationError> {
        Err(CompilationError::Generic {
            reason: "built without LLVM: enable cubecl's `cuda-cpp` feature".into(),
            backtrace: cubecl_core::environment::backtrace::BackTrace::capture(),
        })
    }

    /// Name of the language.
    pub fn lang_tag(&self) -> &'static str {
        "llvm"
    }
}

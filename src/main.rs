//! The `juzhong` program.

use std::io::{BufWriter, Write, stderr, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    if !processor_suffices() {
        let told = writeln!(
            stderr(),
            "juzhong: this program was built for processors with AVX2 and BMI2; build it with \
             RUSTFLAGS=\"-C target-cpu=x86-64\" for this one"
        );
        return ExitCode::from(if told.is_ok() { 69 } else { 74 });
    }
    let mut out = BufWriter::new(stdout().lock());
    ExitCode::from(juzhong::cli::run(std::env::args_os(), &mut out))
}

/// Returns true if the processor has the instructions that the program was built for. The standard library's
/// own test is answered when the program is built, not when it runs.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2"))]
#[inline(never)]
fn processor_suffices() -> bool {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    const BMI1_AVX2_BMI2: u32 = 1 << 3 | 1 << 5 | 1 << 8;
    __cpuid(0).eax >= 7 && __cpuid_count(7, 0).ebx & BMI1_AVX2_BMI2 == BMI1_AVX2_BMI2
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2")))]
const fn processor_suffices() -> bool {
    true
}

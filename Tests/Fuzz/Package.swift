// swift-tools-version: 6.2
import PackageDescription

/// A fuzz target.
///
/// libFuzzer calls its entry point, so it is built with `--sanitize fuzzer` only: by `scripts/fuzz.sh`, which runs every
/// `fuzz-*` of this package. The corpus is in `Corpus/NAME`; `NAME.dict` and `NAME.options` may be beside that folder.
func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: "fuzz-" + name, dependencies: dependencies, path: "Sources/fuzz-" + name,
    swiftSettings: [.unsafeFlags(["-parse-as-library"])])
}

let readers = Target.Dependency.product(name: "MergewalkReaders", package: "mergewalk")
let objects = Target.Dependency.product(name: "MergewalkObjects", package: "mergewalk")

let imports = Target.Dependency.product(name: "MergewalkImport", package: "mergewalk")

let package = Package(
  name: "fuzz",
  dependencies: [.package(name: "mergewalk", path: "../..")],
  targets: [
    // What all targets of readers do.
    .target(name: "ReaderFuzzing", dependencies: [readers]),
    // Files for what reads files.
    .target(name: "FileFuzzing"),
    fuzzer("predicates", [objects]),
    fuzzer("models", ["FileFuzzing", objects]),
    fuzzer("pipelines", ["FileFuzzing", imports]),
    fuzzer("stores", ["FileFuzzing", imports]),
    fuzzer("readers-csv", ["ReaderFuzzing", readers]),
    fuzzer("readers-json", ["ReaderFuzzing", readers]),
    fuzzer("readers-fixed", ["ReaderFuzzing", readers]),
    fuzzer("readers-plist", ["ReaderFuzzing", readers]),
    fuzzer("readers-yaml", ["ReaderFuzzing", readers]),
    fuzzer("readers-xml", ["ReaderFuzzing", readers]),
    fuzzer("containers", ["ReaderFuzzing", readers]),
    fuzzer("encodings", ["ReaderFuzzing", readers]),
  ])

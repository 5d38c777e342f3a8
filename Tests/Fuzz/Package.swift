// swift-tools-version: 6.2
import PackageDescription

/// Fuzz targets: libFuzzer calls their entry points, so they are built with `--sanitize fuzzer` only (`scripts/fuzz.sh`).
let package = Package(
  name: "fuzz",
  dependencies: [.package(name: "mergewalk", path: "../..")],
  targets: [
    .executableTarget(
      name: "fuzz-predicates",
      dependencies: [.product(name: "MergewalkObjects", package: "mergewalk")],
      path: "Sources/fuzz-predicates",
      swiftSettings: [.unsafeFlags(["-parse-as-library"])])
  ]
)

// swift-tools-version: 6.2
import PackageDescription

/// The Swift contestants: what the product itself must not depend on, and programs over its libraries.
let package = Package(
  name: "bench",
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(name: "mergewalk", path: ".."),
  ],
  targets: [
    .executableTarget(
      name: "grdb-orders",
      dependencies: [.product(name: "GRDB", package: "GRDB.swift")],
      path: "Sources/grdb-orders"),
    .executableTarget(
      name: "foundation-ndjson",
      path: "Sources/foundation-ndjson",
      swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
    .executableTarget(
      name: "mergewalk-fetch",
      dependencies: [.product(name: "MergewalkObjects", package: "mergewalk")],
      path: "Sources/mergewalk-fetch"),
    .executableTarget(
      name: "mergewalk-objects",
      dependencies: [.product(name: "MergewalkObjects", package: "mergewalk")],
      path: "Sources/mergewalk-objects"),
    .executableTarget(
      name: "mergewalk-read",
      dependencies: [.product(name: "MergewalkReaders", package: "mergewalk")],
      path: "Sources/mergewalk-read"),
  ]
)

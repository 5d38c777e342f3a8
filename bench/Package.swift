// swift-tools-version: 6.2
import PackageDescription

/// The Swift contestants that the product itself must not depend on.
let package = Package(
  name: "bench",
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0")
  ],
  targets: [
    .executableTarget(
      name: "grdb-orders",
      dependencies: [.product(name: "GRDB", package: "GRDB.swift")],
      path: "Sources/grdb-orders")
  ]
)

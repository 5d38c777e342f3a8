// swift-tools-version: 6.2
import PackageDescription

/// A package of another team that depends on Mergewalk beside packages that own common names of targets: built by
/// `scripts/consumer.sh`, outside of our own package.
let package = Package(
  name: "consumer",
  dependencies: [
    .package(name: "mergewalk", path: "../.."),
    .package(path: "CommonNames"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .executableTarget(
      name: "Consumer",
      dependencies: [
        .product(name: "MergewalkObjects", package: "mergewalk"),
        .product(name: "MergewalkFoundation", package: "mergewalk"),
        .product(name: "MergewalkReaders", package: "mergewalk"),
        .product(name: "CommonNames", package: "CommonNames"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Yams", package: "Yams"),
        .product(name: "Logging", package: "swift-log"),
      ])
  ]
)

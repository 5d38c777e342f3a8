// swift-tools-version: 6.2
import PackageDescription

/// Targets with names that much-used packages have; two packages with one of them cannot be used together.
let names = [
  "SQLite", "XML", "YAML", "Threads", "Bytes", "Diagnostics", "PropertyLists", "ObjectModel", "Objects", "Readers",
  "Pipelines",
]

let package = Package(
  name: "CommonNames",
  products: [.library(name: "CommonNames", targets: names + ["CSQLite"])],
  targets: [.target(name: "CSQLite")] + names.map { .target(name: $0) }
)

// swift-tools-version: 6.2
import PackageDescription

// A package whose default store is built into its resources when it is built.
let package = Package(
  name: "default-store",
  dependencies: [.package(name: "mergewalk", path: "../..")],
  targets: [
    .executableTarget(
      name: "Airports",
      // The plugin reads these; they are no part of the program.
      exclude: ["Data"],
      plugins: [.plugin(name: "MergewalkDefaultStore", package: "mergewalk")])
  ]
)

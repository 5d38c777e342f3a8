// swift-tools-version: 6.2
import PackageDescription

// The sources import the C library as Glibc; on macOS that name stands for Darwin. What Darwin spells differently is in
// Sources/Diagnostics/Darwin.swift. It has not been built there yet.
#if os(macOS)
  let systemSettings: [SwiftSetting] = [.unsafeFlags(["-module-alias", "Glibc=Darwin"])]
#else
  let systemSettings: [SwiftSetting] = []
#endif

/// Language settings of every target: Swift 6 mode with strict concurrency, the upcoming
/// features this code base is written against, and warnings as errors.
let strict: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
  ] + systemSettings

/// Declares a library target with the strict settings.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// Declares a test target with the strict settings.
func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

let package = Package(
  name: "mergewalk",
  products: [
    .library(name: "MergewalkObjects", targets: ["MergewalkObjects", "ObjectModel", "ObjectStore", "ObjectContext"]),
    .library(name: "CoreData", targets: ["CoreData"]),
    .library(name: "MergewalkFoundation", targets: ["MergewalkFoundation"]),
    .library(name: "MergewalkReaders", targets: ["MergewalkReaders", "RecordFormats"]),
    .library(name: "MergewalkImport", targets: ["MergewalkImport", "RecordFormats", "Importing", "Pipelines"]),
    .executable(name: "mergewalk", targets: ["mergewalk"]),
    .plugin(name: "MergewalkDefaultStore", targets: ["MergewalkDefaultStore"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    // C libraries of the system.
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
    .systemLibrary(name: "CLibYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(name: "CBZip2", providers: [.apt(["libbz2-dev"])]),
    .systemLibrary(name: "CLZMA", pkgConfig: "liblzma", providers: [.apt(["liblzma-dev"])]),
    .systemLibrary(name: "CICU", pkgConfig: "icu-i18n", providers: [.apt(["libicu-dev"])]),

    // Loops in C that need instructions Swift cannot ask for.
    .target(name: "CScan"),
    // Calls of glibc that Swift does not see.
    .target(name: "CProcess"),
    // What the command does before its main function.
    .target(name: "CCommand"),

    // Foundations: no entity, no SQL.
    module("Diagnostics"),
    module("Bytes"),
    module("Threads"),
    module("EventLogs", ["Threads", "CScan"]),
    module("XML", ["Bytes", "Diagnostics", "EventLogs", "CLibXML2"]),
    module("YAML", ["Diagnostics", "CLibYAML"]),
    module("PropertyLists"),

    // The object layer.
    module("ObjectModel", ["Bytes", "Diagnostics", "XML", "YAML", "PropertyLists", "CCrypto", "CICU"]),
    module("SQLite", ["CSQLite"]),
    module("StorePages"),
    module(
      "ObjectStore",
      [
        "Bytes", "ObjectModel", "SQLite", "StorePages", "CSQLite", "CProcess", "PropertyLists", "Diagnostics", "XML",
        "CZlib",
      ]),
    module("ObjectContext", ["Bytes", "ObjectModel", "ObjectStore", "Threads"]),

    // Core Data's names for the object layer.
    module("CoreData", ["ObjectContext", "ObjectStore", "ObjectModel"]),

    // The import layer.
    module(
      "RecordFormats",
      [
        "Bytes", "Diagnostics", "EventLogs", "Threads", "XML", "CScan", "CProcess", "CLibYAML", "CZlib", "CZstd",
        "CBZip2",
        "CLZMA", "CCrypto",
      ]),
    module(
      "Importing",
      [
        "Bytes", "ObjectContext", "ObjectStore", "ObjectModel", "PropertyLists", "RecordFormats", "Diagnostics",
        "Threads", "YAML", "CScan",
      ]),
    module(
      "Pipelines",
      [
        "Bytes", "Importing", "ObjectContext", "ObjectStore", "ObjectModel", "RecordFormats", "Diagnostics", "Threads",
        "YAML",
      ]),

    // What users import: one module a product.
    module("MergewalkObjects", ["Diagnostics", "ObjectModel", "ObjectStore", "ObjectContext"]),
    module("MergewalkFoundation", ["ObjectModel", "ObjectContext"]),
    module("MergewalkReaders", ["Diagnostics", "RecordFormats"]),
    module("MergewalkImport", ["MergewalkObjects", "MergewalkReaders", "Importing", "Pipelines"]),

    .executableTarget(
      name: "mergewalk",
      dependencies: [
        "Pipelines", "Importing", "ObjectStore", "ObjectModel", "RecordFormats", "Diagnostics", "Threads", "Bytes",
        "CCommand",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),

    // A program as users write it; DocumentationTests run it.
    .executableTarget(
      name: "IssueServer", dependencies: ["MergewalkObjects", "MergewalkFoundation"], path: "Examples/IssueServer",
      swiftSettings: strict),

    // Builds default stores into the resources of other packages: see Examples/DefaultStore.
    .plugin(name: "MergewalkDefaultStore", capability: .buildTool(), dependencies: ["mergewalk"]),

    // Helpers of the test targets: temporary folders, `../shared`, seeded random numbers.
    module("TestSupport"),
    tests("DiagnosticsTests", ["Diagnostics"]),
    tests("BytesTests", ["Bytes", "TestSupport"]),
    tests("ThreadsTests", ["Threads"]),
    tests("YAMLTests", ["YAML", "Diagnostics", "TestSupport"]),
    tests("PropertyListsTests", ["PropertyLists", "TestSupport"]),
    tests(
      "ObjectModelTests", ["ObjectModel", "Diagnostics", "CSQLite", "Threads", "TestSupport"]),
    tests("SQLiteTests", ["SQLite", "TestSupport"]),
    tests("StorePagesTests", ["StorePages", "SQLite", "TestSupport"]),
    tests("ObjectStoreTests", ["ObjectStore", "ObjectModel", "SQLite", "PropertyLists", "Diagnostics", "TestSupport"]),
    tests(
      "ObjectContextTests",
      ["CoreData", "ObjectContext", "ObjectStore", "ObjectModel", "PropertyLists", "SQLite", "TestSupport"],
      exclude: ["Generated/Zoo.yaml"]),
    tests("MergewalkFoundationTests", ["MergewalkFoundation", "MergewalkObjects", "TestSupport"]),
    tests(
      "RecordFormatsTests",
      [
        "Bytes", "RecordFormats", "Diagnostics", "EventLogs", "PropertyLists", "YAML", "CLibYAML", "CScan", "CZlib",
        "CZstd",
        "CBZip2",
        "CLZMA",
        "TestSupport",
      ]),
    tests(
      "ImportingTests",
      [
        "Importing", "Diagnostics", "PropertyLists", "ObjectContext", "ObjectStore", "ObjectModel", "RecordFormats",
        "SQLite", "Threads", "TestSupport",
      ]),
    tests(
      "PipelinesTests",
      [
        "Pipelines", "Importing", "ObjectStore", "ObjectModel", "RecordFormats", "Diagnostics", "YAML", "SQLite",
        "TestSupport",
      ]),
    tests(
      "DocumentationTests",
      [
        "Pipelines", "Importing", "ObjectContext", "ObjectStore", "ObjectModel", "RecordFormats", "IssueServer",
        "TestSupport",
      ]),
    // Compiled only where CoreData can be imported; elsewhere it is empty.
    tests("ApplePlatform", ["Pipelines", "Importing", "ObjectStore", "ObjectModel", "TestSupport"]),
    tests(
      "CLITests", ["mergewalk", "Importing", "TestSupport", "SQLite", "YAML"],
      exclude: ["Mistakes/Mistakes.yaml"]),
    tests(
      "MeetingTests",
      [
        "mergewalk", "Pipelines", "Importing", "ObjectStore", "ObjectModel", "RecordFormats", "SQLite", "Diagnostics",
        "CZlib", "CZstd", "CBZip2", "CLZMA", "TestSupport",
      ]),
  ]
)

// Pages of the products: the plugin is for scripts/docs-site.sh only.
if Context.environment["MERGEWALK_DOCS"] != nil {
  package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}

// A build for a sanitizer has the tests that it is for and what they need, nothing else: see scripts/sanitize.sh.
let sanitized: [String: [String]] = [
  "address": ["BytesTests", "RecordFormatsTests"],
  "thread": ["ThreadsTests", "RecordFormatsTests", "ImportingTests", "ObjectContextTests"],
]
if let tests = Context.environment["MERGEWALK_SANITIZE"].flatMap({ sanitized[$0] }) {
  var needed: Set<String> = []
  var open = tests
  while let name = open.popLast() {
    guard needed.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else { continue }
    for case .byNameItem(let name, _) in target.dependencies { open.append(name) }
  }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products = []
}

// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// Language settings of every target: Swift 6 mode with strict concurrency, the upcoming
/// features this code base is written against, and warnings as errors.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

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
    .library(
      name: "MergewalkObjects",
      targets: ["MergewalkObjects", "MergewalkObjectModel", "MergewalkObjectStore", "MergewalkObjectContext"]),
    .library(name: "CoreData", targets: ["CoreData"]),
    .library(name: "MergewalkFoundation", targets: ["MergewalkFoundation"]),
    .library(name: "MergewalkMacros", targets: ["MergewalkMacros"]),
    .library(name: "MergewalkReaders", targets: ["MergewalkReaders", "MergewalkRecordFormats"]),
    .library(
      name: "MergewalkImport",
      targets: ["MergewalkImport", "MergewalkRecordFormats", "MergewalkImporting", "MergewalkPipelines"]),
    .executable(name: "mergewalk", targets: ["mergewalk"]),
    .plugin(name: "MergewalkDefaultStore", targets: ["MergewalkDefaultStore"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    // For macros only: who does not use the product MergewalkMacros does not build it.
    .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0"),
  ],
  targets: [
    // C libraries of the system.
    .systemLibrary(name: "CMergewalkSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CMergewalkLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
    .systemLibrary(name: "CMergewalkLibYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CMergewalkCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CMergewalkZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CMergewalkZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(name: "CMergewalkBZip2", providers: [.apt(["libbz2-dev"])]),
    .systemLibrary(name: "CMergewalkLZMA", pkgConfig: "liblzma", providers: [.apt(["liblzma-dev"])]),
    .systemLibrary(name: "CMergewalkXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
    .systemLibrary(name: "CMergewalkICU", pkgConfig: "icu-i18n", providers: [.apt(["libicu-dev"])]),

    // Loops in C that need instructions Swift cannot ask for.
    .target(name: "CMergewalkScan"),
    // Calls of glibc that Swift does not see.
    .target(name: "CMergewalkProcess"),
    // What the command does before its main function.
    .target(name: "CMergewalkCommand"),

    // The C library, by one name on every platform.
    module("MergewalkSystem"),

    // Foundations: no entity, no SQL.
    module("MergewalkDiagnostics", ["MergewalkSystem"]),
    module("MergewalkBytes"),
    module("MergewalkThreads", ["MergewalkSystem"]),
    module("MergewalkEventLogs", ["MergewalkThreads", "CMergewalkScan"]),
    module(
      "MergewalkXML",
      ["MergewalkSystem", "MergewalkBytes", "MergewalkDiagnostics", "MergewalkEventLogs", "CMergewalkLibXML2"]),
    module("MergewalkYAML", ["MergewalkSystem", "MergewalkDiagnostics", "CMergewalkLibYAML"]),
    module("MergewalkPropertyLists"),

    // Text of classes that code generation and macros share.
    module("MergewalkClassText"),

    // The object layer.
    module(
      "MergewalkObjectModel",
      [
        "MergewalkSystem", "MergewalkBytes", "MergewalkClassText", "MergewalkDiagnostics", "MergewalkXML",
        "MergewalkYAML", "MergewalkPropertyLists", "CMergewalkCrypto", "CMergewalkXXHash", "CMergewalkICU",
      ]),
    module("MergewalkSQLite", ["MergewalkSystem", "CMergewalkSQLite"]),
    module("MergewalkStorePages", ["MergewalkSystem", "MergewalkThreads"]),
    module(
      "MergewalkObjectStore",
      [
        "MergewalkSystem", "MergewalkBytes", "MergewalkObjectModel", "MergewalkSQLite", "MergewalkStorePages",
        "CMergewalkSQLite", "CMergewalkProcess", "MergewalkPropertyLists", "MergewalkDiagnostics", "MergewalkThreads",
        "MergewalkXML", "CMergewalkZlib",
      ]),
    module(
      "MergewalkObjectContext",
      [
        "MergewalkSystem", "MergewalkBytes", "MergewalkObjectModel", "MergewalkObjectStore", "MergewalkThreads",
        "MergewalkDiagnostics",
      ]),

    // Core Data's names for the object layer.
    module(
      "CoreData", ["MergewalkFoundation", "MergewalkObjectContext", "MergewalkObjectStore", "MergewalkObjectModel"]),

    // The import layer.
    module(
      "MergewalkRecordFormats",
      [
        "MergewalkSystem", "MergewalkBytes", "MergewalkDiagnostics", "MergewalkEventLogs", "MergewalkThreads",
        "MergewalkXML", "CMergewalkScan", "CMergewalkProcess", "CMergewalkLibYAML", "CMergewalkZlib", "CMergewalkZstd",
        "CMergewalkBZip2", "CMergewalkLZMA", "CMergewalkCrypto",
      ]),
    module(
      "MergewalkImporting",
      [
        "MergewalkSystem", "MergewalkBytes", "MergewalkObjectContext", "MergewalkObjectStore", "MergewalkObjectModel",
        "MergewalkPropertyLists", "MergewalkRecordFormats", "MergewalkDiagnostics", "MergewalkThreads", "MergewalkYAML",
        "CMergewalkScan",
      ]),
    module(
      "MergewalkPipelines",
      [
        "MergewalkSystem", "MergewalkBytes", "MergewalkImporting", "MergewalkObjectContext", "MergewalkObjectStore",
        "MergewalkObjectModel", "MergewalkRecordFormats", "MergewalkDiagnostics", "MergewalkThreads", "MergewalkYAML",
      ]),

    // What the compiler runs for `@Managed`.
    .macro(
      name: "MergewalkMacroPlugin",
      dependencies: [
        "MergewalkClassText",
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
      ],
      swiftSettings: strict),

    // What users import: one module a product.
    module(
      "MergewalkObjects",
      ["MergewalkDiagnostics", "MergewalkObjectModel", "MergewalkObjectStore", "MergewalkObjectContext"]),
    module(
      "MergewalkFoundation",
      ["MergewalkDiagnostics", "MergewalkObjectModel", "MergewalkObjectStore", "MergewalkObjectContext"]),
    module("MergewalkMacros", ["MergewalkObjects", "MergewalkMacroPlugin"]),
    module("MergewalkReaders", ["MergewalkDiagnostics", "MergewalkRecordFormats"]),
    module("MergewalkImport", ["MergewalkObjects", "MergewalkReaders", "MergewalkImporting", "MergewalkPipelines"]),

    .executableTarget(
      name: "mergewalk",
      dependencies: [
        "MergewalkSystem", "MergewalkPipelines", "MergewalkImporting", "MergewalkObjectStore", "MergewalkObjectModel",
        "MergewalkRecordFormats", "MergewalkDiagnostics", "MergewalkThreads", "MergewalkBytes",
        "CMergewalkCommand",
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
    module("MergewalkTestSupport", ["MergewalkSystem"]),
    tests("DiagnosticsTests", ["MergewalkSystem", "MergewalkDiagnostics"]),
    tests("BytesTests", ["MergewalkBytes", "MergewalkTestSupport"]),
    tests("ThreadsTests", ["MergewalkSystem", "MergewalkThreads", "MergewalkTestSupport"]),
    tests("YAMLTests", ["MergewalkYAML", "MergewalkDiagnostics", "MergewalkTestSupport"]),
    tests("PropertyListsTests", ["MergewalkPropertyLists", "MergewalkTestSupport"]),
    tests(
      "ObjectModelTests",
      [
        "MergewalkBytes", "MergewalkObjectModel", "MergewalkDiagnostics", "CMergewalkSQLite", "MergewalkThreads",
        "MergewalkTestSupport",
      ]),
    tests("SQLiteTests", ["MergewalkSQLite", "MergewalkTestSupport"]),
    tests("StorePagesTests", ["MergewalkStorePages", "MergewalkSQLite", "MergewalkTestSupport"]),
    tests(
      "ObjectStoreTests",
      [
        "MergewalkObjectStore", "MergewalkObjectModel", "MergewalkSQLite", "MergewalkPropertyLists",
        "MergewalkDiagnostics", "MergewalkStorePages", "MergewalkTestSupport",
      ]),
    tests(
      "ObjectContextTests",
      [
        "MergewalkSystem", "CMergewalkSQLite", "CoreData", "MergewalkObjectContext", "MergewalkObjectStore",
        "MergewalkObjectModel", "MergewalkPropertyLists", "MergewalkSQLite", "MergewalkTestSupport",
      ],
      exclude: ["Generated/Zoo.yaml"]),
    // Without the plugin among the dependencies, which would make SwiftPM build all tests and targets for the host as well.
    tests(
      "MacrosTests", ["MergewalkMacros", "MergewalkDiagnostics", "MergewalkObjects", "MergewalkTestSupport"],
      exclude: ["Library.xcdatamodel", "Mistakes"]),
    // The classes that code generation makes of the same model, with the same source that uses them.
    tests(
      "MacroTwinTests",
      ["MergewalkObjects", "MergewalkObjectContext", "MergewalkObjectModel", "MergewalkTestSupport"]),
    tests("MergewalkFoundationTests", ["MergewalkFoundation", "MergewalkObjects", "MergewalkTestSupport"]),
    tests(
      "RecordFormatsTests",
      [
        "MergewalkBytes", "MergewalkRecordFormats", "MergewalkDiagnostics", "MergewalkEventLogs",
        "MergewalkPropertyLists", "MergewalkYAML", "CMergewalkLibYAML", "CMergewalkScan", "CMergewalkZlib",
        "CMergewalkZstd", "CMergewalkBZip2", "CMergewalkLZMA", "MergewalkTestSupport",
      ]),
    tests(
      "ImportingTests",
      [
        "MergewalkSystem", "MergewalkBytes", "MergewalkImporting", "MergewalkDiagnostics", "MergewalkPropertyLists",
        "MergewalkObjectContext", "MergewalkObjectStore", "MergewalkObjectModel", "MergewalkRecordFormats",
        "MergewalkSQLite", "MergewalkThreads", "MergewalkTestSupport",
      ]),
    tests(
      "PipelinesTests",
      [
        "MergewalkSystem", "MergewalkPipelines", "MergewalkImporting", "MergewalkObjectStore", "MergewalkObjectModel",
        "MergewalkRecordFormats", "MergewalkDiagnostics", "MergewalkYAML", "MergewalkSQLite", "MergewalkTestSupport",
      ]),
    tests(
      "DocumentationTests",
      [
        "MergewalkPipelines", "MergewalkImporting", "MergewalkObjectContext", "MergewalkObjectStore",
        "MergewalkObjectModel", "MergewalkRecordFormats", "IssueServer", "MergewalkTestSupport",
      ]),
    // Compiled only where CoreData can be imported; elsewhere it is empty.
    tests(
      "ApplePlatform",
      [
        "MergewalkPipelines", "MergewalkImporting", "MergewalkObjectStore", "MergewalkObjectModel",
        "MergewalkTestSupport",
      ]),
    tests(
      "CLITests",
      [
        "MergewalkSystem", "mergewalk", "MergewalkImporting", "MergewalkTestSupport", "MergewalkSQLite",
        "MergewalkYAML",
      ],
      exclude: ["Mistakes/Mistakes.yaml"]),
    tests(
      "MeetingTests",
      [
        "mergewalk", "MergewalkPipelines", "MergewalkImporting", "MergewalkObjectContext", "MergewalkObjectStore",
        "MergewalkObjectModel", "MergewalkRecordFormats", "MergewalkSQLite", "MergewalkDiagnostics", "CMergewalkSQLite",
        "CMergewalkZlib", "CMergewalkZstd", "CMergewalkBZip2", "CMergewalkLZMA", "MergewalkTestSupport",
      ]),
  ]
)

// Pages of the products: the plugin is for scripts/docs-site.sh only.
if Context.environment["MERGEWALK_DOCS"] != nil {
  package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}

// A plugin has its tool built for the host: the command and all that it needs, a second time beside the tests' own. No test
// uses the plugin, so the Makefile leaves it out; scripts/test-plugin.sh has it.
if Context.environment["MERGEWALK_PLUGINS"] == "none" {
  package.targets.removeAll { $0.name == "MergewalkDefaultStore" }
  package.products.removeAll { $0.name == "MergewalkDefaultStore" }
}

// A build for a sanitizer has the tests that it is for and what they need, nothing else: see scripts/sanitize.sh.
let sanitized: [String: [String]] = [
  "address": ["BytesTests", "RecordFormatsTests"],
  "thread-readers": ["ThreadsTests", "StorePagesTests", "RecordFormatsTests"],
  "thread": ["ThreadsTests", "StorePagesTests", "RecordFormatsTests", "ImportingTests", "ObjectContextTests"],
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
// Of the readers' tests, those with threads and what they use: an eighth of them, so that the build is short.
if Context.environment["MERGEWALK_SANITIZE"] == "thread-readers" {
  package.targets.first(where: { $0.name == "RecordFormatsTests" })?.sources = [
    "Everything.swift", "Reading.swift", "CSVPlainTests.swift", "CSV/CSVAheadTests.swift", "Containers/Packing.swift",
    "Containers/CompressionTests.swift", "XML/XMLSplitTests.swift", "YAML/YAMLSplitTests.swift",
  ]
}

import Foundation
import MergewalkTestSupport
import Testing

/// What the compiler says about macros that are used in a wrong way.
///
/// The compiler itself is asked, with the plugin that was built for these tests: its errors have the places that users see.
@Suite("Mistakes in the use of macros")
struct MistakeTests {
  private static let folder = Locations.repository + "/Tests/MacrosTests/Mistakes/"

  @Test("Each mistake is an error where it is, and says what to do")
  func mistakes() throws {
    let text = try String(contentsOfFile: Self.folder + "Mistakes.swift.txt", encoding: .utf8)
    let errors = try Self.errors(in: text)
    var expected = 0
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      guard let match = line.firstMatch(of: #/^ *// (\d+): (.*)$/#), let column = Int(match.1) else { continue }
      expected += 1
      let found = errors.filter { $0.line == number + 2 }
      #expect(
        found.contains { $0.column == column && $0.message.contains(match.2) },
        "line \(number + 2) should say “\(match.2)” in column \(column); it says \(found)")
    }
    #expect(expected == 51)
  }

  @Test("An extension is no class; the compiler looks at nothing else then")
  func extensions() throws {
    let errors = try Self.errors(in: "@Managed extension Project {}")
    #expect(errors.contains { $0.column == 10 && $0.message.contains("is for classes") }, "\(errors)")
  }

  @Test("What is no property of the model is left alone, and the spelling of the property wrapper works")
  func leftAlone() throws {
    let errors = try Self.errors(
      in: """
        @Managed final class Issue: ManagedObject {
          var title: String { "a" }
          static var count: Int { 1 }
          static let limit = 2
          lazy var length = title.count
          @NotManaged var words: [String: Int] = [:]
          @NotManaged let number = 4
          func greet() {}
          @Managed("TITLE") var original: String
          static func key() -> AttributeKey<String> { original }
        }
        class Plain: ManagedObject { @Managed("TITLE") var title: String }
        """)
    #expect(errors.isEmpty, "\(errors)")
  }

  private struct Mistake {
    var line: Int
    var column: Int
    var message: String
  }

  /// The errors that the compiler finds in a file that uses the macros.
  private static func errors(in text: String) throws -> [Mistake] {
    let folder = TemporaryFolder()
    // The macros as they are declared, over a stand-in for the object layer, so that nothing else has to be found.
    let declarations = try String(
      contentsOfFile: Locations.repository + "/Sources/MergewalkMacros/MergewalkMacros.swift", encoding: .utf8
    ).replacing("@_exported public import MergewalkObjects", with: "")
    let standIn = try String(contentsOfFile: Self.folder + "StandIn.swift.txt", encoding: .utf8)
    let files = [
      try folder.write(Array(declarations.utf8), to: "Macros.swift"),
      try folder.write(Array(standIn.utf8), to: "StandIn.swift"),
      try folder.write(Array(text.utf8), to: "Mistakes.swift"),
    ]
    let plugin = Command.built("MergewalkMacroPlugin-tool")
    try #require(FileManager.default.fileExists(atPath: plugin))
    let compiler = Process()
    let output = Pipe()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments =
      [
        "swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-diagnostic-style", "llvm",
        "-load-plugin-executable", plugin + "#MergewalkMacroPlugin",
      ] + files
    compiler.standardError = output
    compiler.standardOutput = output
    // The folder stays until the compiler has read it.
    let said = try withExtendedLifetime(folder) {
      try compiler.run()
      let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      compiler.waitUntilExit()
      return said
    }
    return said.split(separator: "\n").compactMap { line in
      guard let match = line.firstMatch(of: #/Mistakes\.swift:(\d+):(\d+): error: (.*)$/#) else { return nil }
      return Mistake(line: Int(match.1) ?? 0, column: Int(match.2) ?? 0, message: String(match.3))
    }
  }
}

import Foundation
import MergewalkDiagnostics
import MergewalkImporting
import MergewalkTestSupport
import Testing

@testable import MergewalkPipelines

/// Tests that guess pipelines from the files in a folder.
protocol GuessTests {
  var folder: TemporaryFolder { get }
}

extension GuessTests {
  /// Guesses, writes the files, and returns the guess; sources lie in the folder.
  @discardableResult
  func guess(
    _ sources: String..., options: [(name: String, value: String)] = [], records: Int = 10_000
  ) throws -> PipelineGuess {
    var request = PipelineGuess.Request(sources: sources.map { folder.file($0) })
    request.folder = folder.file("out")
    request.options = options
    request.records = records
    let guess = try PipelineGuess.make(request)
    try FileManager.default.createDirectory(atPath: request.folder, withIntermediateDirectories: true)
    for file in guess.files { try file.text.write(toFile: file.path, atomically: true, encoding: .utf8) }
    return guess
  }

  /// Lints and runs every pipeline in order, and returns the records inserted; nothing may be rejected.
  func run(_ guess: PipelineGuess, _ comment: Comment? = nil) throws -> [Int] {
    try guess.summaries.map { summary in
      let errors = Pipeline.lint(summary.pipeline).filter { $0.severity == .error }
      #expect(errors.isEmpty, comment)
      let result = try ImportSession(try Pipeline.read(summary.pipeline).definition).run()
      #expect(result.rejected == 0, comment)
      return result.inserted
    }
  }
}

import Diagnostics

/// Finds the input files that a pipeline names.
struct SourceFiles {
  /// One input and the place of the text that named it.
  struct Input {
    var path: String
    var position: SourcePosition
  }

  let findings: Findings

  /// Returns the files in order; what matches nothing is a finding, and a file named twice is read twice.
  func expand(_ source: ComponentValue) -> [Input] {
    var inputs: [Input] = []
    for text in source.texts("files") ?? [] {
      if text.value == "-" {
        if inputs.contains(where: { $0.path == "-" }) {
          findings.add(.invalidOption, at: text.position, "standard input (“-”) can be read only once")
        }
        inputs.append(Input(path: "-", position: text.position))
        continue
      }
      let path = Paths.resolve(text.value, besideFile: findings.path)
      if Paths.isReadableFile(path) {
        inputs.append(Input(path: path, position: text.position))
      } else if Paths.isGlob(text.value) {
        let files = Paths.glob(path)
        if files.isEmpty {
          findings.add(.noMatchingFile, at: text.position, "no file matches “\(path)”")
        }
        inputs += files.map { Input(path: $0, position: text.position) }
      } else {
        findings.add(.unreadableFile, at: text.position, "there is no file “\(path)”, or it cannot be read")
      }
    }
    return inputs
  }
}

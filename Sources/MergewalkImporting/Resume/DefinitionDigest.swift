import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkObjectStore

/// A hash of every part of a definition that determines the results of its records: mapping, modes, formats, the model.
///
/// Positions in the file, inputs, batches, memory, limits and policies do not count: these may change before a run
/// resumes. Values are walked by reflection, so additions to a definition count without being listed here.
struct DefinitionDigest {
  private var hash: UInt64 = 0x6D65_7267_6577_616C

  static func of(_ definition: ImportDefinition) -> UInt64 {
    var digest = DefinitionDigest()
    for entity in definition.model.versionHashes {
      digest.add(entity.name)
      entity.hash.withUnsafeBytes { digest.add($0) }
    }
    for part in definition.parts {
      var part = part
      part.sources = []
      part.spool = []
      part.inputFindings = InputFindings()
      part.findPlan = .automatic
      if let folder = part.process?.folder {
        part.process?.folder = ResolvedPath.relative(folder, from: definition.path)
      }
      digest.add(part, depth: 0)
    }
    return digest.hash
  }

  private mutating func add(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    hash = CellHash.bytes(base, bytes.count, seed: hash)
  }

  private mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }

  /// Nothing in a definition is nested deeper than this; recursion must end.
  private static let greatestDepth = 64

  private mutating func add(_ value: Any, depth: Int) {
    if value is SourcePosition || value is OptionPlaces || depth > Self.greatestDepth { return }
    if let text = value as? SourceText { return add(text.text) }
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle != .class else { return add("\(type(of: value))") }
    if mirror.displayStyle == .dictionary || mirror.displayStyle == .set {
      // Their order changes from process to process.
      let parts = mirror.children.map { child in
        var digest = DefinitionDigest()
        digest.add(child.value, depth: depth + 1)
        return digest.hash
      }
      for part in parts.sorted() { add("\(part)") }
      return
    }
    guard !mirror.children.isEmpty else { return add("\(type(of: value)) \(value)") }
    add("\(type(of: value)) \(mirror.children.count)")
    for child in mirror.children {
      if let label = child.label { add(label) }
      add(child.value, depth: depth + 1)
    }
  }
}

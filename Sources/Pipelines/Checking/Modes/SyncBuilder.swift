import Diagnostics
import Importing
import ObjectModel

/// Turns the `sync` component into a ``SyncPolicy``, checked against mode and model.
struct SyncBuilder {
  let model: ManagedObjectModel?
  let findings: Findings

  /// Reads what stands beside the mode.
  func read(_ component: ComponentValue, into part: inout EntityImport) {
    guard let sync = component.component("sync") else { return }
    if !part.mode.removesOthers, !component.brokenFields.contains("mode") {
      findings.add(
        .invalidOption, at: component.keyPosition("sync"),
        "“sync” says which objects go, and in mode “\(part.mode.rawValue)” none do",
        hint: "say “mode: sync” or “mode: replace”, or leave it out")
    }
    part.sync.deletion = sync.choice("delete", as: SyncPolicy.Deletion.self) ?? .remove
    part.sync.limit = sync.count("limit")
    part.sync.ratio = sync.share("ratio")
    part.sync.unreadable = sync.choice("unreadable", as: SyncPolicy.Unreadable.self) ?? .keep
    part.sync.allowsEmpty = sync.flag("allow_empty") ?? false
    if let name = sync.text("soft_delete") {
      part.sync.softDelete = name.value
      part.sync.softDeletePosition = name.position
    }
    if let scope = sync.text("where") {
      part.sync.scopePosition = scope.position
      do throws(PredicateError) {
        part.sync.scope = try Predicate(format: scope.value)
      } catch {
        findings.add(
          .invalidScope, at: PredicatePlace(findings.path).position(of: error.position, in: scope),
          "the predicate cannot be read: \(error.message)", hint: error.hint)
      }
    }
  }

  /// Holds the policy against the model.
  func check(_ component: ComponentValue, _ part: EntityImport, _ entity: EntityDescription?) {
    guard part.mode.removesOthers, let entity, let model else { return }
    let sync = component.component("sync")
    for problem in SyncCheck(part: part, entity: entity, model: model).problems {
      var position = sync?.fields[problem.option]?.position ?? component.keyPosition("mode")
      var message = problem.message
      if problem.option == "where", let scope = sync?.text("where") {
        let error = PredicateError(.syntax, problem.message, position: problem.place)
        position = PredicatePlace(findings.path).position(
          of: error.located(anyNameIn: scope.value).position, in: scope)
        message = "the predicate cannot be carried out: \(problem.message)"
      }
      findings.add(LintCode(rawValue: problem.code) ?? .invalidOption, at: position, message, hint: problem.hint)
    }
  }
}

extension PredicateError {
  /// The error with the place of the first word in quotes of its message, when the error knows none.
  fileprivate func located(anyNameIn text: String) -> PredicateError {
    guard position.line == 0 else { return self }
    let parts = message.split(separator: "\"", omittingEmptySubsequences: false)
    guard parts.count > 2 else { return self }
    return located(name: String(parts[1]), in: text)
  }
}

/// Where a place in the text of a predicate is in the pipeline file.
struct PredicatePlace {
  private let path: String

  init(_ path: String) { self.path = path }

  /// The place in the file; the text's own place when its escapes or lines keep places from being counted.
  func position(of place: SourcePosition, in text: Located<String>) -> SourcePosition {
    guard place.line == 1, place.column > 1, text.position.line > 0,
      let bytes = try? SourceFile.read(path, limit: 16 << 20)
    else { return text.position }
    let before = Array(text.value.utf8.prefix(place.column - 1))
    var start = text.position.byteOffset
    if bytes.indices.contains(start), bytes[start] == UInt8(ascii: "\"") || bytes[start] == UInt8(ascii: "'") {
      start += 1
    }
    guard start + before.count <= bytes.count, bytes[start..<start + before.count].elementsEqual(before) else {
      return text.position
    }
    var position = text.position
    position.column += start - text.position.byteOffset + before.count
    position.byteOffset = start + before.count
    return position
  }
}

import MergewalkBytes
package import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkRecordFormats

extension ImportDefinition {
  /// Computes once what names the definition in all runs that differ in their inputs only.
  ///
  /// Nothing else of it may change afterwards.
  package mutating func computeDigest() { digest = DefinitionDigest.of(self) }

  /// A text that is the same for definitions that make the same store of the same records.
  ///
  /// Unlike the digest by which runs are known again, it counts what decides the bytes of a store: the sizes of batches and
  /// tables of keys, and the ways that are taken.
  package var outcomeDigest: String {
    let knobs = [
      "\(batchLimit.records) \(batchLimit.bytes) \(keyMemory) \(cacheMemory) \(policy.direct) \(keepsOrder)",
      parts.map { "\($0.findPlan) \($0.passes)" }.joined(separator: " "),
      "\(rejects.limit ?? -1) \(rejects.ratio ?? -1) \(rejects.minimum)",
      rejects.codes.map { "\($0.pattern) \($0.limit)" }.joined(separator: " "),
    ]
    let digest = DigestStream()
    digest.add(text: Hexadecimal.text(self.digest ?? DefinitionDigest.of(self), width: 16))
    for knob in knobs { digest.add(text: knob) }
    return Hexadecimal.text(digest.finish())
  }
}

extension RejectPolicy {
  /// Why a number of rejects is too great; nil when it is not.
  ///
  /// - Parameter codes: The rejects by the text of their code.
  package func breach(read: Int, rejected: Int, codes: [String: Int]) -> LimitBreach? {
    var counts: [RejectCode: Int] = [:]
    for (name, count) in codes { if let code = RejectCode(rawValue: name) { counts[code] = count } }
    return breach(read: read, rejected: rejected, counts: counts, isEnd: true)
  }
}

extension ImportDefinition {
  /// The columns that an import reads.
  ///
  /// - Throws: what is wrong with it.
  package func columnNames(of part: ImportPart) throws(DiagnosticList) -> [String] {
    try ImportPlan(self, part: part).columnNames
  }
}

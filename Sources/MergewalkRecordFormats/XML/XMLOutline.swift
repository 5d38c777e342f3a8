import MergewalkDiagnostics
import MergewalkXML

/// The elements around the place of the records, for the message that there are none.
struct XMLOutline {
  /// How many names of the records' path were matched by elements inside each other, at most.
  private var matched = 0
  /// The names of elements that stand where the next one was looked for.
  private var names: [(local: UnsafePointer<UInt8>?, prefix: UnsafePointer<UInt8>?)] = []

  /// So many names are shown.
  private static let most = 24

  /// Notes an element that is no record.
  ///
  /// - Parameters:
  ///   - before: how many names may be matched by what is around it: bit i for i names.
  ///   - after: the same with the element.
  mutating func note(_ tag: XMLTag, before: UInt64, after: UInt64) {
    if before == 0 { return }
    let reached = 63 - (after == 0 ? before : after).leadingZeroBitCount
    if reached > matched {
      matched = reached
      names.removeAll()
    }
    let isMiss = 63 - before.leadingZeroBitCount == matched && after >> UInt64(matched + 1) == 0
    guard isMiss, names.count < Self.most else { return }
    if !names.contains(where: { $0.local == tag.local && $0.prefix == tag.prefix }) {
      names.append((tag.local, tag.prefix))
    }
  }

  /// Why there are no records; nil when the element that holds them is there and empty.
  func missing(_ path: XMLRecordsPath, _ text: String) -> String? {
    if matched == path.steps.count - 1, names.isEmpty { return nil }
    let found = names.map { XMLTag.name($0.local, $0.prefix) }
    let wanted = path.names[matched]
    var message = "the document has no element at “\(text)”"
    if matched > 0 {
      message += ": “\(path.names[..<matched].joined(separator: "/"))” has no “\(wanted)”"
    }
    if matched == 0, let first = wanted.split(separator: ".").first.map(String.init), first != wanted,
      found.contains(first)
    {
      message += "; names on a way have slashes between them: “/\(wanted.split(separator: ".").joined(separator: "/"))”"
    } else if let near = NearestName.find(wanted, in: found) {
      message += "; did you mean “\(near)”?"
    } else if !found.isEmpty {
      message += "; there is " + found.map { "“\($0)”" }.joined(separator: ", ")
    }
    return message
  }
}

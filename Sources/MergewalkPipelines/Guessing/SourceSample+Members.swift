import MergewalkBytes
import MergewalkRecordFormats

/// The members of objects, and the elements of XML.
extension SourceSample {
  /// The columns with those of elements that stand several times and have attributes replaced by the whole elements, so
  /// that what belongs together stays together; nil when there are none.
  func wholeElements() -> [String]? {
    guard definition.format.hasElements else { return nil }
    let repeated = columns.indices.filter { profiles[$0].lists > 0 }.map { columns[$0] }
    let elements = columns.filter { element in
      columns.contains { $0.hasPrefix("\(element).@") }
        && repeated.contains { $0 == element || $0.hasPrefix("\(element).") }
    }
    if elements.isEmpty { return nil }
    return columns.filter { column in !elements.contains { column.hasPrefix("\($0).") } }
      .map { elements.contains($0) ? $0 + RecordFormat.wholeElement : $0 }
  }

  /// The paths of the members of a column's objects; those of elements are followed by the paths of their attributes,
  /// which an element that has text is without.
  func members(_ column: Int) -> [String] {
    var members = MemberList()
    var inner = OccurringPaths()
    for batch in batches {
      for record in 0..<batch.recordCount where batch.state(record, column) == .json {
        batch.withField(record, column) { text in
          members.add(text)
          if definition.format.hasElements { inner.add(json: Array(text)) }
        }
      }
    }
    let names = members.names()
    if !definition.format.hasElements { return names }
    return names.flatMap { name in
      // Those of XML Schema say something of the element, and are no columns of the record's own either.
      [name] + inner.paths.filter { $0.hasPrefix("\(name).@") && !$0.hasPrefix("\(name).@xsi:") }
    }
  }

  /// The number of records by the names of their elements.
  func elementCounts() -> [(name: String, count: Int)] {
    guard case .xml(let options) = definition.format, options.records == nil else { return [] }
    var elements: [(name: String, count: Int)] = []
    for batch in batches {
      for record in 0..<batch.recordCount {
        let name = batch.withRawRecord(record) { raw in
          let tag = raw.drop { $0 != UInt8(ascii: "<") }.dropFirst()
          return String(
            decoding: tag.prefix { !$0.isDocumentSpace && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ">") },
            as: UTF8.self)
        }
        if let place = elements.firstIndex(where: { $0.name == name }) {
          elements[place].count += 1
        } else if elements.count < Self.mostColumns {
          elements.append((name, 1))
        }
      }
    }
    return elements
  }
}

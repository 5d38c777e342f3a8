import MergewalkDiagnostics

/// Where the records of a piece of a file of raw records stood in the file that they are from.
package struct SpooledSource: Sendable, Hashable {
  package var places: String
  /// Where the piece's places stand in it.
  package var range: Range<Int>
  /// The member of an archive that the records are from.
  package var member: String?
  package var records: Int
  /// Whether the records are written in another way than in their file, so that fields stand where their record does.
  package var isRewritten: Bool
  /// The types of the whole source's values that the split has found, for a contract about them.
  package var kinds: String?
  /// The encoding that the records' text was decoded from, so that offsets are those of their file; nil for UTF-8.
  package var encoding: TextEncoding?

  package init(
    places: String, range: Range<Int>, member: String?, records: Int, isRewritten: Bool, kinds: String? = nil,
    encoding: TextEncoding? = nil
  ) {
    self.places = places
    self.range = range
    self.member = member
    self.records = records
    self.isRewritten = isRewritten
    self.kinds = kinds
    self.encoding = encoding
  }
}

/// Gives the records of batches the places that they had in their own file.
package struct SpoolRelocation {
  private let source: SpooledSource
  private let path: String
  private var reader: RecordPlaceReader
  private var next = 0
  /// The places of the records of one batch; kept for its memory.
  private var places: [RecordPlace] = []

  /// Starts with the first record of a piece.
  package init(_ source: SpooledSource, path: String) throws(ReadError) {
    self.source = source
    self.path = path
    reader = try RecordPlaceReader(path: source.places, range: source.range)
  }

  /// Moves the records of the next batch.
  ///
  /// - Throws: `fileChanged` when there are more than were written.
  package mutating func apply(_ batch: inout RecordBatch) throws(ReadError) {
    let first = next
    places.removeAll(keepingCapacity: true)
    let last = max(
      batch.recordCount > 0 ? batch.records[batch.recordCount - 1].index : -1, batch.errors.last?.recordIndex ?? -1)
    while next <= last {
      guard let place = try reader.next() else { throw damage() }
      places.append(place.place)
      next += 1
    }
    batch.relocate(places, from: first, source)
  }

  /// Checks that all records came.
  package func finish() throws(ReadError) { if next != source.records { throw damage() } }

  private func damage() -> ReadError {
    ReadError(
      .fileChanged, path: path,
      message: "the records that were split off this file are not as they were written: plan the family again")
  }
}

extension RecordBatch {
  /// Gives records and errors other places; `places` begins with that of the record with the number `first`.
  fileprivate mutating func relocate(_ places: [RecordPlace], from first: Int, _ source: SpooledSource) {
    member = source.member
    encoding = source.encoding
    if source.isRewritten { hasFixedPlaces = true }
    for record in 0..<recordCount {
      let place = places[records[record].index - first]
      records[record].index = place.index
      records[record].line = place.line
      records[record].column = place.column
      records[record].byteOffset = place.byteOffset
    }
    for index in errors.indices {
      let place = places[errors[index].recordIndex - first]
      errors[index].recordIndex = place.index
      errors[index].position = SourcePosition(line: place.line, column: place.column, byteOffset: place.byteOffset)
    }
  }
}

/// A batch's memory, open for writing the records that a JSON parser finds.
struct ObjectRows {
  let base: UnsafePointer<UInt8>
  /// The end of the memory that the text is in.
  let readable: Int
  let records: UnsafeMutableBufferPointer<RecordPosition>
  /// How many records there is room for.
  let capacity: Int
  var count: Int
  var errors: [RecordError]
  /// The state for making rows of the elements of records; nil where each record is one row.
  var each: Each?

  /// Makes rows of the elements of records.
  struct Each {
    /// Parses elements into the batch's rows, while the parser of records writes to a template.
    var object: JSONObjectParser
    /// The columns of the record itself.
    let ownColumns: [Int]
    /// The columns of an element that repeat another one.
    let repeats: [(copy: Int, original: Int)]
    let columnCount: Int
  }
}

extension RecordBatch {
  /// Opens the batch's memory for a parser of JSON objects; nil if the batch has no text.
  ///
  /// - Parameter scratch: room to unescape names, kept from call to call.
  mutating func withObjectParser<Result>(
    _ request: inout JSONRequest, scratch: inout ContiguousArray<UInt8>,
    _ body: (inout JSONObjectParser, inout ObjectRows) -> Result
  ) -> Result? {
    guard var each = request.each else {
      return withRows(request.paths, request, scratch: &scratch, body)
    }
    defer { request.each = each }
    return withRows(each.paths, request, scratch: &scratch) { object, rows in
      rows.each = ObjectRows.Each(
        object: object, ownColumns: each.ownColumns, repeats: each.paths.repeats, columnCount: request.columnCount)
      // The list of escapes has one owner, so that appending does not copy it.
      object.escapes = []
      defer {
        if let escapes = rows.each?.object.escapes { object.escapes = escapes }
        rows.each = nil
      }
      return each.withTemplate(request, rows.base) { template in body(&template, &rows) }
    }
  }

  /// Opens the batch's memory for a parser of what `paths` lead to.
  private mutating func withRows<Result>(
    _ paths: JSONPaths, _ request: JSONRequest, scratch: inout ContiguousArray<UInt8>,
    _ body: (inout JSONObjectParser, inout ObjectRows) -> Result
  ) -> Result? {
    // Taken out of the batch so that they can be appended to while its other arrays are open.
    var escapes = ContiguousArray<EscapedField>()
    var taken: [RecordError] = []
    swap(&escapes, &self.escapes)
    swap(&taken, &errors)
    var nodes = paths.nodes
    let names = paths.names
    let capacity = columnCount == 0 ? records.count : min(records.count, starts.count / columnCount)
    var count = recordCount
    let result = bytes.withUnsafeBufferPointer { bytes in
      starts.withUnsafeMutableBufferPointer { starts in
        lengths.withUnsafeMutableBufferPointer { lengths in
          states.withUnsafeMutableBufferPointer { states in
            records.withUnsafeMutableBufferPointer { records in
              nodes.withUnsafeMutableBufferPointer { nodes in
                names.withUnsafeBufferPointer { names -> Result? in
                  guard let base = bytes.baseAddress else { return nil }
                  var object = JSONObjectParser(
                    base, nodes: nodes, names: names, starts: starts, lengths: lengths, states: states)
                  object.keepsLast = request.keepsLast
                  var rows = ObjectRows(
                    base: base, readable: bytes.count, records: records, capacity: capacity, count: count, errors: [])
                  swap(&rows.errors, &taken)
                  swap(&object.escapes, &escapes)
                  swap(&object.scratch, &scratch)
                  defer {
                    count = rows.count
                    swap(&rows.errors, &taken)
                    swap(&object.escapes, &escapes)
                    swap(&object.scratch, &scratch)
                  }
                  return body(&object, &rows)
                }
              }
            }
          }
        }
      }
    }
    recordCount = count
    swap(&escapes, &self.escapes)
    swap(&taken, &errors)
    return result
  }
}

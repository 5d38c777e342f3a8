/// A batch's memory, open for writing the records that a JSON parser finds.
struct ObjectRows {
  /// The text.
  let base: UnsafePointer<UInt8>
  let records: UnsafeMutableBufferPointer<RecordPosition>
  /// How many records there is room for.
  let capacity: Int
  var count: Int
  var errors: [RecordError]
}

extension RecordBatch {
  /// Opens the batch's memory for a parser of JSON objects; nil if the batch has no text.
  ///
  /// - Parameter scratch: room to unescape names, kept from call to call.
  mutating func withObjectParser<Result>(
    _ paths: JSONPaths, scratch: inout ContiguousArray<UInt8>,
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
                    scanner: JSONScanner(base, from: 0, end: 0), nodes: nodes, names: names, starts: starts,
                    lengths: lengths, states: states)
                  var rows = ObjectRows(base: base, records: records, capacity: capacity, count: count, errors: [])
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

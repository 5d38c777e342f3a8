/// Makes records of the elements of an array in each JSON record, see ``EachPath``.
///
/// The whole record is parsed first: its own fields, and where the array is, go into a template. Then each element is
/// parsed into a row of the batch, to which the template's fields are copied. If the batch is full before the end, the
/// next one continues there. All elements are checked before the first batch is handed out, so that a fault in any of
/// them refuses the whole record.
struct JSONEach {
  /// The columns of an element.
  let paths: JSONPaths
  /// The columns of the record itself.
  let ownColumns: [Int]

  /// The fields of the record at the cursor; the last is the array.
  private var starts: ContiguousArray<UInt32>
  private var lengths: ContiguousArray<UInt32>
  private var states: ContiguousArray<UInt8>
  private var escapes: ContiguousArray<EscapedField> = []

  init(_ paths: JSONPaths, ownColumns: [Int], columnCount: Int) {
    self.paths = paths
    self.ownColumns = ownColumns
    starts = ContiguousArray(repeating: 0, count: columnCount + 1)
    lengths = starts
    states = ContiguousArray(repeating: 0, count: columnCount + 1)
  }

  /// Calls `body` with a parser that writes to the template.
  mutating func withTemplate<Result>(
    _ request: JSONRequest, _ base: UnsafePointer<UInt8>, _ body: (inout JSONObjectParser) -> Result
  ) -> Result {
    var nodes = request.paths.nodes
    var escapes = ContiguousArray<EscapedField>()
    swap(&escapes, &self.escapes)
    defer { swap(&escapes, &self.escapes) }
    return starts.withUnsafeMutableBufferPointer { starts in
      lengths.withUnsafeMutableBufferPointer { lengths in
        states.withUnsafeMutableBufferPointer { states in
          nodes.withUnsafeMutableBufferPointer { nodes in
            request.paths.names.withUnsafeBufferPointer { names in
              var object = JSONObjectParser(
                base, nodes: nodes, names: names, starts: starts, lengths: lengths, states: states)
              object.keepsLast = request.keepsLast
              swap(&object.escapes, &escapes)
              defer { swap(&object.escapes, &escapes) }
              return body(&object)
            }
          }
        }
      }
    }
  }
}

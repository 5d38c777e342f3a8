/// What stands where rejects go before the first night.
enum RejectsBefore: Sendable {
  case none
  /// Rejects of another pipeline, which nobody has replayed.
  case waiting
  /// A file of rejects that somebody has edited.
  case edited

  /// The lines of the file.
  var lines: [String] {
    switch self {
    case .none: []
    case .waiting:
      (1...3).map { number in
        #"{"run":"other@2024-05-01T02:00:00.123Z","file":"other.csv","record":\#(number),"code":"key.null","#
          + #""raw":"other \#(number)"}"#
      }
    case .edited: ["{\"run\": 1}", "", "notes of somebody"]
    }
  }
}

/// One instruction of a compiled transform: fills its register, which has its number, from others.
struct Instruction: Sendable {
  var operation: any ColumnOperation
  var kind: ValueKind
  var name: String
  /// The read column that its values come from, for places in messages; -1 for none.
  var origin: Int
  /// Whether anything is made of its values.
  var isNeeded = true
  /// The registers at which nothing looks behind it.
  var released: [Int] = []

  init(_ operation: any ColumnOperation, kind: ValueKind, name: String, origin: Int) {
    self.operation = operation
    self.kind = kind
    self.name = name
    self.origin = origin
  }
}

/// A column that an expression names.
struct RowColumn: Sendable {
  /// The first part of its name, and the further ones for a dotted path.
  var path: [String]
  var register: Int
  var kind: ValueKind
}

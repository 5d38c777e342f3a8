/// What a record says in one place, whatever the format.
indirect enum Cell: Hashable, Sendable {
  /// The record has no such place.
  case absent
  /// There is nothing.
  case null
  /// A text; empty ones too.
  case text(String)
  /// A number as it is spelt, in formats that have numbers.
  case number(String)
  /// A truth value as it is spelt, in formats that have truth values.
  case boolean(String)
  /// Several values.
  case list([Cell])
  /// Values with names.
  case object([Member])

  /// A value with a name.
  struct Member: Hashable, Sendable {
    var name: String
    var value: Cell
  }

  /// The text of a scalar; nil for everything else.
  var spelling: String? {
    switch self {
    case .text(let text), .number(let text), .boolean(let text): text
    case .absent, .null, .list, .object: nil
    }
  }

  /// Whether it holds other values.
  var isStructure: Bool {
    switch self {
    case .list, .object: true
    default: false
    }
  }

  /// Puts a value at a path of members; objects on the way are made.
  mutating func set(_ path: ArraySlice<String>, _ value: Cell) {
    guard let name = path.first else {
      self = value
      return
    }
    if case .absent = value { return }
    var members: [Member] = []
    if case .object(let own) = self { members = own }
    let place = members.firstIndex { $0.name == name } ?? members.count
    if place == members.count { members.append(Member(name: name, value: .object([]))) }
    members[place].value.set(path.dropFirst(), value)
    self = .object(members)
  }

  /// The value at a path; absent where it leads nowhere, null where it leads through null.
  func get(_ path: ArraySlice<String>) -> Cell {
    guard let name = path.first else { return self }
    if case .null = self { return .null }
    guard case .object(let members) = self, let member = members.last(where: { $0.name == name }) else {
      return .absent
    }
    return member.value.get(path.dropFirst())
  }
}

/// What is written for one record: its values, or something that is no record.
enum Item: Sendable {
  /// Values by path.
  case record(Cell)
  /// Something that the reader has to refuse, with values to make it of.
  case broken(Cell)
}

/// A record as a reader should give it.
struct ReadRecord: Sendable {
  /// Its number in its file, from 1.
  var number: Int
  /// Its values by the names of columns.
  var cells: [String: Cell]
  /// The number of the item that it is from, from 0.
  var item = 0
  /// In a replay, the number of the file that it was rejected from, from 0.
  var origin: Int?
  /// The code of the reason why the reader refuses it; nil for a good record.
  var fault: String?
  /// The names of the columns of its file, or of the record's own members.
  var names: [String] = []
  /// Values that transforms have made, by the places of the fields in the pipeline.
  var made: [Int: ReferenceConversion.Result] = [:]
  /// The values as they were read, when a program or a hook has changed some.
  var original: [String: Cell]?
  /// Columns that a program or a hook may have changed.
  var shared: Set<String> = []
}

import MergewalkSQLite
import MergewalkStorePages
import MergewalkTestSupport

/// A random table with its indexes and rows, which SQLite and the page writer both write.
struct RandomTable {
  enum Value: Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])
  }

  struct Index {
    var name: String
    var columns: [Int]
    var isUnique: Bool
  }

  var name: String
  /// The declared types of the columns behind the row ID's, which comes first.
  var types: [String] = []
  var indexes: [Index] = []
  var rows: [(id: Int64, values: [Value])] = []

  static let declaredTypes = ["INTEGER", "VARCHAR", "FLOAT", "DECIMAL", "TIMESTAMP", "BLOB", "DOUBLE", "CLOB", ""]

  /// Makes a table up.
  ///
  /// - Parameter budget: About how many bytes its rows may have.
  init(_ name: String, pageSize: Int, budget: Int, using random: inout SeededGenerator) {
    self.name = name
    let wide = Int.random(in: 0..<12, using: &random) == 0
    let count = wide ? Int.random(in: 100...160, using: &random) : Int.random(in: 0...7, using: &random)
    types = (0..<count).map { _ in Self.declaredTypes.randomElement(using: &random)! }
    for number in 0..<Int.random(in: 0...4, using: &random) {
      var columns = Array(Array(0...count).shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random)))
      // The row ID is a column like any other.
      if columns.isEmpty { columns = [0] }
      indexes.append(Index(name: "\(name)_i\(number)", columns: columns, isUnique: false))
    }
    if Bool.random(using: &random) { indexes.append(Index(name: "\(name)_u", columns: [0], isUnique: true)) }
    let sizes = [0, 1, 5, 20, pageSize / 5, pageSize / 4, pageSize - 60, pageSize, 3 * pageSize + 17]
    let typical = sizes.randomElement(using: &random)!
    let isMixed = Bool.random(using: &random)
    let distinct = [2, 30, 1 << 40].randomElement(using: &random)!
    let wanted = [0, 1, 2, 3, 20, 150, 700, 3000].randomElement(using: &random)!
    var (id, used) = (Int64.random(in: -3...2, using: &random), 0)
    let affinities = types.map { ColumnAffinity(declaredType: $0) }
    for _ in 0..<wanted where used < budget {
      id += Int.random(in: 0..<40, using: &random) == 0 ? Int64.random(in: 1...1 << 36, using: &random) : 1
      var row: [Value] = []
      for affinity in affinities {
        let size = isMixed ? Int.random(in: 0...max(typical, 1), using: &random) : typical
        let value = Self.value(affinity, size: count > 20 ? min(size, 30) : size, distinct: distinct, using: &random)
        if case .text(let bytes) = value { used += bytes.count }
        if case .blob(let bytes) = value { used += bytes.count }
        row.append(value)
        used += 4
      }
      rows.append((id, row))
    }
  }

  private static func value(
    _ affinity: ColumnAffinity, size: Int, distinct: Int, using random: inout SeededGenerator
  ) -> Value {
    while true {
      let value: Value
      switch Int.random(in: 0..<9, using: &random) {
      case 0: value = .null
      case 1, 2: value = .integer(Int64(Int.random(in: -2..<distinct, using: &random)))
      case 3:
        let bits = Int64(bitPattern: random.next()) >> Int64.random(in: 0..<64, using: &random)
        value = .integer(
          Int.random(in: 0..<20, using: &random) == 0 ? [.min, .max, -1].randomElement(using: &random)! : bits)
      case 4: value = .real(real(using: &random))
      case 5, 6, 7:
        let letters = Bool.random(using: &random) ? Array("ab".utf8) : Array(UInt8(0x41)...0x7A)
        let head: [UInt8] = Bool.random(using: &random) ? Array("common-prefix-".utf8) : [0x5A]
        var text = head
        for _ in 0..<size { text.append(letters[random.below(letters.count)]) }
        value = .text(size == 0 ? [] : Array(text.prefix(max(size, 1))))
      default:
        var bytes: [UInt8] = []
        for _ in 0..<size { bytes.append(UInt8(truncatingIfNeeded: random.next())) }
        value = .blob(bytes)
      }
      if value.stored(affinity) != nil { return value }
    }
  }

  private static func real(using random: inout SeededGenerator) -> Double {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: Double(bitPattern: random.next())
    case 1:
      [0, -0.0, 1, 0x1p63, -0x1p63, 0x1p62, 9e15, 140_737_488_355_328, -140_737_488_355_329, .infinity]
        .randomElement(using: &random)!
    case 2: Double(Int64(bitPattern: random.next()) >> Int64.random(in: 0..<63, using: &random))
    default: Double.random(in: -1000...1000, using: &random)
    }
  }

  /// The statements that make the table and its indexes.
  var schema: [String] {
    let columns = ["id INTEGER PRIMARY KEY"] + types.enumerated().map { "c\($0 + 1) \($1)" }
    return ["CREATE TABLE \(name) (\(columns.joined(separator: ", ")))"]
      + indexes.map { index in
        let list = index.columns.map { $0 == 0 ? "id" : "c\($0)" }.joined(separator: ", ")
        return "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(index.name) ON \(name) (\(list))"
      }
  }

  /// Writes the rows with SQLite.
  func insert(_ connection: Connection) throws {
    let places = Array(repeating: "?", count: types.count + 1).joined(separator: ", ")
    let statement = try connection.prepare("INSERT INTO \(name) VALUES (\(places))")
    for row in rows {
      statement.bind(1, row.id)
      for (i, value) in row.values.enumerated() {
        let place = Int32(i + 2)
        switch value {
        case .null: statement.bindNull(place)
        case .integer(let value): statement.bind(place, value)
        case .real(let value): statement.bind(place, value)
        case .text(let bytes): statement.bind(place, text: String(decoding: bytes, as: UTF8.self))
        case .blob(let bytes): statement.bind(place, copying: bytes)
        }
      }
      try statement.run()
    }
  }

  /// The load of the table in a file whose schema `connection` has made.
  func load(_ writer: StorePageWriter, roots: [String: UInt32]) throws -> TableLoad {
    try writer.table(
      root: roots[name]!, columnCount: types.count + 1, rowIDColumn: 0,
      indexes: indexes.map { IndexShape(root: roots[$0.name]!, columns: $0.columns, isUnique: $0.isUnique) })
  }

  /// Adds rows to a load.
  func append(_ rows: ArraySlice<(id: Int64, values: [Value])>, to load: TableLoad) throws {
    let values = UnsafeMutableBufferPointer<StoredValue>.allocate(capacity: types.count + 1)
    defer { values.deallocate() }
    values.initialize(repeating: .null)
    let affinities = types.map { ColumnAffinity(declaredType: $0) }
    for row in rows {
      // All bytes of the row in one place while it is encoded.
      var bytes: [UInt8] = []
      for value in row.values { bytes += value.bytes }
      try bytes.withUnsafeBufferPointer { buffer in
        var start = 0
        for (i, value) in row.values.enumerated() {
          values[i + 1] = value.stored(affinities[i], at: buffer.baseAddress.map { $0 + start })!
          start += value.bytes.count
        }
        try load.append(rowID: row.id, values)
      }
    }
  }
}

extension RandomTable.Value {
  var bytes: [UInt8] {
    switch self {
    case .text(let bytes), .blob(let bytes): bytes
    default: []
    }
  }

  /// What the writer makes of the value.
  func stored(_ affinity: ColumnAffinity, at place: UnsafePointer<UInt8>? = nil) -> StoredValue? {
    switch self {
    case .null: return .null
    case .integer(let value): return .integer(value, affinity)
    case .real(let value): return .real(value, affinity)
    case .blob(let bytes): return .blob(place, count: bytes.count)
    case .text(let bytes):
      if let place { return .text(place, count: bytes.count, affinity) }
      return bytes.withUnsafeBufferPointer { .text($0.baseAddress, count: bytes.count, affinity) }
    }
  }
}

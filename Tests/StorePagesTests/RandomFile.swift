import Foundation
import MergewalkSQLite
import MergewalkStorePages
import MergewalkTestSupport

/// A file of random tables, made by the page writer and by SQLite.
struct RandomFile {
  let pageSize: Int
  let autoVacuum: Int
  let tables: [RandomTable]
  private let chunkBytes: Int
  private let keepsConnection: Bool
  /// Which tables' rows come in which order: the number of a table and how many of its rows.
  private let turns: [(table: Int, count: Int)]

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    pageSize = 512 << Int.random(in: 0...7, using: &random)
    autoVacuum = [0, 1, 2, 2].randomElement(using: &random)!
    chunkBytes = [100, 3000, 200_000].randomElement(using: &random)!
    keepsConnection = Bool.random(using: &random)
    var tables: [RandomTable] = []
    for number in 0..<Int.random(in: 1...3, using: &random) {
      tables.append(RandomTable("t\(number)", pageSize: pageSize, budget: 400_000, using: &random))
    }
    var left = tables.map(\.rows.count)
    var turns: [(table: Int, count: Int)] = []
    while left.contains(where: { $0 > 0 }) {
      let table = Int.random(in: 0..<tables.count, using: &random)
      let count = min(left[table], Int.random(in: 1...500, using: &random))
      left[table] -= count
      if count > 0 { turns.append((table, count)) }
    }
    self.tables = tables
    self.turns = turns
  }

  private func makeSchema(_ path: String) throws -> Connection {
    let connection = try Connection(path: path, mode: .create)
    try connection.execute("PRAGMA page_size=\(pageSize); PRAGMA auto_vacuum=\(autoVacuum); PRAGMA synchronous=OFF")
    try connection.execute("BEGIN; \(tables.flatMap(\.schema).joined(separator: "; ")); COMMIT")
    return connection
  }

  /// Makes the file with SQLite alone.
  func writeWithSQLite(_ path: String) throws {
    let connection = try makeSchema(path)
    try connection.execute("BEGIN")
    for table in tables { try table.insert(connection) }
    try connection.execute("COMMIT")
    try connection.close()
  }

  /// Makes the file with the page writer.
  func writePages(_ path: String) throws {
    let connection = try makeSchema(path)
    var roots: [String: UInt32] = [:]
    let statement = try connection.prepare("SELECT name, rootpage FROM sqlite_schema")
    while try statement.step() { roots[statement.text(0)] = UInt32(statement.integer(1)) }
    // A connection outside of a transaction notices that the file has changed.
    if !keepsConnection { try connection.close() }
    let descriptor = open(path, O_RDWR)
    defer { close(descriptor) }
    let writer = try StorePageWriter(
      descriptor: descriptor, temporaryFolder: (path as NSString).deletingLastPathComponent, chunkBytes: chunkBytes)
    let loads = try tables.map { try $0.load(writer, roots: roots) }
    var done = tables.map { _ in 0 }
    for (table, count) in turns {
      try tables[table].append(tables[table].rows[done[table]..<done[table] + count], to: loads[table])
      done[table] += count
    }
    let empty = try writer.finish()
    precondition(empty.isEmpty, "no key is there twice")
    if keepsConnection {
      for table in tables {
        let count = try connection.integer("SELECT count(*) FROM \(table.name) NOT INDEXED")
        guard count == Int64(table.rows.count) else { throw Mismatch(text: "\(table.name): \(count ?? -1) rows") }
      }
      try connection.close()
    }
  }
}

/// What differs.
struct Mismatch: Error, CustomStringConvertible {
  var text: String
  var description: String { text }
}

import MergewalkObjectModel
import MergewalkSQLite

/// Where the values that history keeps of an entity's deleted records are before and after a migration.
///
/// History knows these values by their places alone, and a place is that of an attribute among all that its entity
/// keeps. An attribute more or less so gives the others new places.
struct TombstoneMove: Sendable {
  /// The entity's number afterwards.
  let number: Int
  /// For each value afterwards, its place before; `nil` when it was not kept.
  let places: [Int?]
  /// How many values were kept before.
  let count: Int

  /// Compares an entity in both versions.
  ///
  /// - Returns: `nil` when every value stays where it is.
  init?(_ mapping: InferredMapping, from old: EntityDescription, to new: EntityDescription, number: Int) {
    let before = EntityHistory(old, in: mapping.source).tombstones
    places = EntityHistory(new, in: mapping.destination).tombstones.map { attribute in
      // The place of an attribute that may be stored in files stays empty.
      guard !attribute.allowsExternalBinaryDataStorage, let source = mapping.sourceAttribute(of: attribute, in: new)
      else { return nil }
      return before.firstIndex { $0.name == source.name }
    }
    count = before.count
    self.number = number
    if places == before.indices.map(Optional.some) { return nil }
  }

  /// Gives the values their new places, once changes have the new numbers of their entities.
  ///
  /// - Parameter width: How many values any entity keeps afterwards: history gets the columns that it lacks.
  static func apply(_ moves: [TombstoneMove], width: Int, _ connection: Connection) throws(StoreError) {
    var present = try HistoryLayout(connection).changes
    for column in (0..<width).map(HistoryTables.tombstoneColumn) where present.insert(column).inserted {
      try connection.execute("ALTER TABLE ACHANGE ADD COLUMN \(column) BLOB")
    }
    for move in moves {
      let columns = (0..<max(move.places.count, move.count)).compactMap { place -> String? in
        let column = HistoryTables.tombstoneColumn(place)
        guard present.contains(column) else { return nil }
        let source = move.places.indices.contains(place) ? move.places[place] : nil
        let value = source.map(HistoryTables.tombstoneColumn).flatMap { present.contains($0) ? $0 : nil }
        return "\(column) = \(value ?? "NULL")"
      }
      guard !columns.isEmpty else { continue }
      try connection.execute("UPDATE ACHANGE SET \(columns.joined(separator: ", ")) WHERE ZENTITY = \(move.number)")
    }
  }
}

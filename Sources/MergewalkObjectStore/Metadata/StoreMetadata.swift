public import MergewalkPropertyLists
package import MergewalkSQLite

/// A store's metadata in `Z_METADATA`.
///
/// Unknown keys are kept unchanged.
public struct StoreMetadata: Sendable, Hashable {
  /// The known keys of the metadata.
  public enum Key {
    /// `SQLite`.
    public static let storeType = "NSStoreType"
    /// The version of the framework that wrote the store last.
    public static let frameworkVersion = "NSPersistenceFrameworkVersion"
    /// The version of the hash rules: 3.
    public static let hashesVersion = "NSStoreModelVersionHashesVersion"
    /// The version hash of each entity.
    public static let hashes = "NSStoreModelVersionHashes"
    /// The digest over names and hashes, base64.
    public static let digest = "NSStoreModelVersionHashesDigest"
    /// The checksum over hashes, base64.
    public static let checksum = "NSStoreModelVersionChecksumKey"
    /// The identifiers of the model version.
    public static let identifiers = "NSStoreModelVersionIdentifiers"
    /// The file's auto-vacuum level: `2` for incremental.
    public static let autoVacuumLevel = "_NSAutoVacuumLevel"
  }

  /// The framework version of new stores.
  ///
  /// 977 (iOS 13) is the oldest that writes the digest, so every later system treats the store as an old one of its
  /// own.
  public static let frameworkVersion: Int64 = 977

  /// Takes over the hashes of another model with what sums them up, as far as the framework version of the store has it.
  ///
  /// The digest came with version 969, the checksum with 1321.
  mutating func take(hashes: ModelHashes, versionIdentifier: String) {
    let fresh = StoreMetadata(hashes: hashes, versionIdentifier: versionIdentifier)
    for key in [Key.hashes, Key.hashesVersion, Key.identifiers] { self[key] = fresh[key] }
    let version = frameworkVersion ?? Self.frameworkVersion
    self[Key.digest] = version >= 969 || digest != nil ? .string(hashes.digest) : nil
    self[Key.checksum] = version >= 1321 || checksum != nil ? .string(hashes.checksum) : nil
  }

  /// `Z_UUID`: the identity of the store, 36 characters in upper case.
  public var uuid: String
  /// The entries of the property list, in its order.
  public var entries: [PropertyList.Entry]

  /// Creates metadata from a UUID and entries.
  public init(uuid: String, entries: [PropertyList.Entry]) {
    self.uuid = uuid
    self.entries = entries
  }

  /// Makes the metadata of a new store, with a fresh UUID.
  ///
  /// - Parameters:
  ///   - versionIdentifier: The model's identifier; empty when it has none.
  ///   - type: What keeps the records.
  package init(hashes: ModelHashes, versionIdentifier: String, type: PersistentStoreType = .sqlite) {
    self.init(
      uuid: StoreUUID.make(),
      entries: [
        PropertyList.Entry(Key.frameworkVersion, .integer(Self.frameworkVersion)),
        PropertyList.Entry(
          Key.hashes, .dictionary(hashes.entities.map { PropertyList.Entry($0.name, .data($0.hash)) })),
        PropertyList.Entry(Key.digest, .string(hashes.digest)),
        PropertyList.Entry(Key.hashesVersion, .integer(3)),
        PropertyList.Entry(Key.identifiers, .array([.string(versionIdentifier)])),
        PropertyList.Entry(Key.storeType, .string(type.name)),
      ])
    if type == .sqlite { entries.append(PropertyList.Entry(Key.autoVacuumLevel, .string("2"))) }
  }

  /// The value of a key; setting `nil` removes it.
  public subscript(key: String) -> PropertyList? {
    get { entries[key: key] }
    set { entries[key: key] = newValue }
  }

  /// The version hashes, sorted by entity name (code points); empty when there are none.
  package var hashes: ModelHashes {
    let entries = self[Key.hashes]?.entries ?? []
    return ModelHashes(
      entries.compactMap { entry in entry.value.data.map { ModelHashes.Entity(name: entry.key, hash: $0) } })
  }

  /// The digest in the store, base64, or `nil` (before iOS 13).
  public var digest: String? { self[Key.digest]?.string }
  /// The checksum in the store, base64, or `nil` (before iOS 17).
  public var checksum: String? { self[Key.checksum]?.string }
  /// The framework version, or `nil`.
  public var frameworkVersion: Int64? { self[Key.frameworkVersion]?.integer }
  /// The identifiers of the model version.
  public var versionIdentifiers: [String] { self[Key.identifiers]?.elements?.compactMap(\.string) ?? [] }

  // MARK: - Reading and writing

  /// Reads the metadata of a file without opening it as a store.
  ///
  /// - Throws: ``StoreError`` with `notFound`, `notADatabase`, `notACoreDataStore`, `damagedMetadata` or `sqlite`.
  public static func read(path: String) throws(StoreError) -> StoreMetadata {
    try ReadableStore.withConnection(path) { connection throws(StoreError) in try read(connection) }
  }

  /// Reads the metadata of an open file.
  ///
  /// - Throws: ``StoreError`` with `notACoreDataStore`, `damagedMetadata` or `sqlite`.
  package static func read(_ connection: Connection) throws(StoreError) -> StoreMetadata {
    let path = connection.name
    let tables = try connection.integer(
      "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('Z_METADATA', 'Z_PRIMARYKEY')")
    guard tables == 2 else {
      throw StoreError(.notACoreDataStore, path: path, message: "the database has no Core Data metadata")
    }
    let select = try connection.prepare("SELECT Z_UUID, Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
    guard try select.step() else {
      throw StoreError(.damagedMetadata, path: path, message: "Z_METADATA has no row")
    }
    let row = (uuid: select.text(0), plist: Array(select.bytes(1)))
    do {
      guard let entries = try BinaryPropertyListReader.read(row.plist).entries else {
        throw StoreError(.damagedMetadata, path: path, message: "the property list of Z_METADATA is not a dictionary")
      }
      return StoreMetadata(uuid: row.uuid, entries: entries)
    } catch let error as PropertyListError {
      throw StoreError(.damagedMetadata, path: path, message: "Z_METADATA is \(error)")
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(.damagedMetadata, path: path, message: "\(error)")
    }
  }

  /// Writes the metadata row, replacing the one that is there; a row that says the same keeps its bytes.
  package func write(_ connection: Connection) throws(StoreError) {
    let select = try connection.prepare("SELECT Z_UUID, Z_PLIST FROM Z_METADATA WHERE Z_VERSION = 1")
    select.use = .bookkeeping
    if try select.step(), select.text(0) == uuid,
      (try? BinaryPropertyListReader.read(Array(select.bytes(1))))?.entries == entries
    {
      return
    }
    let insert = try connection.prepare(
      "INSERT OR REPLACE INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)")
    insert.use = .bookkeeping
    insert.bind(1, text: uuid)
    insert.bind(2, copying: BinaryPropertyListWriter.write(.dictionary(entries)))
    try insert.run()
  }
}

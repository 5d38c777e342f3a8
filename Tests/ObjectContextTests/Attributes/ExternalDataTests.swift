import MergewalkSystem
import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("AP2: external binary storage")
struct ExternalDataTests {
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      ModelReader.parse(
        Array(
          """
          entities:
            Photo:
              attributes:
                name: string
                image: { type: binary, external_storage: true }
                shape: { type: transformable, external_storage: true }
                thumbnail: binary
              relationships: { album: { to_one: Album, inverse: photos } }
            Album:
              relationships: { photos: { to_many: Photo, inverse: album, delete: cascade } }
          """.utf8), path: "photos.yaml"))
  }

  private static let threshold = PersistentStoreOptions().externalDataThreshold

  private func bytes(_ count: Int, _ seed: UInt8 = 1) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(seed)) }
  }

  private func files(_ place: Workplace) -> [String] {
    let folder = place.folder.file(".store_SUPPORT/_EXTERNAL_DATA")
    return Self.names(in: folder)
  }

  static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  @discardableResult
  private func photo(_ place: Workplace, _ image: [UInt8]) throws -> ManagedObject {
    let photo = try place.context.insert("Photo")
    try photo.setValue(.binary(image), forKey: "image")
    return photo
  }

  @Test("values above the threshold go into files, others stay in the row; fetching gives the same bytes")
  func ap2Threshold() throws {
    let place = try Workplace(try Self.model())
    let (small, large) = (bytes(Self.threshold), bytes(Self.threshold + 1))
    try photo(place, small)
    let object = try photo(place, large)
    try object.setValue(.binary(large), forKey: "thumbnail")
    try object.setValue(.binary(large), forKey: "shape")
    try place.context.save()
    let names = files(place)
    #expect(names.count == 2)
    let cells = try place.rows(
      "SELECT length(ZIMAGE), hex(substr(ZIMAGE, 1, 1)), hex(substr(ZIMAGE, 38)), CAST(substr(ZIMAGE, 2, 36) AS TEXT), "
        + "length(ZTHUMBNAIL) FROM ZPHOTO ORDER BY Z_PK")
    #expect(cells[0].hasPrefix("\(small.count + 1)|01|"))
    let parts = cells[1].split(separator: "|").map(String.init)
    #expect(parts[0] == "38" && parts[1] == "02" && parts[2] == "00" && parts[4] == "\(large.count)")
    #expect(names.contains(parts[3]) && parts[3] == parts[3].uppercased() && parts[3].count == 36)
    #expect(try object["image"] == .binary(large))
    let other1 = place.anotherContext()
    defer { withExtendedLifetime(other1) {} }
    let again = try other1.fetch(FetchRequest("Photo"))
    #expect(Set(try again.map { try $0["image"] }) == [.binary(small), .binary(large)])
    try place.reopen()
    let found = try place.context.fetch(FetchRequest("Photo", where: try ObjectPredicate(format: "shape != nil")))
    #expect(try found[0]["shape"] == .binary(large) && (try found[0]["image"]) == .binary(large))
    try place.verify()
  }

  @Test("a value that is replaced, taken away or deleted takes its file along, once that is committed")
  func ap2Removal() throws {
    let place = try Workplace(try Self.model())
    let large = bytes(200_000)
    let (one, two, three) = (try photo(place, large), try photo(place, large), try photo(place, large))
    try place.context.save()
    let first = Set(files(place))
    #expect(first.count == 3)
    try one.setValue(.binary(bytes(300_000, 9)), forKey: "image")
    #expect(try one.committedValues(forKeys: ["image"]) == ["image": .attribute(.binary(large))])
    try two.setValue(.null, forKey: "image")
    try place.context.save()
    let second = Set(files(place))
    #expect(second.count == 2 && second.intersection(first).count == 1)
    #expect(try one["image"] == .binary(bytes(300_000, 9)))
    try place.context.delete(three)
    try place.context.save()
    #expect(files(place).count == 1)
    try one.setValue(.string("x"), forKey: "name")
    try place.context.save()
    #expect(files(place).count == 1)
    try one.setValue(.binary([1]), forKey: "image")
    try place.context.save()
    #expect(files(place).isEmpty)
    try place.verify()
  }

  @Test("a save that fails leaves no new file and removes none; the object keeps its value")
  func ap2Rollback() throws {
    let place = try Workplace(try Self.model())
    let object = try photo(place, bytes(150_000))
    try place.context.save()
    let before = files(place)
    let store = try #require(place.coordinator.store)
    store.observers.append(Refuser())
    try object.setValue(.binary(bytes(150_000, 2)), forKey: "image")
    try photo(place, bytes(150_000, 3))
    #expect(saveError { try place.context.save() }?.code == .store)
    store.observers.removeLast()
    #expect(files(place) == before)
    #expect(try object["image"] == .binary(bytes(150_000, 2)))
    try place.context.save()
    #expect(files(place).count == 2 && !files(place).contains(before[0]))
    let other2 = place.anotherContext()
    defer { withExtendedLifetime(other2) {} }
    let again = try other2.fetch(FetchRequest("Photo"))
    #expect(Set(try again.map { try $0["image"] }) == [.binary(bytes(150_000, 2)), .binary(bytes(150_000, 3))])
    try place.context.delete(object)
    place.context.rollback()
    #expect(files(place).count == 2)
  }

  @Test("setting the bytes that are in the file is no change")
  func ap2NoChange() throws {
    let place = try Workplace(try Self.model())
    let object = try photo(place, bytes(150_000))
    try place.context.save()
    try object.setValue(.binary(bytes(150_000)), forKey: "image")
    #expect(!place.context.hasChanges)
    try object.setValue(.binary(bytes(150_000, 2)), forKey: "image")
    #expect(place.context.hasChanges)
    place.context.rollback()
    #expect(try object["image"] == .binary(bytes(150_000)))
  }

  @Test("undo after a save brings values back whose files are gone")
  func ap2Undo() throws {
    let place = try Workplace(try Self.model())
    let object = try photo(place, bytes(150_000))
    try place.context.save()
    place.context.undoManager = UndoManager()
    try object.setValue(.binary(bytes(150_000, 2)), forKey: "image")
    try place.context.save()
    #expect(files(place).count == 1)
    try place.context.undo()
    #expect(try object["image"] == .binary(bytes(150_000)))
    try place.context.save()
    let other3 = place.anotherContext()
    defer { withExtendedLifetime(other3) {} }
    let again = try other3.fetch(FetchRequest("Photo"))
    #expect(try again[0]["image"] == .binary(bytes(150_000)))
  }

  @Test("batch deletes and cascades remove files too")
  func ap2BatchDelete() throws {
    let place = try Workplace(try Self.model())
    let album = try place.context.insert("Album")
    for i in 0..<3 { try photo(place, bytes(150_000, UInt8(i))).setObject(album, forKey: "album") }
    try photo(place, bytes(150_000, 9))
    try place.context.save()
    #expect(files(place).count == 4)
    _ = try place.context.execute(BatchDeleteRequest("Photo", where: try ObjectPredicate(format: "album == nil")))
    #expect(files(place).count == 3)
    try place.context.delete(album)
    try place.context.save()
    #expect(files(place).isEmpty)
  }

  @Test("stores of other types keep everything inside", arguments: StoreKind.allCases.filter { $0 != .sqlite })
  func ap2OtherStores(kind: StoreKind) throws {
    let place = try Workplace(try Self.model(), kind: kind)
    try photo(place, bytes(150_000))
    try place.context.save()
    #expect(files(place).isEmpty)
    try place.reopen()
    #expect(try place.context.fetch(FetchRequest("Photo"))[0]["image"] == .binary(bytes(150_000)))
  }

  @Test("a store does not move to another type while the file with a value is missing, with its name as the value")
  func ap2MissingFile() throws {
    let place = try Workplace(try Self.model())
    try photo(place, bytes(150_000))
    try place.context.save()
    let file = place.folder.file(".store_SUPPORT/_EXTERNAL_DATA/\(files(place)[0])")
    #expect(rename(file, place.folder.file("aside")) == 0)
    let store = try #require(place.coordinator.store)
    let target = place.folder.file("b.xml")
    let error = #expect(throws: StoreError.self) {
      try place.coordinator.migratePersistentStore(store, to: target, type: .xml)
    }
    #expect(error?.code == .inputOutput)
    #expect(access(target, F_OK) != 0)
    #expect(rename(place.folder.file("aside"), file) == 0)
    try place.coordinator.migratePersistentStore(store, to: target, type: .xml)
    #expect(try place.anotherContext().fetch(FetchRequest("Photo"))[0]["image"] == .binary(bytes(150_000)))
  }

  /// How a store comes to a place with the files that it names.
  enum Copying: CaseIterable { case copied, replaced, merged }

  @Test("a store comes to another place with all of its files; what fails leaves none", arguments: Copying.allCases)
  func ap2Copies(_ way: Copying) throws {
    let place = try Workplace(try Self.model())
    for seed in 1...3 { try photo(place, bytes(150_000, UInt8(seed))) }
    try place.context.save()
    try place.coordinator.close()
    let target = place.folder.file("other.sqlite")
    if way != .copied {
      let coordinator = PersistentStoreCoordinator(model: place.model)
      try coordinator.addSQLiteStore(at: target)
      let context = ManagedObjectContext(coordinator: coordinator)
      try context.insert("Photo").setValue(.binary(bytes(150_000, 9)), forKey: "image")
      try context.save()
      try coordinator.close()
    }
    func copy() throws {
      switch way {
      case .copied: try StoreCopy.copy(place.path, to: target)
      case .replaced:
        try PersistentStoreCoordinator(model: place.model)
          .replacePersistentStore(at: target, withStoreFrom: place.path)
      case .merged: _ = try ObjectCopy(from: place.path, to: target).run()
      }
    }
    func names() -> [String] { Self.names(in: place.folder.file(".other_SUPPORT/_EXTERNAL_DATA")) }
    let before = names()
    // What is a folder for now is not read as a file.
    let last = place.folder.file(".store_SUPPORT/_EXTERNAL_DATA/\(files(place)[2])")
    #expect(rename(last, place.folder.file("aside")) == 0 && mkdir(last, 0o700) == 0)
    #expect(throws: StoreError.self) { try copy() }
    #expect(names() == before)
    #expect(Set(Self.names(in: place.folder.path)).contains(".other_SUPPORT") == (way != .copied))
    if way != .copied { #expect(try StoreVerifier.verify(path: target, model: place.model).isSound) }
    #expect(rmdir(last) == 0 && rename(place.folder.file("aside"), last) == 0)
    try copy()
    #expect(names() == (way == .merged ? (before + files(place)).sorted() : files(place)))
    let report = try StoreVerifier.verify(path: target, model: place.model)
    #expect(report.findings.filter { $0.severity != .note }.isEmpty, "\(report.findings)")
  }

  @Test(
    "objects are not copied while files that they name are missing, or could not be files of the store",
    arguments: ["A1B2C3D4-0000-4000-8000-0123456789AB", "a1b2c3d4-0000-4000-8000-0123456789ab", "../../other"])
  func ap2CopyWithoutFiles(_ name: String) throws {
    let place = try Workplace(try Self.model())
    try photo(place, bytes(150_000))
    try place.context.save()
    try place.coordinator.close()
    let target = place.folder.file("other.sqlite")
    try StoreFile.create(path: target, model: place.model).finish()
    let connection = try Connection(path: place.path, mode: .readWrite)
    let padded = name + String(repeating: "x", count: 36 - name.count)
    try connection.execute("UPDATE ZPHOTO SET ZIMAGE = CAST(char(2) || '\(padded)' || 'x' AS BLOB)")
    try connection.close()
    let error = #expect(throws: StoreError.self) { try ObjectCopy(from: place.path, to: target).run() }
    #expect(error?.code == .damagedFile && error?.message.contains(padded) == true, "\(error?.message ?? "")")
    #expect(try StoreInfo.read(path: target).entities.allSatisfy { $0.objects == 0 })
    // Neither is the whole file.
    let whole = place.folder.file("whole.sqlite")
    #expect(throws: StoreError.self) { try StoreCopy.copy(place.path, to: whole) }
    #expect(access(whole, F_OK) != 0)
    #expect(try StoreVerifier.verify(path: target, model: place.model).isSound)
  }

  @Test("files that stay when a store is replaced, as another one has the same folder, are named")
  func ap2ReplacedBesideOther() throws {
    let place = try Workplace(try Self.model())
    try photo(place, bytes(150_000))
    try place.context.save()
    try place.coordinator.close()
    let target = place.folder.file("other.sqlite")
    try StoreCopy.copy(place.path, to: target)
    let former = Self.names(in: place.folder.file(".other_SUPPORT/_EXTERNAL_DATA"))
    try StoreCopy.copy(place.path, to: place.folder.file("empty.sqlite"))
    let connection = try Connection(path: place.folder.file("empty.sqlite"), mode: .readWrite)
    try connection.execute("DELETE FROM ZPHOTO")
    try connection.close()
    #expect(rename(place.folder.file(".empty_SUPPORT"), place.folder.file("aside")) == 0)
    try StoreCopy.copy(target, to: place.folder.file("other.db"))
    let coordinator = PersistentStoreCoordinator(model: place.model)
    let kept = try coordinator.replacePersistentStore(
      at: target, withStoreFrom: place.folder.file("empty.sqlite"))
    #expect(former.count == 1 && kept == former)
    #expect(Self.names(in: place.folder.file(".other_SUPPORT/_EXTERNAL_DATA")) == former)
    #expect(unlink(place.folder.file("other.db")) == 0)
    #expect(
      try coordinator.replacePersistentStore(at: target, withStoreFrom: place.folder.file("empty.sqlite")).isEmpty)
    #expect(Self.names(in: place.folder.file(".other_SUPPORT/_EXTERNAL_DATA")) == [])
  }

  @Test("the threshold is an option of the store")
  func ap2Option() throws {
    let folder = TemporaryFolder()
    var options = PersistentStoreOptions()
    options.externalDataThreshold = 10
    let coordinator = PersistentStoreCoordinator(model: try Self.model())
    try coordinator.addStore(type: .sqlite, at: folder.file("store.sqlite"), options: options)
    let context = ManagedObjectContext(coordinator: coordinator)
    for count in [10, 11] { try context.insert("Photo").setValue(.binary(bytes(count)), forKey: "image") }
    try context.save()
    #expect(Self.names(in: folder.file(".store_SUPPORT/_EXTERNAL_DATA")).count == 1)
  }
}

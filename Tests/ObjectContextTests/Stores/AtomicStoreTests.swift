import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkPropertyLists
import Synchronization
import MergewalkTestSupport
import Testing

@Suite("AP50: atomic and incremental stores")
struct AtomicStoreTests {
  @Test(
    "AP50: a save that cannot write the file fails, changes nothing, and can be repeated", arguments: StoreKind.atomic)
  func ap50FailingSave(kind: StoreKind) throws {
    let place = try Workplace(try Models.works(), kind: kind)
    try place.context.insert("Skill").setValue(.string("a"), forKey: "title")
    try place.context.save()
    let before = try Bytes.read(place.path)
    try place.context.insert("Skill").setValue(.string("b"), forKey: "title")
    if kind == .customAtomic {
      _ = LinesStore.failingPaths.withLock { $0.insert(place.path) }
    } else {
      // Root may write everywhere, so the file is made one that somebody else has changed.
      try Bytes.write(before + [0x20], to: place.path)
    }
    #expect(saveError { try place.context.save() }?.code == .store)
    #expect(place.context.hasChanges)
    #expect(try place.rows("SELECT count(*) FROM ZSKILL") == ["1"])
    if kind == .customAtomic {
      #expect(try Bytes.read(place.path) == before)
      #expect(try Bytes.names(place.folder.path) == ["store.sqlite"], "no temporary file is left")
      _ = LinesStore.failingPaths.withLock { $0.remove(place.path) }
      try place.context.save()
      try place.reopen()
      #expect(try place.context.fetchAll("Skill").names("title") == ["a", "b"])
    }
  }

  @Test("AP50: when one of several stores fails, the others' files are as before")
  func ap50SeveralStores() throws {
    let folder = TemporaryFolder()
    let coordinator = StoreKind.customAtomic.coordinator(try CoordinatorStoreTests.library())
    try coordinator.addStore(type: .xml, at: folder.file("a"), configuration: "Private")
    try coordinator.addStore(type: .custom("Lines"), at: folder.file("b"), configuration: "Catalogue")
    let before = try Bytes.read(folder.file("a"))
    let context = ManagedObjectContext(coordinator: coordinator)
    _ = try context.insert("Note")
    _ = try context.insert("Book")
    _ = LinesStore.failingPaths.withLock { $0.insert(folder.file("b")) }
    #expect(saveError { try context.save() }?.code == .store)
    #expect(try Bytes.read(folder.file("a")).count == before.count)
    _ = LinesStore.failingPaths.withLock { $0.remove(folder.file("b")) }
    try context.save()
    #expect(try context.count("Note") == 1)
    #expect(try Bytes.read(folder.file("a")).count > before.count)
  }

  /// A file as Core Data writes it: keys count for all entities, nothing goes beyond its elements.
  static func published(_ hashes: String) -> String {
    """
    <?xml version="1.0"?>
    <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

    <database>
        <databaseInfo>
            <version>134481920</version>
            <UUID>343C8D7F-A000-42C4-8463-43FA1E5EF3FB</UUID>
            <nextObjectID>105</nextObjectID>
            <metadata>
                <plist version="1.0">
                    <dict>
                        <key>NSStoreModelVersionHashes</key>
                        <dict>\(hashes)</dict>
                        <key>when</key>
                        <date>2006-01-02T03:04:05Z</date>
                    </dict>
                </plist>
            </metadata>
        </databaseInfo>
        <object type="BOOK" id="z103">
            <attribute name="title" type="string">first &amp; &lt;last&gt;</attribute>
            <relationship name="author" type="1/1" destination="AUTHOR" idrefs="z102"></relationship>
        </object>
        <object type="BOOK" id="z104">
            <attribute name="title" type="string">second</attribute>
            <relationship name="author" type="1/1" destination="AUTHOR" idrefs="z102"></relationship>
        </object>
        <object type="AUTHOR" id="z102">
            <attribute name="name" type="string">Ada</attribute>
            <relationship name="books" type="0/0" destination="BOOK" idrefs="z104 z103"></relationship>
        </object>
    </database>
    """
  }

  private func hashes(_ model: ManagedObjectModel) -> String {
    // What the store writes itself has them in the same form.
    let entities = ModelHashes(StoreSchema(model: model)).entities
    return entities.map { "<key>\($0.name)</key><data>\n\(base64($0.hash))\n</data>" }.joined()
  }

  private func base64(_ bytes: [UInt8]) -> String { Base64.text(bytes) }

  @Test("AP50: a file in the form of published XML stores is read, and new keys follow its own")
  func ap50PublishedXML() throws {
    let folder = TemporaryFolder()
    let model = try CoordinatorStoreTests.library()
    let path = try folder.write(Self.published(hashes(model)), to: "a.xml")
    let coordinator = PersistentStoreCoordinator(model: model)
    let store = try coordinator.addStore(type: .xml, at: path)
    #expect(store.identifier == "343C8D7F-A000-42C4-8463-43FA1E5EF3FB")
    #expect(store.metadata["when"] == .date(157_863_845))
    let context = ManagedObjectContext(coordinator: coordinator)
    let author = try #require(try context.fetchAll("Author").first)
    #expect(try author.objects(forKey: "books").names("title") == ["first & <last>", "second"])
    #expect(author.objectID.primaryKey == 102)
    let book = try context.insert("Book")
    try context.save()
    #expect(book.objectID.primaryKey == 106)
    let text = String(decoding: try Bytes.read(path), as: UTF8.self)
    #expect(text.contains("<attribute name=\"title\" type=\"string\">first &amp; &lt;last&gt;</attribute>"))
    #expect(text.contains("destination=\"AUTHOR\" idrefs=\"z102.1\""))
  }

  @Test(
    "damaged XML stores are errors that say what is wrong",
    arguments: [
      ("<object", "<objekt>"), ("type=\"BOOK\"", "type=\"NOTHING\""), ("id=\"z103\"", "id=\"103\""),
      ("id=\"z103\"", "id=\"z-3\""), ("id=\"z103\"", "id=\"z104\""), ("id=\"z103\"", "id=\"z99999999999999999999\""),
      ("name=\"title\"", "name=\"nothing\""), ("idrefs=\"z102\"", "idrefs=\"z102 z103\""),
      ("idrefs=\"z102\"", "idrefs=\"x\""), ("destination=\"AUTHOR\"", "destination=\"BOOK\""),
      ("name=\"author\"", "name=\"nothing\""), ("343C8D7F", "343c8d7f"), ("</databaseInfo>", "</databaseinfo>"),
      ("<dict>", "<dict><key>a</key><integer>x</integer>"), ("<dict>", "<dict><string>no key</string>"),
      ("<key>when</key>", "<key>a</key><data>***</data><key>when</key>"), ("<database>", "<base>"), ("Ada", "\u{1}"),
      ("CoreData.dtd\">", "CoreData.dtd\" [<!ENTITY a \"b\">]>"), ("Ada", "&a;"),
    ])
  func damagedXML(part: String, replacement: String) throws {
    let folder = TemporaryFolder()
    let model = try CoordinatorStoreTests.library()
    let good = Self.published(hashes(model))
    let range = try #require(good.range(of: part))
    let path = try folder.write(good.replacingCharacters(in: range, with: replacement), to: "a.xml")
    let coordinator = PersistentStoreCoordinator(model: model)
    let code = storeErrorCode { try coordinator.addStore(type: .xml, at: path) }
    #expect([.damagedFile, .damagedMetadata].contains(code), "\(part) → \(replacement): \(String(describing: code))")
    #expect(coordinator.stores.isEmpty)
  }

  @Test(
    "any cut and any changed byte of a file is read or refused, never a crash", arguments: [StoreKind.xml, .binary])
  func mutated(kind: StoreKind) throws {
    let place = try Workplace(try Models.works(), kind: kind)
    let person = try place.context.insert("Person")
    try person.setValue(.string("p"), forKey: "name")
    try person.add(try place.context.insert("Skill"), to: "skills")
    try place.context.save()
    try place.coordinator.close()
    let bytes = try Bytes.read(place.path)
    var random = SeededGenerator(seed: 5)
    for round in 0..<400 {
      var changed = bytes
      if round % 4 == 0 {
        changed.removeLast(Int.random(in: 1..<bytes.count, using: &random))
      } else {
        for _ in 0...Int.random(in: 0..<3, using: &random) {
          changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
      }
      let path = place.folder.file("mutated")
      try Bytes.write(changed, to: path)
      let coordinator = kind.coordinator(place.model)
      do {
        try coordinator.addStore(type: kind.type, at: path)
        let context = ManagedObjectContext(coordinator: coordinator)
        _ = try context.fetchAll("Person").map { try $0.objects(forKey: "skills") }
      } catch is StoreError {
      } catch is ObjectError {
      }
    }
  }

  @Test("AP50: a binary store of Apple's is refused with a reason")
  func ap50ForeignBinary() throws {
    let folder = TemporaryFolder()
    let path = folder.file("a")
    try Bytes.write(
      Array("bplist00".utf8) + [0xD0, 8, 0, 0, 0, 0, 0, 0, 1, 1] + [UInt8](repeating: 0, count: 30), to: path)
    let coordinator = PersistentStoreCoordinator(model: try CoordinatorStoreTests.library())
    #expect(storeErrorCode { try coordinator.addStore(type: .binary, at: path) } == .damagedFile)
  }

  @Test("AP50: an incremental store is asked once for what is read, and told what is saved")
  func ap50Incremental() throws {
    let place = try Workplace(try Models.works(), kind: .incremental)
    let server = Server.at(place.path)
    let company = try place.context.insert("Company")
    try company.setValue(.string("c"), forKey: "name")
    for number in 0..<3 {
      let person = try place.context.insert("Person")
      try person.setValue(.string("p\(number)"), forKey: "name")
      try person.setObject(company, forKey: "employer")
    }
    try place.context.save()
    #expect(server.records["Party"]?.count == 4)
    try place.reopen()
    func calls(_ body: () throws -> Void) rethrows -> [String] {
      server.calls.removeAll()
      try body()
      return server.calls
    }
    var found: [ManagedObject] = []
    let asked = try calls {
      found = Array(try place.context.fetch(FetchRequest("Person", where: try ObjectPredicate(format: "name == 'p1'"))))
    }
    #expect(asked == ["execute Person"], "values came with the request")
    var names: [String] = []
    #expect(calls { names = found.names() } == [])
    #expect(names == ["p1"])
    var employer: ManagedObject?
    #expect(try calls { employer = try found.first?.object(forKey: "employer") } == [])
    var name: AttributeValue?
    #expect(try calls { name = try employer?.value(forKey: "name") } == ["newValues 1"])
    #expect(name == .string("c"))
    var staff: [ManagedObject] = []
    #expect(try calls { staff = try employer?.objects(forKey: "staff") ?? [] } == ["newValue staff"])
    #expect(staff.names() == ["p0", "p1", "p2"])
    #expect(try calls { staff = try employer?.objects(forKey: "staff") ?? [] } == [])
    #expect(staff.count == 3)
    #expect(try calls { _ = try place.context.fetchAll("Company") } == ["execute Company"])
    // What the server has now is seen when the records are asked for again.
    let key = try #require(found.first?.objectID.primaryKey)
    server.records["Party"]?[key]?.values["name"] = .string("elsewhere")
    server.records["Party"]?[key]?.version += 1
    try #require(place.coordinator.store).evictCachedRecords()
    #expect(try storedNames(place.coordinator, "Person") == ["p0", "elsewhere", "p2"])
    // A save from old values is a conflict.
    try #require(found.first).setValue(.string("late"), forKey: "name")
    #expect(saveError { try place.context.save() }?.code == .conflict)
    place.context.rollback()
    server.refusesSaves = true
    try #require(employer).setValue(.string("new"), forKey: "name")
    #expect(saveError { try place.context.save() }?.code == .store)
    func hasNewName() -> Bool {
      server.records["Party"]?.values.contains { $0.values["name"] == .string("new") } ?? false
    }
    #expect(!hasNewName())
    server.refusesSaves = false
    #expect(try calls { try place.context.save() }.last == "save")
    #expect(hasNewName())
    // A key path asks for everything that it leads through.
    try place.reopen()
    #expect(
      try place.context.count(for: FetchRequest("Person", where: try ObjectPredicate(format: "employer.name == 'new'")))
        == 3)
    #expect(throws: BatchError.self) { try place.context.execute(BatchDeleteRequest("Skill", where: nil)) }
  }
}

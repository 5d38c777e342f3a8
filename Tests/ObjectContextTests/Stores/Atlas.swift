import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Places in one store, notes in another, tags in both: a coordinator with configurations.
final class Atlas {
  let folder: TemporaryFolder
  /// The path of the folder with the stores.
  private let place: String
  let model: ManagedObjectModel
  let types: [PersistentStoreType]
  private(set) var coordinator: PersistentStoreCoordinator
  private(set) var context: ManagedObjectContext
  /// The stores "Places" and "Notes".
  private(set) var stores: [PersistentStore] = []

  static let configurations = ["Places", "Notes"]

  /// Place > City, Region > Country; Note, Diary; Tag.
  ///
  /// A city has a mayor, who may be noted anywhere.
  ///
  /// - Parameter citiesAreUnique: Whether no two cities may have one name.
  static func model(citiesAreUnique: Bool = false) throws -> ManagedObjectModel {
    var cities = FetchRequestTemplate(name: "cities", entityName: "City")
    cities.predicateText = "name == $FETCH_SOURCE.about OR self == $FETCH_SOURCE OR size > $FETCH_SOURCE.rank"
    cities.sortDescriptors = [ObjectSortDescriptor("name")]
    var tags = FetchRequestTemplate(name: "tags", entityName: "Tag")
    tags.predicateText = "name BEGINSWITH $FETCH_SOURCE.about"
    tags.sortDescriptors = [ObjectSortDescriptor("name", ascending: false)]
    var note = Models.entity(
      "Note", attributes: [Models.attribute("about", .string), Models.attribute("rank", .integer32)],
      relationships: [
        Models.toOne("diary", "Diary", inverse: "notes"), Models.toMany("seeAlso", "Note", inverse: "seeAlso"),
        // A destination that the configuration does not have.
        Models.toOne("place", "City", inverse: "notes"),
      ])
    note.fetchedProperties = [
      FetchedPropertyDescription(name: "cities", fetchRequest: cities),
      FetchedPropertyDescription(name: "tags", fetchRequest: tags),
    ]
    note.uniquenessConstraints = [["about"]]
    var draft = ModelDraft()
    draft.entities = [
      Models.entity("Place", abstract: true, attributes: [Models.attribute("name", .string)]),
      Models.entity(
        "City", parent: "Place", attributes: [Models.attribute("size", .integer32)],
        relationships: [
          Models.toOne("region", "Region", inverse: "cities"), Models.toOne("twin", "City", inverse: "twin"),
          Models.toMany("notes", "Note", inverse: "place"),
        ]),
      Models.entity(
        "Region", parent: "Place",
        relationships: [
          Models.toMany("cities", "City", inverse: "region", ordered: true),
          Models.toMany("neighbours", "Region", inverse: "neighbours"),
        ]),
      Models.entity("Country", parent: "Region", attributes: [Models.attribute("code", .string)]),
      Models.entity("Diary", relationships: [Models.toMany("notes", "Note", inverse: "diary", ordered: true)]),
      note,
      Models.entity(
        "Tag", attributes: [Models.attribute("name", .string), Models.attribute("weight", .integer32)],
        relationships: [
          Models.toOne("parent", "Tag", inverse: "children"), Models.toMany("children", "Tag", inverse: "parent"),
          Models.toMany("related", "Tag", inverse: "related"),
        ]),
    ]
    if citiesAreUnique, let city = draft.entities.firstIndex(where: { $0.name == "City" }) {
      draft.entities[city].uniquenessConstraints = [["name"]]
    }
    draft.configurations = [
      ModelConfiguration(name: "Places", entityNames: ["City", "Region", "Country", "Tag"]),
      ModelConfiguration(name: "Notes", entityNames: ["Note", "Diary", "Tag"]),
    ]
    return try ManagedObjectModel(draft)
  }

  /// - Parameters:
  ///   - place: A folder that has the stores, or will; by default one of its own.
  ///   - isReversed: Whether the second store is opened before the first.
  init(
    _ types: [PersistentStoreType] = [.sqlite, .sqlite], in place: String? = nil, isReversed: Bool = false,
    citiesAreUnique: Bool = false
  ) throws {
    folder = TemporaryFolder()
    self.place = place ?? folder.path
    model = try Self.model(citiesAreUnique: citiesAreUnique)
    self.types = types
    coordinator = PersistentStoreCoordinator(model: model)
    context = ManagedObjectContext(coordinator: coordinator)
    if isReversed {
      let second = PersistentStoreCoordinator(model: model)
      try second.addStore(type: types[1], at: path(1), configuration: Self.configurations[1])
      try second.close()
    }
    try open()
  }

  func path(_ index: Int) -> String { "\(place)/\(Self.configurations[index]).store" }

  private func open() throws {
    stores = []
    for (index, type) in types.enumerated() {
      stores.append(
        try coordinator.addStore(type: type, at: path(index), configuration: Self.configurations[index]))
    }
  }

  /// Opens the stores again; what is in memory is gone.
  func reopen() throws {
    try coordinator.close()
    coordinator = PersistentStoreCoordinator(model: model)
    try open()
    context = ManagedObjectContext(coordinator: coordinator)
  }

  /// Closes the stores and checks those in SQLite files.
  func verify(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try coordinator.close()
    for (index, type) in types.enumerated() where type == .sqlite {
      let report = try StoreVerifier.verify(
        path: path(index), model: model, configuration: Self.configurations[index])
      let errors = report.findings.filter { $0.severity != .note }
      #expect(errors.isEmpty, "\(Self.configurations[index]): \(errors)", sourceLocation: sourceLocation)
    }
  }

  /// Inserts an object with the value of one attribute.
  func insert(_ entity: String, _ name: String, key: String = "name", into store: Int? = nil) throws -> ManagedObject {
    let object = try context.insert(entity)
    if let store { try context.assign(object, to: stores[store]) }
    try object.setValue(.string(name), forKey: key)
    return object
  }

  /// The first column of a query in one store.
  func rows(_ store: Int, _ sql: String) throws -> [String] {
    let statement = try stores[store].connection.prepare(sql)
    var rows: [String] = []
    while try statement.step() {
      rows.append(
        (0..<statement.columnCount).map { statement.isNull($0) ? "null" : statement.text($0) }.joined(separator: "|"))
    }
    return rows
  }
}

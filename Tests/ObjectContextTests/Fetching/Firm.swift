import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

/// A firm: people of three kinds with departments and skills, graphics of three kinds below an abstract one, and
/// searchers with fetched properties.
enum Firm {
  static func model() throws -> ManagedObjectModel {
    var nickname = Models.attribute("nickname", .string)
    nickname.isTransient = true
    var draft = ModelDraft()
    draft.entities = [
      Models.entity(
        "Person",
        attributes: [
          Models.attribute("name", .string), Models.attribute("age", .integer16), Models.attribute("note", .string),
          Models.attribute("favoriteColor", .string), nickname,
        ]),
      Models.entity(
        "Employee", parent: "Person",
        attributes: [Models.attribute("salary", .double), Models.attribute("hired", .date)],
        relationships: [
          Models.toOne("department", "Department", inverse: "members"),
          Models.toMany("skills", "Skill", inverse: "people", ordered: true),
          Models.toOne("manager", "Employee", inverse: "reports"),
          Models.toMany("reports", "Employee", inverse: "manager"),
        ]),
      Models.entity("Customer", parent: "Person", attributes: [Models.attribute("credit", .decimal)]),
      Models.entity(
        "Department", attributes: [Models.attribute("name", .string)],
        relationships: [
          Models.toMany("members", "Employee", inverse: "department"), Models.toOne("city", "City", inverse: "seats"),
        ]),
      Models.entity(
        "City", attributes: [Models.attribute("name", .string)],
        relationships: [Models.toMany("seats", "Department", inverse: "city")]),
      Models.entity(
        "Skill", attributes: [Models.attribute("title", .string)],
        relationships: [Models.toMany("people", "Employee", inverse: "skills")]),
      Models.entity("Graphic", abstract: true, attributes: [Models.attribute("x", .double)]),
      Models.entity("Circle", parent: "Graphic", attributes: [Models.attribute("radius", .double)]),
      Models.entity("TextBox", parent: "Graphic", attributes: [Models.attribute("text", .string)]),
      Models.entity("Line", parent: "Graphic"),
      searcher(),
    ]
    return try ManagedObjectModel(draft)
  }

  private static func searcher() -> EntityDraft {
    var entity = Models.entity(
      "Searcher", attributes: [Models.attribute("searchTerm", .string), Models.attribute("least", .double)])
    func property(_ name: String, _ predicate: String?, newestFirst: Bool = false) -> FetchedPropertyDescription {
      var request = FetchRequestTemplate(name: name, entityName: "Employee")
      request.predicateText = predicate
      request.sortDescriptors = [
        newestFirst ? ObjectSortDescriptor("hired", ascending: false) : ObjectSortDescriptor("name")
      ]
      var property = FetchedPropertyDescription(name: name, fetchRequest: request)
      property.userInfo = ["color": "Green"]
      return property
    }
    entity.fetchedProperties = [
      property("recentHires", "hired != nil", newestFirst: true),
      property("matches", "department.city.name LIKE[c] $FETCH_SOURCE.searchTerm"),
      property("greens", "favoriteColor == $FETCHED_PROPERTY.userInfo.color"),
      property(
        "greenMatches",
        "favoriteColor == $FETCHED_PROPERTY.userInfo.color AND department.city.name LIKE[c] $FETCH_SOURCE.searchTerm"),
      property("literal", "name == $FETCH_SOURCE.searchTerm"),
      property("unbound", "name == $SOMETHING"),
    ]
    return entity
  }

  /// A place with the firm's model and some objects that are saved and forgotten.
  ///
  /// Employees e0... with ages from 20, salaries 1000 each more, in departments d0, d1, d2 in turn, which are in
  /// Cambridge, Durham and Cambridge; every fourth one likes green. Customers c0...
  static func place(employees: Int = 12, customers: Int = 3) throws -> Workplace {
    let place = try Workplace(model())
    let context = place.context
    var cities: [ManagedObject] = []
    for name in ["Cambridge", "Durham"] {
      let city = try context.insert("City")
      try city.setValue(.string(name), forKey: "name")
      cities.append(city)
    }
    var departments: [ManagedObject] = []
    for i in 0..<3 {
      let department = try context.insert("Department")
      try department.setValue(.string("d\(i)"), forKey: "name")
      try department.setObject(cities[i % 2], forKey: "city")
      departments.append(department)
    }
    var skills: [ManagedObject] = []
    for title in ["Swift", "C", "SQL"] {
      let skill = try context.insert("Skill")
      try skill.setValue(.string(title), forKey: "title")
      skills.append(skill)
    }
    var first: ManagedObject?
    for i in 0..<employees {
      let employee = try context.insert("Employee")
      try employee.setValue(.string("e\(i)"), forKey: "name")
      try employee.setValue(.integer(Int64(20 + i % 100)), forKey: "age")
      try employee.setValue(.double(Double(i + 1) * 1000), forKey: "salary")
      try employee.setValue(.date(Double(i) * 86_400), forKey: "hired")
      try employee.setValue(.string(i % 4 == 0 ? "Green" : "Blue"), forKey: "favoriteColor")
      try employee.setObject(departments[i % 3], forKey: "department")
      if let first { try employee.setObject(first, forKey: "manager") } else { first = employee }
      if i < 30 { try employee.setObjects([skills[i % 3], skills[(i + 1) % 3]], forKey: "skills") }
    }
    for i in 0..<customers {
      let customer = try context.insert("Customer")
      try customer.setValue(.string("c\(i)"), forKey: "name")
      try customer.setValue(.integer(Int64(50 + i)), forKey: "age")
    }
    try context.save()
    context.reset()
    return place
  }
}

/// Runs `body` and returns the code of the ``PredicateError`` that its ``ObjectError`` carries; `nil` when it throws none.
func predicateErrorCode(_ body: () throws -> Void) -> PredicateError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? ObjectError)?.predicateError?.code ?? (error as? PredicateError)?.code
  }
}

extension Sequence<ManagedObject> {
  /// The values of an attribute as short texts, for comparing.
  func names(_ key: String = "name") -> [String] { Array(self).names(key) }
}

extension Workplace {
  /// The statements of `body` that ask the store.
  func selects(_ body: () throws -> Void) throws -> [String] { try statements(body).filter { $0.hasPrefix("SELECT") } }
}

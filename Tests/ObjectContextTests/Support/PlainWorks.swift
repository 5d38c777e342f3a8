/// The objects of the model `works` as plain Swift values: what the object layer is compared with.
///
/// Objects are numbers. Every relationship is kept in the plainest way, and both ends are derived from it.
struct PlainWorks: Equatable {
  var names: [Int: String] = [:]
  var kinds: [Int: String] = [:]
  var toOne: [String: [Int: Int]] = ["supplier": [:], "parent": [:], "about": [:], "memoOwner": [:]]
  var staff: [Int: [Int]] = [:]
  var skills: [Int: [Int]] = [:]
  var people: [Int: [Int]] = [:]
  var spouse: [Int: Int] = [:]
  var desk: [Int: Int] = [:]
  var friends = Set<[Int]>()
  var likes = Set<[Int]>()

  func all(_ kind: String) -> [Int] { kinds.filter { $0.value == kind }.keys.sorted() }

  mutating func delete(_ object: Int) {
    names[object] = nil
    kinds[object] = nil
    for key in toOne.keys.sorted() where key != "about" {
      toOne[key] = toOne[key]?.filter { $0.key != object && $0.value != object }
    }
    // There is no way back from a party to the memos about it, so they keep referring to nothing.
    toOne["about"]?[object] = nil
    staff[object] = nil
    skills[object] = nil
    people[object] = nil
    for key in staff.keys { staff[key]?.removeAll { $0 == object } }
    for key in skills.keys { skills[key]?.removeAll { $0 == object } }
    for key in people.keys { people[key]?.removeAll { $0 == object } }
    spouse = spouse.filter { $0.key != object && $0.value != object }
    desk = desk.filter { $0.key != object && $0.value != object }
    friends = friends.filter { !$0.contains(object) }
    likes = likes.filter { !$0.contains(object) }
  }

  mutating func employ(_ person: Int, _ company: Int?) {
    if let company, staff[company]?.contains(person) == true { return }
    for key in staff.keys { staff[key]?.removeAll { $0 == person } }
    if let company { staff[company, default: []].append(person) }
  }

  mutating func marry(_ one: Int, _ other: Int?) {
    if spouse[one] == other { return }
    for key in [one, other].compactMap({ $0 }) {
      if let former = spouse[key] { spouse[former] = nil }
      spouse[key] = nil
    }
    if let other {
      spouse[one] = other
      spouse[other] = one
    }
  }

  mutating func seat(_ person: Int, _ place: Int?) {
    desk[person] = nil
    if let place {
      desk = desk.filter { $0.value != place }
      desk[person] = place
    }
  }

  mutating func teach(_ person: Int, _ skill: Int) {
    if skills[person]?.contains(skill) == true { return }
    skills[person, default: []].append(skill)
    people[skill, default: []].append(person)
  }

  mutating func unteach(_ person: Int, _ skill: Int) {
    skills[person]?.removeAll { $0 == skill }
    people[skill]?.removeAll { $0 == person }
  }

  static func move(_ element: Int, to index: Int, in list: inout [Int]) {
    list.removeAll { $0 == element }
    list.insert(element, at: min(index, list.count))
  }

  /// The other ends of one relationship of one object: in order, or sorted.
  func partners(_ object: Int, _ key: String) -> [Int] {
    switch key {
    case "staff": staff[object] ?? []
    case "skills": skills[object] ?? []
    case "people": people[object] ?? []
    case "employer": staff.filter { $0.value.contains(object) }.keys.sorted()
    case "spouse": spouse[object].map { [$0] } ?? []
    case "desk": desk[object].map { [$0] } ?? []
    case "owner": desk.filter { $0.value == object }.keys.sorted()
    case "supplier", "parent", "about": toOne[key]?[object].map { kinds[$0] == nil ? [] : [$0] } ?? []
    case "clients": referring("supplier", object)
    case "children": referring("parent", object)
    case "memos": referring("memoOwner", object)
    case "friends": friends.filter { $0[0] == object }.map { $0[1] }.sorted()
    case "likes": likes.filter { $0[0] == object }.map { $0[1] }.sorted()
    case "likedBy": likes.filter { $0[1] == object }.map { $0[0] }.sorted()
    default: []
    }
  }

  private func referring(_ key: String, _ target: Int) -> [Int] {
    (toOne[key] ?? [:]).filter { $0.value == target }.keys.sorted()
  }

  /// The relationships of each kind of object.
  static let relationships: [String: [String]] = [
    "Company": ["staff", "clients"],
    "Person": [
      "employer", "supplier", "spouse", "desk", "friends", "likes", "likedBy", "skills", "parent", "children", "memos",
    ],
    "Desk": ["owner"], "Skill": ["people"], "Memo": ["about"],
  ]
}

import MergewalkImporting
import MergewalkObjectModel

/// The entities that a run wrote and how they refer to each other, as SVG: one picture for each group of entities that are
/// joined by relationships, and one of all that stand alone.
struct ObjectDiagram {
  /// An entity with its picture's lines.
  struct Box {
    var name: String
    var counts: ImportSummary.EntityCounts
    /// The relationships that are shown, each with the number of the box that it leads to.
    var relationships: [(name: String, target: Int)] = []
  }

  /// All entities that are shown, by name.
  private(set) var boxes: [Box] = []
  /// How many entities are left out.
  let hiddenCount: Int
  /// More entities than these do not make a picture.
  private static let most = 150

  /// The height of a box without relationships, and of each of those.
  private static let head = 78.0
  private static let line = 16.0

  init(_ entities: [String: ImportSummary.EntityCounts], model: ManagedObjectModel) {
    let known = entities.compactMap { name, counts in
      model.entities.first { $0.name == name }.map { (name, counts, $0.index) }
    }
    let sorted = known.sorted {
      let (one, other) = ($0.1.inserted + $0.1.updated, $1.1.inserted + $1.1.updated)
      return one == other ? $0.0 < $1.0 : one > other
    }
    hiddenCount = max(0, sorted.count - Self.most)
    let shown = sorted.prefix(Self.most).sorted { $0.0 < $1.0 }
    boxes = shown.map { Box(name: $0.0, counts: $0.1) }
    for (index, entity) in shown.map(\.2).enumerated() {
      for relationship in model.entities[entity].relationships where Self.isShown(relationship, of: boxes[index].name) {
        // What refers to an entity may refer to those that inherit from it.
        let target = shown.firstIndex { other in
          var entity: Int? = other.2
          while let i = entity, i != relationship.destinationEntity { entity = model.entities[i].superentityIndex }
          return entity != nil
        }
        if let target { boxes[index].relationships.append((relationship.name, target)) }
      }
    }
  }

  /// Of the two ends of a relationship one is shown: the to-one end, else the first by name.
  private static func isShown(_ relationship: RelationshipDescription, of entity: String) -> Bool {
    if !relationship.isToMany { return true }
    guard let inverse = relationship.inverseName else { return true }
    return (entity, relationship.name) <= (relationship.destinationEntityName, inverse) && relationship.isInverseToMany
  }

  /// The numbers of the boxes of each group, the largest group first; those that stand alone are the last one.
  var groups: [[Int]] {
    var group = Array(boxes.indices)
    func root(_ box: Int) -> Int {
      var box = box
      while group[box] != box { box = group[box] }
      return box
    }
    for (index, box) in boxes.enumerated() {
      for relationship in box.relationships { group[root(index)] = root(relationship.target) }
    }
    let all = Dictionary(grouping: boxes.indices, by: root).values
    let joined = all.filter { $0.count > 1 || !boxes[$0[0]].relationships.isEmpty }
      .sorted { ($1.count, $0[0]) < ($0.count, $1[0]) }
    let alone = all.filter { $0.count == 1 && boxes[$0[0]].relationships.isEmpty }.map { $0[0] }.sorted()
    return joined + (alone.isEmpty ? [] : [alone])
  }

  /// The layout of a group, whose boxes are those of ``groups`` in order.
  func layout(_ group: [Int]) -> DiagramLayout {
    let places = Dictionary(uniqueKeysWithValues: group.enumerated().map { ($0.element, $0.offset) })
    var edges: [DiagramLayout.Edge] = []
    for (place, box) in group.enumerated() {
      for (line, relationship) in boxes[box].relationships.enumerated() {
        guard let target = places[relationship.target] else { continue }
        edges.append(.init(from: place, to: target, port: Self.head + (Double(line) + 0.5) * Self.line))
      }
    }
    return DiagramLayout(
      heights: group.map { Self.head + Double(boxes[$0].relationships.count) * Self.line + 6 }, edges: edges)
  }

  /// The section of the page; nil when there is nothing to show.
  var html: String? {
    if boxes.isEmpty { return nil }
    var text = "<h2>Objects</h2>"
    if boxes.count > 12 { text += index }
    let groups = groups
    for (number, group) in groups.enumerated() {
      let title = groups.count == 1 ? "" : "<h3>\(HTMLText.escaped(title(group)))</h3>"
      text += "<div class=\"card wide\">\(title)\(picture(group, number))</div>"
    }
    if hiddenCount > 0 { text += "<p class=\"soft\">and \(Figures.grouped(hiddenCount)) more entities</p>" }
    return text
  }

  private func title(_ group: [Int]) -> String {
    if group.count > 1, group.allSatisfy({ boxes[$0].relationships.isEmpty }) { return "Without relationships" }
    let largest = group.max { boxes[$0].counts.total < boxes[$1].counts.total } ?? group[0]
    return boxes[largest].name + (group.count > 1 ? " and \(Figures.count(group.count - 1, "other", "others"))" : "")
  }

  /// Links to all boxes, which a browser's search finds, too.
  private var index: String {
    let links = boxes.enumerated().map { number, box in
      "<a href=\"#entity-\(number)\">\(HTMLText.escaped(box.name))</a>"
    }
    return "<nav class=\"index\" aria-label=\"Entities\">\(links.joined(separator: " "))</nav>"
  }

  private func picture(_ group: [Int], _ number: Int) -> String {
    let layout = layout(group)
    func at(_ value: Double) -> String { HTMLText.coordinate(value) }
    var parts = [
      "<svg class=\"objects\" viewBox=\"0 0 \(Int(layout.width)) \(Int(layout.height))\" width=\"\(Int(layout.width))\""
        + " height=\"\(Int(layout.height))\" role=\"img\" aria-label=\"Entities and relationships\"><defs><marker id=\"tip\(number)\""
        + " viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path class=\"tip\""
        + " d=\"M0 0L8 4L0 8Z\"/></marker></defs>"
    ]
    for edge in layout.edges {
      let points = edge.points.map { "\(at($0.x)) \(at($0.y))" }.joined(separator: "L")
      parts.append("<path class=\"edge\" d=\"M\(points)\" marker-end=\"url(#tip\(number))\"/>")
    }
    for (place, box) in group.enumerated() { parts.append(picture(box, layout.boxes[place])) }
    return parts.joined() + "</svg>"
  }

  private func picture(_ number: Int, _ place: DiagramLayout.Box) -> String {
    let (box, x, y) = (boxes[number], place.origin.x, place.origin.y)
    func line(_ text: String, _ below: Double, _ style: String) -> String {
      "<text class=\"\(style)\" x=\"\(HTMLText.coordinate(x + 12))\" y=\"\(HTMLText.coordinate(y + below))\">"
        + "\(HTMLText.escaped(text))</text>"
    }
    let counts = box.counts
    var text =
      "<g id=\"entity-\(number)\"><title>\(HTMLText.escaped(box.name))</title><rect class=\"box\""
      + " x=\"\(HTMLText.coordinate(x))\" y=\"\(HTMLText.coordinate(y))\" width=\"\(Int(DiagramLayout.boxWidth))\""
      + " height=\"\(Int(place.height))\" rx=\"8\"/>"
    text += line(Self.short(box.name, 18), 21, "title")
    text += line("\(Figures.grouped(counts.inserted)) inserted", 39, counts.inserted > 0 ? "added" : "soft")
    text += line("\(Figures.grouped(counts.updated)) updated", 54, counts.updated > 0 ? "changed" : "soft")
    text += line("\(Figures.grouped(counts.unchanged)) unchanged", 69, "soft")
    for (index, relationship) in box.relationships.enumerated() {
      text += line(Self.short(relationship.name, 26), Self.head + Double(index) * Self.line + 12, "label")
    }
    return text + "</g>"
  }

  private static func short(_ text: String, _ most: Int) -> String {
    text.count > most ? text.prefix(most - 1) + "…" : text
  }
}

extension ImportSummary.EntityCounts {
  /// How many objects it is about.
  fileprivate var total: Int { inserted + updated + unchanged }
}

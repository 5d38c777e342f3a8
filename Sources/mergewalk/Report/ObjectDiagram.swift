import Importing
import ObjectModel

/// The entities that a run wrote and how they refer to each other, as SVG.
///
/// Entities stand in columns: what refers to others on the left, what is referred to on the right of it.
struct ObjectDiagram {
  private struct Box {
    var name: String
    var counts: ImportSummary.EntityCounts
    var entity: Int
    var column = 0
    var row = 0
  }
  private struct Edge {
    var from: Int
    var to: Int
    var labels: [String]
  }

  private var boxes: [Box] = []
  private var edges: [Edge] = []
  /// How many entities are left out.
  let hiddenCount: Int
  /// More entities than these do not make a picture.
  private static let most = 30

  private static let boxWidth = 176.0
  private static let boxHeight = 78.0
  private static let columnGap = 132.0
  private static let rowGap = 30.0
  private static let margin = 30.0

  init(_ entities: [String: ImportSummary.EntityCounts], model: ManagedObjectModel) {
    let known = entities.compactMap { name, counts in
      model.entities.first { $0.name == name }.map { (name, counts, $0.index) }
    }
    let sorted = known.sorted {
      let (one, other) = ($0.1.inserted + $0.1.updated, $1.1.inserted + $1.1.updated)
      return one == other ? $0.0 < $1.0 : one > other
    }
    hiddenCount = max(0, sorted.count - Self.most)
    boxes = sorted.prefix(Self.most).sorted { $0.0 < $1.0 }.map { Box(name: $0.0, counts: $0.1, entity: $0.2) }
    for (index, box) in boxes.enumerated() {
      for relationship in model.entities[box.entity].relationships where Self.isShown(relationship, of: box.name) {
        // What refers to an entity may refer to those that inherit from it.
        let target = boxes.firstIndex { other in
          var entity: Int? = other.entity
          while let i = entity, i != relationship.destinationEntity { entity = model.entities[i].superentityIndex }
          return entity != nil
        }
        guard let target else { continue }
        if let known = edges.firstIndex(where: { $0.from == index && $0.to == target }) {
          edges[known].labels.append(relationship.name)
        } else {
          edges.append(Edge(from: index, to: target, labels: [relationship.name]))
        }
      }
    }
    place()
  }

  /// Of the two ends of a relationship one is shown: the to-one end, else the first by name.
  private static func isShown(_ relationship: RelationshipDescription, of entity: String) -> Bool {
    if !relationship.isToMany { return true }
    guard let inverse = relationship.inverseName else { return true }
    return (entity, relationship.name) <= (relationship.destinationEntityName, inverse) && relationship.isInverseToMany
  }

  /// Sets columns by the longest way from what nothing refers to, and rows by the order of names.
  private mutating func place() {
    // Going round in a cycle ends after as many steps as there are entities.
    for _ in boxes {
      var isSettled = true
      for edge in edges where edge.from != edge.to && boxes[edge.to].column <= boxes[edge.from].column {
        guard boxes[edge.from].column + 1 < boxes.count else { continue }
        boxes[edge.to].column = boxes[edge.from].column + 1
        isSettled = false
      }
      if isSettled { break }
    }
    let columns = Set(boxes.map(\.column)).sorted()
    var rows: [Int: Int] = [:]
    for index in boxes.indices {
      boxes[index].column = columns.firstIndex(of: boxes[index].column) ?? 0
      boxes[index].row = rows[boxes[index].column, default: 0]
      rows[boxes[index].column, default: 0] += 1
    }
  }

  /// The picture; nil when there is nothing to show.
  var svg: String? {
    guard let columns = boxes.map(\.column).max() else { return nil }
    let heights = (0...columns).map { column in boxes.count { $0.column == column } }
    let rows = heights.max() ?? 1
    let width = 2 * Self.margin + Double(columns + 1) * Self.boxWidth + Double(columns) * Self.columnGap
    let height = 2 * Self.margin + Double(rows) * Self.boxHeight + Double(rows - 1) * Self.rowGap
    func origin(_ box: Box) -> (x: Double, y: Double) {
      let free = Double(rows - heights[box.column]) * (Self.boxHeight + Self.rowGap) / 2
      return (
        Self.margin + Double(box.column) * (Self.boxWidth + Self.columnGap),
        Self.margin + free + Double(box.row) * (Self.boxHeight + Self.rowGap)
      )
    }
    var parts = [
      "<svg viewBox=\"0 0 \(Int(width)) \(Int(height))\" width=\"\(Int(width))\" role=\"img\" aria-label=\"Entities and"
        + " relationships\"><defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\""
        + " markerHeight=\"8\" orient=\"auto\"><path class=\"tip\" d=\"M0 0L8 4L0 8Z\"/></marker></defs>"
    ]
    var labels: [String] = []
    for edge in edges {
      let (from, to) = (origin(boxes[edge.from]), origin(boxes[edge.to]))
      let (path, x, y) = Self.path(from, to, isLoop: edge.from == edge.to)
      parts.append("<path class=\"edge\" d=\"\(path)\" marker-end=\"url(#tip)\"/>")
      let text =
        edge.labels.count > 2
        ? "\(edge.labels[0]) and \(edge.labels.count - 1) more" : edge.labels.joined(separator: ", ")
      labels.append(
        "<text class=\"label\" x=\"\(HTMLText.coordinate(x))\" y=\"\(HTMLText.coordinate(y))\" text-anchor=\"middle\">"
          + "\(HTMLText.escaped(Self.short(text, 24)))</text>")
    }
    for box in boxes { parts.append(Self.picture(box, origin(box))) }
    return (parts + labels).joined() + "</svg>"
  }

  private static func path(
    _ from: (x: Double, y: Double), _ to: (x: Double, y: Double), isLoop: Bool
  ) -> (path: String, x: Double, y: Double) {
    func point(_ x: Double, _ y: Double) -> String { "\(HTMLText.coordinate(x)) \(HTMLText.coordinate(y))" }
    if isLoop {
      let (x, y) = (from.x + boxWidth * 0.68, from.y)
      return (
        "M\(point(x, y))C\(point(x, y - 26)) \(point(x + 40, y - 26)) \(point(x + 40, y))", x + 20, y - 14
      )
    }
    if to.x > from.x {
      let (startX, startY) = (from.x + boxWidth, from.y + boxHeight / 2)
      let (endX, endY) = (to.x, to.y + boxHeight / 2)
      let bend = (endX - startX) / 2
      return (
        "M\(point(startX, startY))C\(point(startX + bend, startY)) \(point(endX - bend, endY)) \(point(endX, endY))",
        (startX + endX) / 2, (startY + endY) / 2 - 6
      )
    }
    // Back to the left, or within a column: below the boxes.
    let (startX, startY) = (from.x + boxWidth / 2, from.y + boxHeight)
    let (endX, endY) = (to.x + boxWidth / 2, to.y + boxHeight)
    let depth = max(startY, endY) + 24
    return (
      "M\(point(startX, startY))C\(point(startX, depth)) \(point(endX, depth)) \(point(endX, endY))",
      (startX + endX) / 2, depth - 4
    )
  }

  private static func picture(_ box: Box, _ origin: (x: Double, y: Double)) -> String {
    let (x, y) = (origin.x, origin.y)
    func line(_ text: String, _ below: Double, _ style: String) -> String {
      "<text class=\"\(style)\" x=\"\(HTMLText.coordinate(x + 12))\" y=\"\(HTMLText.coordinate(y + below))\">"
        + "\(HTMLText.escaped(text))</text>"
    }
    let counts = box.counts
    return "<g><rect class=\"box\" x=\"\(HTMLText.coordinate(x))\" y=\"\(HTMLText.coordinate(y))\""
      + " width=\"\(Int(boxWidth))\" height=\"\(Int(boxHeight))\" rx=\"8\"/>"
      + line(short(box.name, 22), 21, "title")
      + line("\(Figures.grouped(counts.inserted)) inserted", 39, counts.inserted > 0 ? "added" : "soft")
      + line("\(Figures.grouped(counts.updated)) updated", 54, counts.updated > 0 ? "changed" : "soft")
      + line("\(Figures.grouped(counts.unchanged)) unchanged", 69, "soft") + "</g>"
  }

  private static func short(_ text: String, _ most: Int) -> String {
    text.count > most ? text.prefix(most - 1) + "…" : text
  }
}

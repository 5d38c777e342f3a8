/// Places boxes in columns and rows, and leads edges between them only where no box can be.
///
/// Boxes stand in the cells of a grid. Between the columns are gaps, between the rows corridors, and every edge goes along
/// these: out of the right side of its box into the gap there, if need be by the corridor next to its target, and into the
/// target's left side. Edges to one target share their lanes, so that they join like the roots of a tree; others have lanes
/// of their own. As wide and high as their lanes need, gaps and corridors hold no box, so no edge is over one.
struct DiagramLayout {
  struct Point: Equatable {
    var x: Double
    var y: Double
  }

  struct Box {
    var height: Double
    var column = 0
    var row = 0
    /// The upper left corner.
    var origin = Point(x: 0, y: 0)
  }

  struct Edge {
    var from: Int
    var to: Int
    /// How far below the upper side of its box it begins.
    var port: Double
    /// Its corners, from its beginning to its end.
    var points: [Point] = []
  }

  private(set) var boxes: [Box]
  private(set) var edges: [Edge]
  private(set) var width = 0.0
  private(set) var height = 0.0

  static let boxWidth = 190.0
  /// How far below the upper side of a box edges end.
  static let entry = 20.0
  /// The same for edges from a box to itself, which come from the right, where edges to the next column pass.
  static let loopEntry = 46.0
  private static let lane = 9.0
  private static let margin = 16.0

  /// Lays out boxes.
  ///
  /// - Parameters:
  ///   - heights: The heights of the boxes, in the order in which they stand where nothing else decides.
  ///   - edges: Edges between boxes; one from a box to itself is a loop.
  /// - Complexity: O((boxes + edges) × rounds of ordering), of which there are eight.
  init(heights: [Double], edges: [Edge]) {
    boxes = heights.map { Box(height: $0) }
    self.edges = edges
    guard !boxes.isEmpty else { return }
    if edges.isEmpty { spread() } else { rank() }
    order()
    route()
  }

  // MARK: Columns and rows

  /// Boxes without edges, in lines of five.
  private mutating func spread() {
    for index in boxes.indices { (boxes[index].column, boxes[index].row) = (index % 5, index / 5) }
  }

  /// Sets columns: what refers to others stands on the left of them, and as near to them as it can.
  private mutating func rank() {
    var targets: [[Int]] = Array(repeating: [], count: boxes.count)
    for edge in edges where edge.from != edge.to && !targets[edge.from].contains(edge.to) {
      targets[edge.from].append(edge.to)
    }
    // Edges back to a box that is open in a depth-first walk close a cycle, and do not count.
    var state = Array(repeating: 0, count: boxes.count)
    var finished: [Int] = []
    var forward = Array(repeating: [Int](), count: boxes.count)
    let roots = boxes.indices.sorted { one, other in
      let (first, second) = (edges.count { $0.to == one }, edges.count { $0.to == other })
      return (first, one) < (second, other)
    }
    for root in roots where state[root] == 0 {
      var open = [(box: root, next: 0)]
      state[root] = 1
      while let (box, next) = open.last {
        guard next < targets[box].count else {
          state[box] = 2
          finished.append(box)
          open.removeLast()
          continue
        }
        open[open.count - 1].next += 1
        let target = targets[box][next]
        if state[target] != 1 { forward[box].append(target) }
        if state[target] == 0 {
          state[target] = 1
          open.append((target, 0))
        }
      }
    }
    for box in finished.reversed() {
      for target in forward[box] { boxes[target].column = max(boxes[target].column, boxes[box].column + 1) }
    }
    for box in finished {
      guard let nearest = forward[box].map({ boxes[$0].column }).min() else { continue }
      boxes[box].column = max(boxes[box].column, nearest - 1)
    }
    let columns = Set(boxes.map(\.column)).sorted()
    for index in boxes.indices { boxes[index].column = columns.firstIndex(of: boxes[index].column) ?? 0 }
  }

  /// Sets rows: boxes stand near those that they are joined to.
  private mutating func order() {
    guard !edges.isEmpty else { return }
    let columns = (boxes.map(\.column).max() ?? 0) + 1
    var order = (0..<columns).map { column in boxes.indices.filter { boxes[$0].column == column } }
    var neighbours: [[Int]] = Array(repeating: [], count: boxes.count)
    for edge in edges where edge.from != edge.to {
      neighbours[edge.from].append(edge.to)
      neighbours[edge.to].append(edge.from)
    }
    var place = Array(repeating: 0.0, count: boxes.count)
    func note() {
      for list in order {
        for (row, box) in list.enumerated() { place[box] = (Double(row) + 0.5) / Double(list.count) }
      }
    }
    note()
    for round in 0..<8 {
      for column in round.isMultiple(of: 2) ? Array(0..<columns) : Array((0..<columns).reversed()) {
        let wanted = order[column].map { box -> (box: Int, place: Double) in
          let around = neighbours[box].map { place[$0] }
          return (box, around.isEmpty ? place[box] : around.reduce(0, +) / Double(around.count))
        }
        order[column] = wanted.sorted { ($0.place, $0.box) < ($1.place, $1.box) }.map(\.box)
        note()
      }
    }
    let rows = order.map(\.count).max() ?? 1
    for list in order {
      let first = (rows - list.count) / 2
      for (row, box) in list.enumerated() { boxes[box].row = first + row }
    }
  }

  // MARK: Lanes

  /// A gap or a corridor by its number, and the target of the edges that go along it.
  private struct Lane: Hashable {
    var place: Int
    var target: Int
  }

  private func isDirect(_ edge: Edge) -> Bool { boxes[edge.to].column == boxes[edge.from].column + 1 }

  /// The corridor by which an edge comes to its target: above or below it, whichever is nearer.
  private func corridor(_ edge: Edge) -> Int {
    boxes[edge.from].row <= boxes[edge.to].row ? boxes[edge.to].row : boxes[edge.to].row + 1
  }

  private mutating func route() {
    let columns = (boxes.map(\.column).max() ?? 0) + 1
    let rows = (boxes.map(\.row).max() ?? 0) + 1
    var inGaps = Set<Lane>()
    var inCorridors = Set<Lane>()
    for edge in edges {
      inGaps.insert(Lane(place: boxes[edge.from].column + 1, target: edge.to))
      guard edge.from != edge.to, !isDirect(edge) else { continue }
      inGaps.insert(Lane(place: boxes[edge.to].column, target: edge.to))
      inCorridors.insert(Lane(place: corridor(edge), target: edge.to))
    }
    func numbers(_ lanes: Set<Lane>, _ count: Int) -> (lane: [Lane: Int], counts: [Int]) {
      var numbers: [Lane: Int] = [:]
      var counts = Array(repeating: 0, count: count)
      for lane in lanes.sorted(by: { (boxes[$0.target].row, $0.target) < (boxes[$1.target].row, $1.target) }) {
        numbers[lane] = counts[lane.place]
        counts[lane.place] += 1
      }
      return (numbers, counts)
    }
    let (gapLanes, gapCounts) = numbers(inGaps, columns + 1)
    let (corridorLanes, corridorCounts) = numbers(inCorridors, rows + 1)
    var gapStarts: [Double] = []
    var x = 0.0
    for gap in 0...columns {
      gapStarts.append(x)
      x += 2 * Self.margin + Double(max(gapCounts[gap] - 1, 0)) * Self.lane
      if gap < columns { x += Self.boxWidth }
    }
    var corridorStarts: [Double] = []
    var y = 0.0
    for corridor in 0...rows {
      corridorStarts.append(y)
      y += 2 * Self.margin * 0.7 + Double(max(corridorCounts[corridor] - 1, 0)) * Self.lane
      if corridor < rows { y += boxes.filter { $0.row == corridor }.map(\.height).max() ?? 0 }
    }
    (width, height) = (x, y)
    func gapEnd(_ gap: Int) -> Double {
      gapStarts[gap] + 2 * Self.margin + Double(max(gapCounts[gap] - 1, 0)) * Self.lane
    }
    func corridorEnd(_ corridor: Int) -> Double {
      corridorStarts[corridor] + 2 * Self.margin * 0.7 + Double(max(corridorCounts[corridor] - 1, 0)) * Self.lane
    }
    for index in boxes.indices {
      boxes[index].origin = Point(x: gapEnd(boxes[index].column), y: corridorEnd(boxes[index].row))
    }
    func laneX(_ gap: Int, _ target: Int) -> Double {
      gapStarts[gap] + Self.margin + Double(gapLanes[Lane(place: gap, target: target)] ?? 0) * Self.lane
    }
    func laneY(_ corridor: Int, _ target: Int) -> Double {
      corridorStarts[corridor] + Self.margin * 0.7
        + Double(corridorLanes[Lane(place: corridor, target: target)] ?? 0) * Self.lane
    }
    for index in edges.indices {
      let edge = edges[index]
      let (from, to) = (boxes[edge.from], boxes[edge.to])
      let start = Point(x: from.origin.x + Self.boxWidth, y: from.origin.y + edge.port)
      let out = laneX(from.column + 1, edge.to)
      let end = Point(
        x: edge.from == edge.to ? start.x : to.origin.x,
        y: to.origin.y + (edge.from == edge.to ? Self.loopEntry : Self.entry))
      var points = [start, Point(x: out, y: start.y)]
      if edge.from != edge.to, !isDirect(edge) {
        let way = laneY(corridor(edge), edge.to)
        let into = laneX(to.column, edge.to)
        points += [Point(x: out, y: way), Point(x: into, y: way), Point(x: into, y: end.y)]
      } else {
        points.append(Point(x: out, y: end.y))
      }
      edges[index].points = points + [end]
    }
  }
}

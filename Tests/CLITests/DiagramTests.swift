import MergewalkTestSupport
import Testing

@testable import mergewalk

/// Where the report's picture of entities puts boxes and edges.
@Suite("Diagrams")
struct DiagramTests {
  private typealias Point = DiagramLayout.Point

  /// A random model: `count` entities, each with some relationships.
  private func layout(_ random: inout SeededGenerator, count: Int) -> DiagramLayout {
    var heights: [Double] = []
    var edges: [DiagramLayout.Edge] = []
    for box in 0..<count {
      let lines = Int.random(in: 0...4, using: &random)
      heights.append(84 + Double(lines) * 16)
      for line in 0..<lines {
        // Hubs, loops and cycles included.
        let target = Int.random(in: 0..<(Bool.random(using: &random) ? count : max(1, count / 6)), using: &random)
        edges.append(.init(from: box, to: target, port: 86 + Double(line) * 16))
      }
    }
    return DiagramLayout(heights: heights, edges: edges)
  }

  @Test("no edge is over a box, no box over another, and all is inside of the picture", arguments: 1...40)
  func clear(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let layout = layout(&random, count: Int.random(in: 1...60, using: &random))
    let boxes = layout.boxes.map { box in
      (
        left: box.origin.x, right: box.origin.x + DiagramLayout.boxWidth, top: box.origin.y,
        bottom: box.origin.y + box.height
      )
    }
    for (index, box) in boxes.enumerated() {
      #expect(box.left >= 0 && box.top >= 0 && box.right <= layout.width && box.bottom <= layout.height, "seed \(seed)")
      for other in boxes[..<index] {
        let isApart =
          box.right < other.left || other.right < box.left || box.bottom < other.top || other.bottom < box.top
        #expect(isApart, "seed \(seed)")
      }
    }
    for edge in layout.edges {
      for (start, end) in zip(edge.points, edge.points.dropFirst()) {
        #expect(start.x == end.x || start.y == end.y, "seed \(seed): edges go along or across")
        let (left, right) = (min(start.x, end.x), max(start.x, end.x))
        let (top, bottom) = (min(start.y, end.y), max(start.y, end.y))
        #expect(left >= 0 && top >= 0 && right <= layout.width && bottom <= layout.height, "seed \(seed)")
        for box in boxes {
          let isOver = right > box.left && left < box.right && bottom > box.top && top < box.bottom
          #expect(!isOver, "seed \(seed): \(edge) is over \(box)")
        }
      }
      // It begins and ends at its own boxes.
      #expect(edge.points.first?.x == boxes[edge.from].right)
      #expect(edge.points.last.map { $0.x == boxes[edge.to].left || edge.from == edge.to } == true)
    }
  }

  @Test("edges to different targets do not run on one line", arguments: 1...20)
  func lanes(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let layout = layout(&random, count: 30)
    for (index, edge) in layout.edges.enumerated() {
      for other in layout.edges[..<index] where other.to != edge.to {
        for (a, b) in zip(edge.points, edge.points.dropFirst()) {
          for (c, d) in zip(other.points, other.points.dropFirst()) {
            let isAlong =
              a.x == b.x && c.x == d.x && a.x == c.x
              && max(min(a.y, b.y), min(c.y, d.y)) < min(max(a.y, b.y), max(c.y, d.y))
            let isAcross =
              a.y == b.y && c.y == d.y && a.y == c.y
              && max(min(a.x, b.x), min(c.x, d.x)) < min(max(a.x, b.x), max(c.x, d.x))
            #expect(!isAlong && !isAcross, "seed \(seed): \(edge), \(other)")
          }
        }
      }
    }
  }

  @Test("what refers stands left of what it refers to, unless they refer to each other") func columns() {
    let chain = DiagramLayout(
      heights: [90, 90, 90, 90],
      edges: [.init(from: 0, to: 1, port: 80), .init(from: 1, to: 2, port: 80), .init(from: 2, to: 1, port: 80)])
    #expect(chain.boxes[0].column < chain.boxes[1].column && chain.boxes[1].column < chain.boxes[2].column)
    let alone = DiagramLayout(heights: Array(repeating: 84, count: 12), edges: [])
    #expect(alone.boxes.map(\.column).max() == 4 && alone.boxes.map(\.row).max() == 2)
    #expect(DiagramLayout(heights: [], edges: []).boxes.isEmpty)
  }
}

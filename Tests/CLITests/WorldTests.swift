import Foundation
import MergewalkTestSupport
import Testing

@Suite("Default data of the world")
struct WorldTests {
  @Test func `a seeded store is the same each time, sound, and knows both ends of its relationships`() throws {
    let folder = TemporaryFolder()
    let pipeline = Locations.repository + "/pipelines/world/world.yaml"
    for name in ["a.sqlite", "b.sqlite"] {
      let seed = try Command(["seed", pipeline, "--store", name, "--quiet"], in: folder.path)
      #expect(seed.status == 0 && seed.output + seed.words == "", "\(seed.words)")
    }
    let (a, b) = (URL(fileURLWithPath: folder.file("a.sqlite")), URL(fileURLWithPath: folder.file("b.sqlite")))
    #expect(try Data(contentsOf: a) == Data(contentsOf: b))
    try PipelineSet.expectSound(folder.file("a.sqlite"), model: "world")
    let rows = try Command(
      ["fetch", "a.sqlite", "--entity", "Language", "--columns", "code,countries.@count", "--sort", "code"],
      in: folder.path)
    #expect(rows.lines.contains("de,4") && rows.lines.contains("dz,1"), "\(rows.output)\(rows.words)")
  }
}

import Foundation
import ObjectModel
import ObjectStore
import SQLite
import TestSupport
import Testing

@Suite("Crashes in the middle of a run")
struct CrashTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("zoo.sqlite") }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test("a killed run leaves no half store, and the next one tidies up")
  func newStore() async throws {
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let file = try StoreFile.create(path: path, model: try Models.zoo())
      try file.connection.execute("INSERT INTO ZZOO (Z_PK, Z_ENT, Z_OPT) VALUES (1, 5, 1)")
      kill(getpid(), SIGKILL)
    }
    let left = try names()
    #expect(left.count == 1 && left[0].hasPrefix(".zoo.sqlite.mergewalk-"))
    let file = try StoreFile.create(path: path, model: try Models.zoo())
    try file.finish()
    #expect(try names() == ["zoo.sqlite"])
  }

  @Test("a killed run over an existing store keeps whole batches only")
  func existingStore() async throws {
    try StoreFile.create(path: path, model: try Models.zoo()).finish()
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let file = try StoreFile.open(path: path, model: try Models.zoo())
      for batch in 0..<2 {
        try file.begin()
        for key in 1...500 {
          try file.connection.execute("INSERT INTO ZZOO (Z_PK, Z_ENT, Z_OPT) VALUES (\(batch * 500 + key), 5, 1)")
        }
        try file.writeMaxima([(rootEntity: 4, maximum: Int64(batch + 1) * 500)])
        if batch == 0 { try file.commit() }
      }
      kill(getpid(), SIGKILL)
    }
    let model = try Models.zoo()
    let report = try StoreVerifier.verify(path: path, model: model)
    #expect(report.isSound)
    #expect(report.checkedRows == 500)
    let file = try StoreFile.open(path: path, model: model)
    #expect(try file.maximumPrimaryKey(forRoot: 4) == 500)
    try file.finish()
    #expect(try names() == ["zoo.sqlite"])
  }
}

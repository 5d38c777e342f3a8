import Foundation
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

@Suite("Real stores, copied", .enabled(if: Locations.shared != nil))
struct RealCopyTests {
  private let folder = TemporaryFolder()

  private func count(_ path: String) throws -> [Int] { try StoreInfo.read(path: path).entities.map(\.objects) }

  @Test(
    "IM16: as a file, every byte when no log is beside it, and the same content when there is", arguments: RealStore.all
  )
  func im16File(_ real: RealStore) throws {
    let original = try real.copy(to: folder)
    let copy = folder.file("copy-of-it.sqlite")
    let result = try StoreCopy.copy(original, to: copy)
    #expect(result.isByteEqual == !FileManager.default.fileExists(atPath: original + "-wal"))
    if result.isByteEqual { #expect(FileManager.default.contentsEqual(atPath: original, andPath: copy)) }
    #expect(try count(copy) == count(original))
    #expect(try StoreMetadata.read(path: copy).uuid == StoreMetadata.read(path: original).uuid)
  }

  @Test("IM16: object by object, beside those of the store itself", arguments: RealStore.withModel)
  func im16Objects(_ real: RealStore) throws {
    let original = try real.copy(to: folder)
    let store = folder.file("mine.sqlite")
    let model = try #require(try real.readModel())
    try StoreFile.create(path: store, model: model).finish()
    var first = ObjectCopy(from: original, to: store)
    first.sourceModel = model
    _ = try first.run()
    #expect(try count(store) == count(original))
    #expect(try StoreVerifier.verify(path: store).isSound)
    // A second time: what is unique cannot be there twice, and then nothing is; else all are.
    let before = try Data(contentsOf: URL(fileURLWithPath: store))
    let objects = Dictionary(
      uniqueKeysWithValues: try StoreInfo.read(path: store).entities.map { ($0.name, $0.objects) })
    let isUnique = model.entities.contains { !$0.uniquenessConstraints.isEmpty && objects[$0.name, default: 0] > 0 }
    if isUnique {
      let error = #expect(throws: StoreError.self) { try first.run() }
      #expect(error?.cause?.kind.isConstraint == true)
      #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
    } else {
      _ = try first.run()
      #expect(try count(store) == count(original).map { 2 * $0 })
      #expect(try StoreVerifier.verify(path: store).isSound)
    }
  }
}

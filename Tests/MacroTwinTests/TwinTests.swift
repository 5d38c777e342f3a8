import Foundation
import MergewalkObjects
import MergewalkTestSupport
import Testing

/// The classes in `Generated`, which `mergewalk model codegen` made of Tests/MacrosTests/Library.xcdatamodel.
@Suite("Classes of code generation beside those of macros")
struct TwinTests {
  private static let file = Locations.repository + "/Tests/MacrosTests/Library.xcdatamodel"

  @Test("The source that uses the classes of @Managed uses those of code generation")
  func use() throws {
    let model = try ManagedObjectModel(ModelReader.read(Self.file))
    try model.register([Author.self, Book.self, Publication.self, Shelf.self])
    let said = try LibraryUse.run(model)
    #expect(said == LibraryUse.words, "\(said)")
  }

  @Test("The classes are what code generation makes of the file")
  func upToDate() throws {
    let model = try ManagedObjectModel(ModelReader.read(Self.file))
    for file in try CodeGenerator(model).files where file.name.hasSuffix("+CoreDataProperties.swift") {
      let written = try String(
        contentsOfFile: Locations.repository + "/Tests/MacroTwinTests/Generated/\(file.name)", encoding: .utf8)
      #expect(written == file.text)
    }
  }
}

import Foundation
import MergewalkTestSupport
import Testing

@Suite("mergewalk store")
struct StoreCommandTests {
  let folder = TemporaryFolder()

  @Test("what is no store exits with 2 and says why", arguments: ["info", "verify"])
  func noStore(_ command: String) throws {
    let missing = try Command(["store", command, "none.sqlite"], in: folder.path)
    #expect(missing.status == 2)
    #expect(missing.output == "")
    #expect(missing.words.hasPrefix("none.sqlite: error: "), "\(missing.words)")
    #expect(missing.words.hasSuffix("[notFound]\n"))

    try folder.write("no database, only text", to: "text.sqlite")
    let text = try Command(["store", command, "text.sqlite"], in: folder.path)
    #expect(text.status == 2, "\(text.output) \(text.words)")
    #expect(text.words.hasSuffix("[notADatabase]\n"), "\(text.words)")
  }

  @Test("real stores have numbers and are sound", .enabled(if: Locations.shared != nil))
  func realStore() throws {
    let store = Locations.shared("coredata/plaso/DataUsage.sqlite")
    let info = try Command(["store", "info", store, "--json"], in: folder.path)
    #expect(info.status == 0)
    let object = try info.object()
    #expect(object["uuid"] as? String == "78771074-CDF9-407D-BC49-72EB4E613503")
    let entities = try #require(object["entities"] as? [String: [String: Any]])
    #expect(entities["LiveUsage"]?["objects"] as? Int == 887)
    #expect(entities["LiveUsage"]?["maximum"] as? Int == 1766)

    let verify = try Command(["store", "verify", store], in: folder.path)
    #expect(verify.status == 0)
    #expect(verify.words == "\(store): sound, 1,258 rows checked\n")
  }

  @Test("the wrong model is an error of the store", .enabled(if: Locations.shared != nil))
  func wrongModel() throws {
    let store = Locations.shared("coredata/plaso/DataUsage.sqlite")
    let model = Locations.fixtures + "/shop/Shop.xcdatamodeld"
    let command = try Command(["store", "verify", store, "--model", model, "--json"], in: folder.path)
    #expect(command.status == 1)
    #expect(try command.object()["sound"] as? Bool == false)
    #expect(command.output.contains("\"code\": \"modelHashes\""))
    #expect(try Command(["store", "verify", store, "--model", "none.yaml"], in: folder.path).status == 2)
  }
}

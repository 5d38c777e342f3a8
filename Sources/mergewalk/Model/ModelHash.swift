import ArgumentParser
import MergewalkBytes
import MergewalkObjectModel

/// `mergewalk model hash`: the version hashes that Core Data compares when it opens a store.
struct ModelHash: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hash",
    abstract: "Print the version hash of every entity, and the digest and checksum of the model.",
    discussion: HelpText.flow(
      """
      One line per entity: its name, a tab, 64 hexadecimal digits. Then "digest" (NSStoreModelVersionHashesDigest) and \
      "checksum" (NSStoreModelVersionChecksumKey), each with a tab and base64.

      EXAMPLES
        mergewalk model hash Shop.xcdatamodeld
        mergewalk model hash model.yaml | grep Order
      """))

  @OptionGroup var options: ModelOptions

  func run() throws {
    let model = try options.load()
    for (name, hash) in model.versionHashes { Console.data("\(name)\t\(Hexadecimal.text(hash))") }
    Console.data("digest\t\(model.versionHashesDigest)")
    Console.data("checksum\t\(model.versionChecksum)")
  }
}

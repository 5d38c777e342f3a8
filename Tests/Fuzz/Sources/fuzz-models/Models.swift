import FileFuzzing
import MergewalkObjects

private let folder = FuzzFolder()

/// Called by libFuzzer with bytes that it varies: the first chooses a format, the others are a model's file.
///
/// Reading ends in a model or in findings that say something. A model without errors is written in each format, and what
/// is read back has the same version hashes: an app that gets the file opens the same stores.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzModels(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: data, count: count)
  guard let format = bytes.first else { return 0 }
  folder.empty()
  let names = ["Model.xcdatamodel/contents", "Model.yaml", "Model.mom"]
  guard let model = model(folder.write(names[Int(format) % names.count], bytes.dropFirst())) else { return 0 }
  let xml = ModelWriter.xml(model.draft)
  // What no XML document may have, `model convert` refuses to write.
  if ModelWriter.invalidXMLCharacter(in: xml) == nil {
    check(model, folder.write("Again.xcdatamodel/contents", xml.utf8))
  }
  check(model, folder.write("Again.yaml", ModelWriter.yaml(model.draft).utf8))
  let compiled = ModelWriter.compiled(model)
  if compiled.leftOut.isEmpty { check(model, folder.write("Again.mom", compiled.bytes)) }
  return 0
}

/// The model of a file, when nothing is wrong with it.
private func model(_ path: String) -> ManagedObjectModel? {
  do throws(DiagnosticList) {
    return try ManagedObjectModel(ModelReader.read(path))
  } catch {
    require(!error.diagnostics.isEmpty, "refused without a finding")
    for finding in error.diagnostics { require(!finding.message.isEmpty, "a finding without words: \(finding.code)") }
    return nil
  }
}

private func check(_ model: ManagedObjectModel, _ path: String) {
  let again: ManagedObjectModel
  do throws(DiagnosticList) { again = try ManagedObjectModel(ModelReader.read(path)) } catch {
    preconditionFailure("\(path) cannot be read: \(error)")
  }
  let (old, new) = (model.versionHashes, again.versionHashes)
  require(old.map(\.name) == new.map(\.name), "\(path) has other entities")
  require(old.map(\.hash) == new.map(\.hash), "\(path) has other hashes")
}

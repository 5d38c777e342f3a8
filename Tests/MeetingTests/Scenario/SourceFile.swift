/// A file that the source names, with what is in it.
struct SourceFile: Sendable {
  var name: String
  var container: Container
  /// The numbers of the files of records that it holds, or that it is; nil for one with nothing in it.
  var members: [Int?]
  /// Members of an archive that are not read.
  var strays: [Container.Member] = []
}

extension Scenario {
  /// The files that the source names, in their order.
  ///
  /// Of one archive the file with nothing in it is a member; of several it has one of its own.
  var sourceFiles: [SourceFile] {
    let share = archives == 0 ? 1 : (fileCount + archives - 1) / archives
    var files = stride(from: 0, to: fileCount, by: share).enumerated().map { number, first in
      SourceFile(
        name: fileName("items-\(number)") + container.suffix, container: container,
        members: (first..<min(first + share, fileCount)).map { Optional($0) })
    }
    switch emptyFile {
    case nil: break
    case .first where archives == 1: files[0].members.insert(nil, at: 0)
    case .last where archives == 1: files[0].members.append(nil)
    case let place?:
      let packing = archives == 0 ? Container.plain : container
      let empty = SourceFile(name: fileName("nothing") + packing.suffix, container: packing, members: [nil])
      files.insert(empty, at: place == .first ? 0 : files.count)
    }
    guard archives > 0 else { return files }
    for index in files.indices {
      // What macOS adds, and what the pattern of several archives does not choose.
      let fork = Array("__MACOSX/._\(fileName("items-0"))".utf8)
      files[index].strays.append(Container.Member(name: fork, bytes: [0, 5, 22, 7]))
      if archives == 1 { continue }
      files[index].strays.append(Container.Member(name: Array("read.me".utf8), bytes: Array("words".utf8)))
    }
    return files
  }

  /// The name of a file of records, or of the one with nothing in it, where it is a member of an archive.
  ///
  /// A byte that is not UTF-8 is spelt out, unless it has a meaning in the older encoding of zip archives.
  func memberName(_ number: Int?) -> String {
    let foreign = hasForeignNames ? container == .zip ? "é" : "\\x82" : ""
    return foreign + fileName(number.map { "items-\($0)" } ?? "nothing")
  }

  /// The same as the archive has it.
  func memberBytes(_ number: Int?) -> [UInt8] {
    let foreign: [UInt8] = hasForeignNames ? [0x82] : []
    return foreign + Array(fileName(number.map { "items-\($0)" } ?? "nothing").utf8)
  }

  /// What the pipeline says of the members to read.
  var chosenMembers: [String] {
    if archives > 1 { return ["*." + format.rawValue] }
    return hasForeignNames ? sourceFiles.flatMap { $0.members.map { memberName($0) } } : ["*"]
  }

  /// The names by which rejects tell the files of records.
  var recordFiles: [String] {
    archives > 0 ? (0..<fileCount).map { memberName($0) } : sourceFiles.filter { $0.members != [nil] }.map(\.name)
  }

  private func fileName(_ name: String) -> String { name + "." + format.rawValue }
}

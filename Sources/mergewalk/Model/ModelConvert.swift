import ArgumentParser
import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkObjectStore

/// `mergewalk model convert`: a model in the other of the two formats.
struct ModelConvert: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert a model between Xcode's XML and YAML without loss, or compile it.",
    discussion: HelpText.flow(
      """
      Without --to, the output's name tells the format; without --output, YAML becomes XML and everything else YAML, \
      and the text goes to standard output. An output that ends in .xcdatamodel or .xcdatamodeld becomes the folder \
      that Xcode expects. One that ends in .mom or .momd is compiled; anything that a compiled model cannot hold is \
      reported.

      EXAMPLES
        mergewalk model convert Shop.xcdatamodeld > Shop.yaml
        mergewalk model convert Shop.yaml --output Shop.xcdatamodeld
        mergewalk model convert Shop.yaml --output Shop.momd
      """))

  /// The formats in which a model can be written.
  enum Format: String, ExpressibleByArgument, CaseIterable, OutputFormat {
    case yaml, xml, mom

    static var extensions: KeyValuePairs<String, [Format]> {
      [
        "yaml": [.yaml], "yml": [.yaml], "xcdatamodel": [.xml], "xcdatamodeld": [.xml], "xml": [.xml], "mom": [.mom],
        "momd": [.mom],
      ]
    }
  }

  @OptionGroup var options: ModelOptions

  @Option(help: "The format to write.")
  var to: Format?

  @Option(help: ArgumentHelp("The file or folder to write; it must not exist.", valueName: "path"), completion: .file())
  var output: String?

  func run() throws {
    let draft = try FindingsOutput.orFail { () throws(DiagnosticList) in
      try StoreModel.draft(at: options.model, version: options.version)
    }
    let findings = DiagnosticList(ModelLint.check(draft)).diagnostics
    FindingsOutput.words(findings)
    // Writing a model that says nothing clear would hide what it says wrongly.
    if findings.contains(where: { $0.severity == .error }) { throw ExitStatus.failure }
    if format == .mom { return try compile(draft) }
    let text = format == .yaml ? ModelWriter.yaml(draft) : try xml(draft)
    guard let output else {
      Console.rawData(text)
      return
    }
    try FindingsOutput.orFail { () throws(DiagnosticList) in
      let place = Self.place(of: output, version: draft.name)
      if let name = place.name {
        try OutputFolder.create(place.path, [(name: name, bytes: Array(text.utf8))])
      } else {
        try Folders.createParents(of: place.path)
        try OutputFile.create(place.path, text)
      }
      Console.words("wrote \(place.path)\(place.name.map { "/" + $0 } ?? "")")
    }
  }

  /// The model as XML, which is refused where a text of it has a character that XML cannot have.
  private func xml(_ draft: ModelDraft) throws -> String {
    let text = ModelWriter.xml(draft)
    guard let invalid = ModelWriter.invalidXMLCharacter(in: text) else {
      for item in ModelWriter.leftOutOfXML(draft) {
        Console.words("\(output ?? options.model): warning: \(item) is not in the XML, which has no word for it")
      }
      return text
    }
    let number = String(invalid.value, radix: 16, uppercase: true)
    FindingsOutput.words([
      Diagnostic(
        .error, code: "xmlCharacter", path: options.model, position: .file,
        message: "a text of the model has the character U+\(number), which XML cannot have",
        hint: "write YAML, or a compiled model")
    ])
    throw ExitStatus.failure
  }

  /// What is asked for, what the output's name tells, else the other of the two texts.
  private var format: Format {
    to ?? output.flatMap(Format.init(path:)) ?? (Format(path: options.model) == .yaml ? .xml : .yaml)
  }

  func validate() throws {
    try Format.check(output: output, to, by: "--to")
    if format == .mom, output.flatMap(Format.init(path:)) != .mom {
      throw ValidationError("--to mom needs --output with a name that ends in .mom or .momd")
    }
  }

  /// Writes the compiled form.
  private func compile(_ draft: ModelDraft) throws {
    let output = Self.place(of: self.output ?? "", version: draft.name).path
    try FindingsOutput.orFail { () throws(DiagnosticList) in
      let model = try ManagedObjectModel(draft)
      let compiled = ModelWriter.compiled(model)
      for item in compiled.leftOut { Console.words("\(output): warning: \(item) is not in the compiled model") }
      for entity in model.entities {
        for attribute in entity.compositeAttributes {
          Console.words(
            "\(output): warning: how Core Data archives composite attributes is not known; it may not find the elements of"
              + " “\(entity.name).\(attribute.name)”")
        }
      }
      let file: String
      if output.hasSuffix(".momd") {
        let stem = output.split(separator: "/").last.map { String($0.dropLast(5)) } ?? "Model"
        let version = draft.name.isEmpty ? stem : draft.name
        file = "\(output)/\(version).mom"
        let info = ModelWriter.versionInfo(model, version: version)
        let files: [OutputFolder.File] = [
          (name: "VersionInfo.plist", bytes: info), (name: "\(version).mom", bytes: compiled.bytes),
        ]
        try OutputFolder.create(output, files)
      } else {
        file = output
        try Folders.createParents(of: file)
        try OutputFile.create(file, bytes: compiled.bytes)
      }
      Console.words("wrote \(file)")
    }
  }

  /// The file that holds the model's text when `output` is what the user wants to have; with its name in it, when that is
  /// a folder.
  private static func place(of output: String, version: String) -> (path: String, name: String?) {
    var output = output
    while output.count > 1, output.hasSuffix("/") { output.removeLast() }
    if output.hasSuffix(".xcdatamodel") { return (output, "contents") }
    guard output.hasSuffix(".xcdatamodeld") else { return (output, nil) }
    let stem = output.split(separator: "/").last?.dropLast(".xcdatamodeld".count) ?? "Model"
    return (output, "\(version.isEmpty ? String(stem) : version).xcdatamodel/contents")
  }
}

import ArgumentParser
import MergewalkDiagnostics
import MergewalkImporting
import MergewalkObjectModel

/// `mergewalk model codegen`: Swift classes for the entities of a model.
struct ModelCodegen: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "codegen",
    abstract: "Write Swift classes for the entities of a model, as Xcode does.",
    discussion: HelpText.flow(
      """
      Each class gets two files: Name+CoreDataClass.swift, which is never overwritten, and \
      Name+CoreDataProperties.swift with its properties, fetch requests and accessors, which is replaced. \
      Entities without a class get none. With --check, nothing is written, and the exit code is 1 if a file is \
      missing or out of date.

      EXAMPLES
        mergewalk model codegen Shop.xcdatamodeld --output Sources/Shop/Model
        mergewalk model codegen Shop.xcdatamodeld --output Sources/Shop/Model --check
        mergewalk model codegen Shop.yaml --entity Customer --entity Order
        mergewalk model codegen Shop.yaml --style coredata --output App/Model
      """))

  @OptionGroup var options: ModelOptions

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("The folder to write to; it is created if necessary.", valueName: "folder"),
    completion: .directory)
  var output = "."

  @Option(help: "The kind of classes: mergewalk, or coredata for subclasses of NSManagedObject in an app.")
  var style = CodegenStyle.mergewalk

  @Option(help: ArgumentHelp("Write only this entity; may be repeated.", valueName: "name"))
  var entity: [String] = []

  @Flag(help: "Leave out the class files, whatever the model says.")
  var category = false

  @Flag(help: "Leave out entities with manual code generation, as Xcode's builds do.")
  var skipManual = false

  @Flag(help: "Write nothing; report files that are not up to date.")
  var check = false

  func validate() throws { try OptionPaths.check(written: ("--output", output), cure: "name a folder") }

  func run() throws {
    var settings = CodeGenerator.Options()
    settings.style = style == .coredata ? .coredata : .mergewalk
    settings.entityNames = entity
    settings.propertiesOnly = category
    settings.skipsManual = skipManual
    let model = try options.load()
    do throws(DiagnosticList) {
      let generator = try CodeGenerator(model, options: settings)
      FindingsOutput.words(generator.findings)
      try (check ? compare(generator.files) : write(generator.files))
    } catch {
      FindingsOutput.words(error.diagnostics)
      throw check && error.diagnostics.allSatisfy { $0.code == "outOfDate" } ? ExitStatus.findings : ExitStatus.failure
    }
  }

  private func path(_ file: GeneratedFile) -> String { (output.hasSuffix("/") ? output : output + "/") + file.name }

  private func write(_ files: [GeneratedFile]) throws(DiagnosticList) {
    var (written, kept) = (0, 0)
    for file in files {
      let path = path(file)
      let present = try TextFile.read(path)
      // A class file is a person's own as soon as it is there.
      if present == Array(file.text.utf8) || (present != nil && file.kind == .classFile) {
        kept += 1
        continue
      }
      try Folders.createParents(of: path)
      try TextFile.replace(path, file.text, as: .text)
      Console.words("wrote \(path)")
      written += 1
    }
    Console.words("\(Figures.count(written, "file")) written, \(kept) kept")
  }

  private func compare(_ files: [GeneratedFile]) throws(DiagnosticList) {
    var findings: [Diagnostic] = []
    for file in files {
      let present = try TextFile.read(path(file))
      if present == nil || (file.kind == .properties && present != Array(file.text.utf8)) {
        findings.append(
          Diagnostic(
            .error, code: "outOfDate", path: path(file), position: .file,
            message: present == nil ? "the file is missing" : "the file differs from what the model generates",
            hint: "run mergewalk model codegen without --check"))
      }
    }
    guard findings.isEmpty else { throw DiagnosticList(findings) }
    Console.words("\(Figures.count(files.count, "file")) up to date")
  }
}

/// Whose classes are made, on the command line.
enum CodegenStyle: String, ExpressibleByArgument, CaseIterable {
  case mergewalk, coredata
}

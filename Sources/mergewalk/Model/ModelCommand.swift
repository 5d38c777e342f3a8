import ArgumentParser
import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkObjectStore

/// `mergewalk model`: look at data models.
struct ModelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "model",
    abstract: "Show, check, hash and convert data models, and write classes for them.",
    discussion: HelpText.flow(
      """
      A model is an .xcdatamodeld or .xcdatamodel folder made by Xcode, the file "contents" in it, a compiled \
      .momd or .mom, or a YAML model. A store stands for the copy of the model that it carries.

      EXAMPLES
        mergewalk model show Shop.xcdatamodeld
        mergewalk model hash Shop.xcdatamodeld --model-version "Shop 2"
        mergewalk model convert Shop.xcdatamodeld --to yaml > Shop.yaml
        mergewalk model codegen Shop.xcdatamodeld --output Sources/Shop
      """),
    subcommands: [
      ModelShow.self, ModelLintCommand.self, ModelHash.self, ModelConvert.self, ModelCodegen.self,
    ])
}

/// The arguments that name a model.
struct ModelOptions: ParsableArguments {
  @Argument(help: "The model: an .xcdatamodeld, .xcdatamodel, .momd, .mom or YAML file, or a store.")
  var model: String

  @Option(
    name: [.customLong("model-version"), .customLong("version")],
    help: ArgumentHelp("The version of an .xcdatamodeld; by default, the current one.", valueName: "name"))
  var version: String?

  /// Reads the model; findings go to standard error and end the command.
  func load() throws -> ManagedObjectModel {
    try ModelLoading.model(model, version: version)
  }
}

/// Reading models for commands.
enum ModelLoading {
  /// Reads and freezes a model; findings go to standard error, and errors end the command.
  static func model(_ path: String, version: String? = nil) throws -> ManagedObjectModel {
    try FindingsOutput.orFail { () throws(DiagnosticList) in
      let model = try ManagedObjectModel(try StoreModel.draft(at: path, version: version))
      FindingsOutput.words(DiagnosticList(ModelLint.check(model.draft)).diagnostics)
      return model
    }
  }

  /// Finds the model of a store: the one at `path` if there is one, else the copy in the store; findings go to standard
  /// error and end the command.
  static func model(ofStore store: String, at path: String?, version: String? = nil) throws -> StoreModel {
    try FindingsOutput.orFail { () throws(DiagnosticList) in
      return try StoreModel.find(path: store, modelAt: path, version: version)
    }
  }
}

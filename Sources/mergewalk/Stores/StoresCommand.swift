import ArgumentParser
import CMergewalkCommand
import MergewalkDiagnostics
import MergewalkPipelines

/// `mergewalk stores`: one input, a store for each value of a column.
struct StoresCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stores",
    abstract: "Build a family of stores from one input, one for each value of a column.",
    discussion: HelpText.flow(
      """
      “build” does everything on this machine. For several machines, “plan” splits the records, any number of \
      “task” commands build the stores, in parallel and repeatedly if necessary, and “commit” verifies them all \
      and publishes the family with the file _SUCCESS. See docs/families.md.

      \(StoresOutput.exitCodes)

      EXAMPLES
        mergewalk stores build orders.yaml --out family --jobs 2
        mergewalk stores plan orders.yaml today/*.csv --out family
        mergewalk stores task family --part 3/8
        mergewalk stores commit family
      """),
    subcommands: [
      StoresBuildCommand.self, StoresPlanCommand.self, StoresTaskCommand.self, StoresCommitCommand.self,
    ])
}

/// The common options of the steps.
struct StoresOutputOptions: ParsableArguments {
  @Flag(help: "Print one JSON object to standard output.")
  var json = false

  @Flag(help: "Print only errors.")
  var quiet = false
}

/// How much is done at once.
struct StoresJobsOptions: ParsableArguments {
  @Option(name: .customLong("jobs"), help: ArgumentHelp("How many stores to build at once.", valueName: "jobs"))
  var number = 1

  func validate() throws {
    if !(1...256).contains(number) { throw ValidationError("--jobs takes a number from 1 to 256, not \(number)") }
  }
}

struct StoresInputOptions: ParsableArguments {
  @Argument(help: "The pipeline file.", completion: .file(extensions: ["yaml", "yml"]))
  var pipeline: String

  @Argument(
    help: ArgumentHelp(
      "Read these files, globs and folders in place of the pipeline's; - is standard input. A folder that"
        + " contains folders called key=value counts as already split.", valueName: "source"),
    completion: .file())
  var sources: [String] = []

  @Option(help: ArgumentHelp("The folder of the family.", valueName: "folder"), completion: .directory)
  var out: String

  @OptionGroup var variables: VariableOptions

  @OptionGroup var expectations: ExpectationOptions

  func validate() throws { try OptionPaths.check(written: ("--out", out), cure: "name a folder") }

  func plan(_ family: StoreFamily) throws(FamilyError) -> StoreFamily.Planned {
    try family.plan(pipeline, sources: sources, variables: variables.variables) { (definition) throws(DiagnosticList) in
      try expectations.apply(to: &definition)
    }
  }
}

/// `mergewalk stores build`.
struct StoresBuildCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "build", abstract: "Plan, build and publish a family of stores on this machine.",
    discussion: HelpText.flow(
      """
      \(StoresOutput.exitCodes)

      EXAMPLES
        mergewalk stores build orders.yaml --out family
        mergewalk stores build orders.yaml --out family --jobs 2
      """))

  @OptionGroup var input: StoresInputOptions

  @OptionGroup var jobs: StoresJobsOptions

  @OptionGroup var output: StoresOutputOptions

  func run() throws {
    ccommand_keep_freed_memory()
    let family = StoreFamily(folder: input.out)
    try StoresOutput(family, output).run { (out) throws(FamilyError) in
      out.tell(try input.plan(family))
      out.tell(try family.task(jobs: jobs.number))
      out.tell(try family.commit())
    }
  }
}

/// `mergewalk stores plan`.
struct StoresPlanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "Split the records of an input by store, and plan the stores.",
    discussion: HelpText.flow(
      """
      \(StoresOutput.exitCodes)

      EXAMPLES
        mergewalk stores plan orders.yaml today/*.csv --out family
      """))

  @OptionGroup var input: StoresInputOptions
  @OptionGroup var output: StoresOutputOptions

  func run() throws {
    let family = StoreFamily(folder: input.out)
    try StoresOutput(family, output).run { (out) throws(FamilyError) in out.tell(try input.plan(family)) }
  }
}

/// `mergewalk stores task`.
struct StoresTaskCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "task", abstract: "Build the stores of a task that do not exist yet.",
    discussion: HelpText.flow(
      """
      A task may be repeated, run several times at once, and be killed: every attempt makes the same bytes. \
      Without --part, the number of the task comes from a Slurm array (SLURM_ARRAY_TASK_ID with _MIN, _STEP and \
      _COUNT) or from an indexed Job of Kubernetes (JOB_COMPLETION_INDEX, with JOB_COMPLETIONS for their \
      number); without these, all stores are built.

      \(StoresOutput.exitCodes)

      EXAMPLES
        mergewalk stores task family
        mergewalk stores task family --part 3/8 --jobs 2
      """))

  @Argument(help: "The folder of the family.", completion: .directory)
  var folder: String

  @Option(
    help: ArgumentHelp("The task and the number of tasks, such as 3/8.", valueName: "i/n"), transform: TaskNumber.init)
  var part: TaskNumber?

  @OptionGroup var jobs: StoresJobsOptions

  @OptionGroup var output: StoresOutputOptions

  func validate() throws {
    try OptionPaths.check(("<folder>", folder))
    if part == nil { _ = try TaskNumber.ofEnvironment() }
  }

  func run() throws {
    ccommand_keep_freed_memory()
    let task = try part ?? TaskNumber.ofEnvironment()
    let family = StoreFamily(folder: folder)
    try StoresOutput(family, output).run { (out) throws(FamilyError) in
      out.tell(try family.task(number: task.number, of: task.count, jobs: jobs.number))
    }
  }
}

/// `mergewalk stores commit`.
struct StoresCommitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "commit", abstract: "Verify all stores of a family, and publish it.",
    discussion: HelpText.flow(
      """
      \(StoresOutput.exitCodes)

      EXAMPLES
        mergewalk stores commit family
      """))

  @Argument(help: "The folder of the family.", completion: .directory)
  var folder: String

  @OptionGroup var output: StoresOutputOptions

  func validate() throws { try OptionPaths.check(("<folder>", folder)) }

  func run() throws {
    let family = StoreFamily(folder: folder)
    try StoresOutput(family, output).run { (out) throws(FamilyError) in out.tell(try family.commit()) }
  }
}

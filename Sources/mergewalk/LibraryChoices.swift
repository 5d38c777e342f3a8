// Public, because conformances of public types are.
public import ArgumentParser
import MergewalkImporting
import MergewalkPipelines

// Options that take what the library has a name for: the values and their order are the library's.

/// The values of `--find`.
extension FindPlan: ExpressibleByArgument {}

/// The values of `--again`.
extension RunPolicy.SameInputs: ExpressibleByArgument {}

/// The values of `--direct`.
extension RunPolicy.Direct: ExpressibleByArgument {}

/// The values of `--for` of `mergewalk schema`.
extension PipelineSchema.Kind: ExpressibleByArgument {}

/// The values of `--format` of `mergewalk export`.
extension StoreExport.Format: ExpressibleByArgument {}

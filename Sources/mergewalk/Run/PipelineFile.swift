import MergewalkDiagnostics
import MergewalkPipelines

enum PipelineFile {
  /// Reads a pipeline; its secrets are kept out of everything that is written from now on.
  static func read(_ path: String, _ settings: PipelineSettings) throws(DiagnosticList) -> Pipeline {
    let pipeline = try Pipeline.read(path, settings: settings)
    Console.hide(pipeline.redaction)
    return pipeline
  }
}

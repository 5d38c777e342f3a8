enum RejectCode: String, Sendable { case nullKey, emptyKey, duplicateKey, missingTarget, unique, database, missing }
final class RejectOutput {
  init(_ definition: ImportDefinition, plan: ImportPlan) {}
  func write(_ batch: ImportBatch, _ rejects: [RecordReject]) throws(ImportError) {}
  func close() throws(ImportError) {}
  func note(_ summary: inout ImportSummary) {}
}

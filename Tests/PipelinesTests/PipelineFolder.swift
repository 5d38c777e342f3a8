import MergewalkDiagnostics
import MergewalkPipelines
import MergewalkTestSupport

/// A folder with a small CSV file, and a pipeline over it that has no mistake.
struct PipelineFolder {
  let folder = TemporaryFolder()

  init(header: String = "order_id,ordered_at,quantity,unit_price,note,email,name,country,sku,product,category") throws {
    try folder.write(header + "\n1,2024-05-01,1,2.50,,a@example.com,Ada,GB,0001,Lamp,Home\n", to: "orders.csv")
    try folder.write(header.replacingAll(",", with: ";") + "\n", to: "semicolons.csv")
  }

  /// A pipeline without mistakes.
  static let sound = """
    pipeline: orders
    model: \(Locations.fixtures)/shop/Shop.xcdatamodeld
    store: shop.sqlite
    source:
      files: orders.csv
      format: csv
    batch: { records: 500, bytes: 1MiB }
    import:
      entity: Order
      find_by: [orderID]
      mode: upsert
      attributes:
        orderID: order_id
        orderedAt: { from: ordered_at, date: iso8601 }
        quantity: quantity
        unitPrice: unit_price
        note: { from: note, trim: true, empty: null }
      relationships:
        customer:
          find_by: { email: email }
          attributes: { name: name, country: country }
        product:
          find_by: { sku: sku }
          attributes: { name: product }
          relationships:
            category: { find_by: { name: category } }
    rejects: { file: rejects.ndjson, limit: 10, ratio: 1% }
    """

  /// Writes a pipeline and returns its path.
  func write(_ text: String) throws -> String { try folder.write(text, to: "pipeline.yaml") }

  /// Writes a pipeline and returns its findings without the folder's path.
  func lint(_ text: String, _ settings: PipelineSettings = PipelineSettings()) throws -> [String] {
    Pipeline.lint(try write(text), settings: settings).map {
      $0.description.replacingAll(folder.path + "/", with: "")
    }
  }
}

extension String {
  /// The text with every occurrence of `other` replaced.
  func replacingAll(_ other: String, with replacement: String) -> String {
    split(separator: other, omittingEmptySubsequences: false).joined(separator: replacement)
  }
}

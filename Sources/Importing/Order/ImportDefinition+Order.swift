public import Diagnostics

extension ImportDefinition {
  /// What keeps the parts from being brought into an order.
  public var orderFindings: [Diagnostic] { PartOrder(self).findings }
}

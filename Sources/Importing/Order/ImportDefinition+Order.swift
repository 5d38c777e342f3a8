extension ImportDefinition {
  /// The parts in the order in which they run, with the number of the group of each: parts of one group refer to each
  /// other and are related when all of them have been read.
  public var runOrder: [(part: ImportPart, group: Int)] {
    let order = PartOrder(self)
    let parts = order.apply(to: self).parts
    return order.ranges.enumerated().flatMap { group, range in range.map { (parts[$0], group) } }
  }
}

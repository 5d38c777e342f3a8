/// The name of the module.
public let name = "Readers"

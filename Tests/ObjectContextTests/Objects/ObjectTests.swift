import Testing

/// Tests with the classes of `Staff.swift`, which count calls in static variables: one at a time.
@Suite("Managed objects", .serialized)
struct ObjectTests {}

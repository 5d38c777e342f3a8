import Testing

/// One case: a value for each factor, and a seed for the data.
struct MeetingCase: Sendable, CustomTestStringConvertible {
  let seed: UInt64
  /// Values by factor names.
  let choices: [String: String]
  /// At most so many records a night; nil for as many as there are.
  var records: Int?

  var testDescription: String { text }

  /// What `MERGEWALK_CASE` takes to run the case alone; values that are the plainest are left out.
  var text: String {
    "seed=\(seed) " + (records.map { "records=\($0) " } ?? "")
      + Factors.all.filter { choices[$0.name] != $0.values[0].name }.map { "\($0.name)=\(choices[$0.name] ?? "")" }
      .joined(separator: " ")
  }

  init(seed: UInt64, choices: [String: String]) {
    self.seed = seed
    self.choices = choices
  }

  /// Reads what ``text`` has written; factors that are left out have their first value.
  init?(_ text: String) {
    var choices = Dictionary(uniqueKeysWithValues: Factors.all.map { ($0.name, $0.values[0].name) })
    var seed: UInt64 = 0
    var records: Int?
    for word in text.split(separator: " ") {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { return nil }
      if parts[0] == "seed" {
        seed = UInt64(parts[1]) ?? 0
        continue
      }
      if parts[0] == "records" {
        records = Int(parts[1])
        continue
      }
      guard let factor = Factors.all.first(where: { $0.name == parts[0] }),
        factor.values.contains(where: { $0.name == parts[1] })
      else { return nil }
      choices[parts[0]] = parts[1]
    }
    self.init(seed: seed, choices: choices)
    self.records = records
  }

  /// The value of a factor.
  subscript(factor: String) -> String { choices[factor] ?? "" }

  /// What the factors make of it.
  var scenario: Scenario {
    var scenario = Scenario(seed: seed, choices: choices)
    for factor in Factors.all {
      for value in factor.values where value.name == choices[factor.name] { value.change(&scenario) }
    }
    scenario.finish()
    if let records { scenario.nights = scenario.nights.map { min($0, records) } }
    return scenario
  }

  /// What differs between the reference importer and the real one.
  func differences() -> [String] {
    do {
      let run = try MeetingRun(scenario)
      defer { run.files.keep() }
      try run.run()
      return run.differences
    } catch {
      return ["\(error)"]
    }
  }

  /// The case with as few records, and as few values beside the plainest, as still differ.
  func shrunk() -> MeetingCase {
    var smallest = self
    for factor in Factors.all.reversed() where smallest.choices[factor.name] != factor.values[0].name {
      var choices = smallest.choices
      choices[factor.name] = factor.values[0].name
      let simpler = MeetingCase(seed: seed, choices: choices)
      if Factors.space.allows(simpler), !simpler.differences().isEmpty { smallest = simpler }
    }
    for count in 1..<(smallest.scenario.nights.max() ?? 1) {
      var fewer = smallest
      fewer.records = count
      if !fewer.differences().isEmpty { return fewer }
    }
    return smallest
  }
}

extension FactorSpace {
  /// Whether no two values of a case exclude each other.
  func allows(_ meeting: MeetingCase) -> Bool {
    let values = factors.indices.compactMap { factor in
      factors[factor].values.firstIndex { $0.name == meeting.choices[factors[factor].name] }.map { firsts[factor] + $0 }
    }
    return values.allSatisfy { a in values.allSatisfy { allows(a, $0) } }
  }

  /// A row of a covering array as a case.
  func meeting(_ row: [Int], seed: UInt64) -> MeetingCase {
    var choices: [String: String] = [:]
    for value in row {
      let factor = factors[factorOf[value]]
      choices[factor.name] = factor.values[value - firsts[factorOf[value]]].name
    }
    return MeetingCase(seed: seed, choices: choices)
  }
}

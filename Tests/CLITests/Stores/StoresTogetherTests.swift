import Foundation
import MergewalkTestSupport
import Testing

/// Engines that work at one family at once, attempts that go on when they are not wanted any more, disks that fail.
@Suite("Families under engines that misbehave", .enabled(if: Shim.isThere, "there is no C compiler to kill with"))
struct StoresTogetherTests {
  /// Rows with a record that a part rejects, and one that the split does.
  private static let rows = Family.rows + [["bad", "DE", "none"], ["lost", "", "7"]]

  /// A family with rejects, what it comes to, and how many writes that takes.
  private func prepared() throws -> (family: Family, wanted: [String: Data], writes: Int) {
    let family = try Family()
    try family.write(Self.rows)
    let count = TemporaryFolder()
    let built = try family.build("wanted", environment: Shim.counting(into: count.file("count")))
    #expect(built.status == 1, "\(built.words)")
    let writes = Int(try String(contentsOfFile: count.file("count"), encoding: .utf8)) ?? 0
    #expect(writes > 10)
    return (family, try family.everything("wanted"), writes)
  }

  @Test("two engines at the same tasks at once: every store that is seen is whole, and so is the family")
  func twoEngines() throws {
    let (family, wanted, writes) = try prepared()
    let seed = Soak.seed(2101)
    var generator = SeededGenerator(seed: seed)
    for round in 0..<(Soak.isOn ? 60 : 6) {
      let out = "out\(round)"
      #expect(try family.stores("plan", "items.yaml", "--out", out, "--quiet").status == 1)
      let kill = Int.random(in: 1...writes, using: &generator)
      // One task is killed as well; a watcher reads what apps would see all the time.
      let killing = Shim.killing(at: kill).map { "\($0)=\($1)" }.sorted().joined(separator: " ")
      let run = try Command.shell(
        """
        engine() { for part in 1 2 3; do $MERGEWALK stores task \(out) --part $part/3 --quiet; echo "task $?"; done; }
        watch() {
          until [ -e done ]; do sha256sum \(out)/*.sqlite 2>/dev/null; [ -e \(out)/_SUCCESS ] && echo published; :; done
        }
        rm -f done
        watch > seen & watcher=$!
        engine > one & first=$!
        engine > two & second=$!
        env \(killing) $MERGEWALK stores task \(out) --quiet & third=$!
        wait $first $second $third
        touch done; wait $watcher
        $MERGEWALK stores commit \(out) --quiet & first=$!
        $MERGEWALK stores commit \(out) --quiet; echo $?
        wait $first; echo $?
        cat one two
        """, in: family.folder.path)
      let place: Comment = "seed \(seed), killed before \(kill): \(run.words)"
      #expect(run.lines.prefix(2) == ["1", "1"], place)
      // A task says 1 when it has built the store with the reject.
      #expect(run.lines.dropFirst(2).allSatisfy { ["task 0", "task 1"].contains($0) }, place)
      #expect(try family.everything(out) == wanted, place)
      let digests = try digests(of: out, family)
      for line in try family.text("seen").split(separator: "\n") {
        let words = line.split(separator: " ")
        #expect(words.count == 2 && digests[String(words[1])] == String(words[0]), "\(line); \(place)")
      }
    }
  }

  private func digests(of out: String, _ family: Family) throws -> [String: String] {
    let sums = try Command.shell("sha256sum \(out)/*.sqlite", in: family.folder.path)
    return Dictionary(
      uniqueKeysWithValues: sums.lines.map { line in
        let words = line.split(separator: " ").map(String.init)
        return (words[1], words[0])
      })
  }

  @Test("an attempt that is held up and goes on behind the commit changes nothing")
  func orphan() throws {
    let (family, wanted, _) = try prepared()
    let count = TemporaryFolder()
    #expect(try family.stores("plan", "items.yaml", "--out", "counted").status == 1)
    #expect(
      try family.stores("task", "counted", environment: Shim.counting(into: count.file("count"))).status == 1)
    let writes = Int(try String(contentsOfFile: count.file("count"), encoding: .utf8)) ?? 0
    let seed = Soak.seed(2102)
    var generator = SeededGenerator(seed: seed)
    for round in 0..<(Soak.isOn ? 60 : 8) {
      let out = "out\(round)"
      #expect(try family.stores("plan", "items.yaml", "--out", out, "--quiet").status == 1)
      let stop = Int.random(in: 1...writes, using: &generator)
      let stopping = Shim.stopping(at: stop).map { "\($0)=\($1)" }.sorted().joined(separator: " ")
      let run = try Command.shell(
        """
        env \(stopping) $MERGEWALK stores task \(out) --quiet & orphan=$!
        until grep -Eq '^State:.*(stopped|zombie)' /proc/$orphan/status; do :; done
        $MERGEWALK stores task \(out) --quiet; echo $?
        $MERGEWALK stores commit \(out) --quiet; echo $?
        kill -CONT $orphan; wait $orphan; echo $?
        $MERGEWALK stores commit \(out) --quiet; echo $?
        """, in: family.folder.path)
      let place: Comment = "seed \(seed), stopped before \(stop) of \(writes): \(run.output)\(run.words)"
      // The orphan has built the store with the reject too, or has found it there.
      #expect(run.lines.count == 4, place)
      #expect(run.lines.prefix(2) == ["1", "1"] && run.lines.last == "1", place)
      #expect(["0", "1"].contains(run.lines[2]), place)
      #expect(try family.everything(out) == wanted, place)
      let rest = try FileManager.default.contentsOfDirectory(atPath: family.folder.file(out + "/_attempts"))
      #expect(rest.isEmpty, "\(place): \(rest)")
    }
  }

  @Test(
    "every n-th write fails: nothing is published that is not whole, and the next build brings it",
    arguments: [true, false])
  func faults(stays: Bool) throws {
    let (family, wanted, writes) = try prepared()
    let seed = Soak.seed(2103)
    var generator = SeededGenerator(seed: seed)
    let points = Soak.isOn ? Array(1...writes) : (0..<12).map { _ in Int.random(in: 1...writes, using: &generator) }
    for point in points {
      let out = "out\(point)"
      let error = stays ? ENOSPC : EIO
      let failed = try family.build(out, environment: Shim.failing(at: point, error, stays: stays))
      let place: Comment = "seed \(seed), write \(point) of \(writes) fails with \(error): \(failed.words)"
      #expect([1, 2].contains(failed.status), place)
      // What it says is there; a rename that cannot be synced is there too, and is not told of.
      #expect(failed.status == 2 || family.exists(out + "/_SUCCESS"), place)
      if family.exists(out + "/_SUCCESS") { #expect(try family.everything(out) == wanted, place) }
      for (name, bytes) in try family.published(out) { #expect(wanted[name] == bytes, "\(name): \(place)") }
      let next = try family.build(out)
      #expect(next.status == 1, "\(place): \(next.words)")
      #expect(try family.everything(out) == wanted, place)
      try family.remove(out)
    }
  }

  @Test("a disk that is full in one task leaves the receipts of the others")
  func fullDisk() throws {
    let (family, wanted, _) = try prepared()
    #expect(try family.stores("plan", "items.yaml", "--out", "out").status == 1)
    #expect(try family.stores("task", "out", "--part", "1/3").status <= 1)
    let before = try FileManager.default.contentsOfDirectory(atPath: family.folder.file("out/_parts")).sorted()
    #expect(!before.isEmpty)
    let full = try family.stores("task", "out", environment: Shim.failing(at: 3, ENOSPC, stays: true))
    #expect(full.status == 2, "\(full.words)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: family.folder.file("out/_parts")).sorted() == before)
    #expect(try family.stores("commit", "out").status == 2)
    #expect(!family.exists("out/_SUCCESS"))
    #expect(try family.build().status == 1)
    #expect(try family.everything("out") == wanted)
  }

  @Test("killed while a family takes the place of another: each manifest that is seen fits its stores")
  func replacing() throws {
    let (family, _, writes) = try prepared()
    let seed = Soak.seed(2104)
    var generator = SeededGenerator(seed: seed)
    let old = Self.rows.filter { $0[1] != "NL" } + [["b1", "IT", "1"]]
    try family.write(old)
    #expect(try family.build("old").status == 1)
    let former = try family.everything("old")
    try family.write(Self.rows)
    #expect(try family.build("new").status == 1)
    let wanted = try family.everything("new")
    for round in 0..<(Soak.isOn ? 200 : 12) {
      try? family.remove("out")
      try FileManager.default.copyItem(atPath: family.folder.file("old"), toPath: family.folder.file("out"))
      // Most of what a build does is behind the plan.
      let kill = Int.random(in: 1...writes, using: &generator)
      let killed = try family.build("out", environment: Shim.killing(at: kill))
      let place: Comment = "seed \(seed), round \(round), killed before write \(kill) of \(writes): \(killed.words)"
      if family.exists("out/_SUCCESS") {
        let manifest = try family.bytes("out/_SUCCESS")
        let expected = manifest == former["_SUCCESS"] ? former : wanted
        #expect(manifest == expected["_SUCCESS"], place)
        for (name, bytes) in expected where name.hasSuffix(".sqlite") {
          #expect(try family.bytes("out/" + name) == bytes, "\(name): \(place)")
        }
      }
      let next = try family.build("out")
      #expect(next.status == 1, "\(place): \(next.words)")
      #expect(try family.everything("out") == wanted, place)
    }
  }

  @Test(
    "outputs that are deleted, cut, altered or swapped: commit refuses, tasks build again, or the plan is asked for")
  func damage() throws {
    let (family, wanted, _) = try prepared()
    #expect(try family.build().status == 1)
    let seed = Soak.seed(2105)
    var generator = SeededGenerator(seed: seed)
    for round in 0..<(Soak.isOn ? 200 : 20) {
      let names = try #require(FileManager.default.enumerator(atPath: family.folder.file("out")))
        .compactMap { $0 as? String }.filter { name in
          name == "_SUCCESS" || ["sqlite", "json", "ndjson", "csv", "places"].contains { name.hasSuffix("." + $0) }
        }.sorted()
      let name = try #require(names.randomElement(using: &generator))
      var bytes = [UInt8](try family.bytes("out/" + name))
      let harm = ["deleted", "cut", "altered", "swapped"].randomElement(using: &generator) ?? ""
      switch harm {
      case "deleted": try family.remove("out/" + name)
      case "cut":
        try family.folder.write(Array(bytes.dropLast(Int.random(in: 1...9, using: &generator))), to: "out/" + name)
      case "altered":
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^= UInt8.random(in: 1...255, using: &generator)
        try family.folder.write(bytes, to: "out/" + name)
      default:
        let other = try #require(names.randomElement(using: &generator))
        try family.folder.write([UInt8](try family.bytes("out/" + other)), to: "out/" + name)
      }
      let place: Comment = "seed \(seed), round \(round), \(name) \(harm)"
      let commit = try family.stores("commit", "out")
      // What it publishes is right, whatever it makes of what it needs no more.
      if commit.status <= 1 { #expect(try family.stays(wanted, "out"), place) }
      let task = try family.stores("task", "out")
      if task.status <= 1 {
        let again = try family.stores("commit", "out")
        #expect(again.status == 1, "\(place): \(again.words)")
        #expect(try family.stays(wanted, "out"), place)
      }
      let built = try family.build()
      #expect(built.status == 1, "\(place): \(built.words)")
      #expect(try family.everything("out") == wanted, place)
    }
  }
}

import Foundation
import MergewalkTestSupport
import Testing

/// The scripts that run families on engines, where those are installed.
@Suite("Families on engines")
struct StoresEngineTests {
  static func isThere(_ program: String) -> Bool {
    if ProcessInfo.processInfo.environment["MERGEWALK_ENGINES"] == "none" { return false }
    return ["/usr/bin/", "/usr/local/bin/", "/bin/", "/usr/sbin/"].contains {
      FileManager.default.isExecutableFile(atPath: $0 + program)
    }
  }

  @Test(
    "GNU parallel runs the tasks, and one that fails again",
    .enabled(
      if: StoresEngineTests.isThere("parallel"),
      "GNU parallel is not installed (scripts/install-engines.sh), or MERGEWALK_ENGINES is none"))
  func parallel() throws {
    let family = try Family()
    try family.write()
    #expect(try family.build("one").status == 0)
    let script = Locations.repository + "/scripts/stores-parallel.sh"
    let run = try Command.shell("bash \(script) items.yaml two 3", in: family.folder.path)
    #expect(run.status == 0, "\(run.words)")
    #expect(try family.published("two") == family.published("one"))
    // The first call of a task fails; the engine tries again.
    try family.folder.write(
      "#!/bin/bash\nif [ \"$2\" = task ] && mkdir failed 2>/dev/null; then exit 2; fi\nexec \(Command.path) \"$@\"\n",
      to: "flaky")
    let flaky = try Command.shell(
      "chmod +x flaky && MERGEWALK=$PWD/flaky bash \(script) items.yaml three 3", in: family.folder.path)
    #expect(flaky.status == 0, "\(flaky.words)")
    #expect(family.exists("failed"))
    #expect(try family.published("three") == family.published("one"))
  }

  private static func script(_ name: String) -> String { Locations.repository + "/scripts/" + name }

  @Test(
    "an array of Slurm builds the family, a task that is put back in its middle too",
    .enabled(
      if: StoresEngineTests.isThere("sbatch") && StoresEngineTests.isThere("slurmctld"),
      "Slurm is not installed (scripts/install-engines.sh), or MERGEWALK_ENGINES is none"))
  func slurm() throws {
    let family = try Family()
    try family.write()
    #expect(try family.build("one").status == 0)
    // The first task of an array stops in its middle, and says which one it is.
    try family.folder.write(
      """
      #!/bin/bash
      if [ "$2" = task ] && [ "$SLURM_ARRAY_TASK_ID" = 1 ] && mkdir stopped 2>/dev/null; then
        export \(Shim.stopping(at: 20).map { "\($0)='\($1)'" }.sorted().joined(separator: " "))
        "$REAL" "$@" & echo $! > process
        until grep -Eq '^State:.*(stopped|zombie)' /proc/$!/status; do :; done
        echo "${SLURM_ARRAY_JOB_ID}_1" > job
        wait $!; exit
      fi
      exec "$REAL" "$@"
      """, to: "holding")
    let run = try Command.shell(
      """
      node="bash \(Self.script("slurm-node.sh"))"
      $node start node || exit 99
      trap '$node stop node' EXIT
      export SLURM_CONF=$PWD/node/slurm.conf
      timeout 240 bash \(Self.script("stores-slurm.sh")) items.yaml two 3; echo "plain $?"
      chmod +x holding
      export REAL=$MERGEWALK
      MERGEWALK=$PWD/holding timeout 240 bash \(Self.script("stores-slurm.sh")) items.yaml three 3 & run=$!
      for _ in $(seq 1200); do [ -s job ] && break; sleep 0.1; done
      scontrol requeue $(cat job); echo "requeued $?"
      wait $run; echo "held $?"
      """, in: family.folder.path)
    #expect(run.lines.filter { !$0.hasPrefix("Submitted") } == ["plain 0", "requeued 0", "held 0"], "\(run.words)")
    #expect(family.exists("stopped") && family.exists("job"))
    #expect(try family.published("two") == family.published("one"))
    #expect(try family.published("three") == family.published("one"))
  }

  /// A Python with PySpark.
  static let python = Locations.repository + "/build/spark-env/bin/python"

  @Test(
    "Spark splits and builds the family, when a task fails, when an executor is killed, with speculation",
    .enabled(
      if: Soak.isOn && FileManager.default.isExecutableFile(atPath: StoresEngineTests.python),
      "a long test, and PySpark is not installed: scripts/install-engines.sh spark"),
    arguments: [
      ("local[2,4]", "exit 2"), ("local[2,4]", "exec \"$REAL\" \"$@\""),
      ("local-cluster[2,1,1024]", "kill -9 $executor; exit 9"),
    ])
  func spark(master: String, first: String) throws {
    let family = try Family(source: "{ files: items.csv, format: csv }")
    // What Spark's own dialect of CSV would alter.
    try family.write(
      Family.rows + [
        ["say \"hi\"", "DE", "7"], ["  blanks ", "FR", "8"], ["back\\slash \\\"", "NL", "9"],
        ["two\nlines", "a,b \"c\"", "10"],
      ])
    #expect(try family.build("one").status == 0)
    // What the first task does in place of its work; its executor is the Java above it.
    try family.folder.write(
      """
      #!/bin/bash
      if [ "$2" = task ] && mkdir "$MARK" 2>/dev/null; then
        executor=$PPID
        until [ "$(cat /proc/$executor/comm)" = java ]; do
          executor=$(awk '/^PPid/ { print $2 }' /proc/$executor/status)
        done
        \(first)
      fi
      exec "$REAL" "$@"
      """, to: "first")
    let run = try Command.shell(
      """
      chmod +x first
      export REAL=$MERGEWALK MARK=$PWD/mark MERGEWALK=$PWD/first SPARK_LOCAL_IP=127.0.0.1
      \(Self.python) \(Self.script("stores-spark.py")) items.yaml two 3 country items.csv 'spark.master=\(master)' \
        spark.speculation=true spark.driver.host=127.0.0.1
      """, in: family.folder.path)
    #expect(run.status == 0, "\(master): \(run.words)")
    #expect(family.exists("mark"))
    #expect(try family.union("two") == family.union("one"))
    #expect(try family.published("two").keys.sorted() == family.published("one").keys.sorted())
  }

  /// The blocks of the README about families: one machine, Slurm, Spark.
  private static func blocks() throws -> [String] {
    let page = try String(contentsOfFile: Locations.repository + "/README.md", encoding: .utf8)
    let start = try #require(page.range(of: "## Many stores\n")).upperBound
    let section = page[start...].components(separatedBy: "\n## ")[0]
    return section.components(separatedBy: "```sh\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
  }

  @Test(
    "the README's blocks for one machine, Slurm and Spark make the same family", arguments: [0, 1, 2])
  func readme(number: Int) throws {
    let isThere =
      switch number {
      case 0: true
      case 1: Self.isThere("sbatch") && Self.isThere("slurmctld")
      default: Soak.isOn && FileManager.default.isExecutableFile(atPath: Self.python)
      }
    let blocks = try Self.blocks()
    #expect(blocks.count == 3)
    if !isThere { return print("README block \(number + 1) is not run: scripts/install-engines.sh spark, make soak") }
    let family = try Family(source: "{ files: orders.csv, format: csv }")
    try family.folder.write(Family.csv(Family.rows), to: "orders.csv")
    try family.folder.write(try family.text("items.yaml"), to: "orders.yaml")
    let run = try Command.shell(
      """
      ln -s \(Locations.repository)/scripts scripts
      mkdir bin && ln -s $MERGEWALK bin/mergewalk
      export PATH=$PWD/bin:\(Locations.repository)/build/spark-env/bin:$PATH SPARK_LOCAL_IP=127.0.0.1
      if [ \(number) = 1 ]; then
        bash scripts/slurm-node.sh start node || exit 99
        trap 'bash scripts/slurm-node.sh stop node' EXIT
        export SLURM_CONF=$PWD/node/slurm.conf
      fi
      echo 'set -e' > block
      cat >> block <<'END'
      \(blocks[number])
      END
      timeout 300 bash block
      """, in: family.folder.path)
    #expect(run.status == 0, "\(blocks[number]): \(run.words)")
    #expect(family.exists("family/_SUCCESS"))
    #expect(try family.union("family") == Family.rows.map { "\($0[0])|\($0[1])|\($0[2])" }.sorted())
  }

  @Test("the Job of the documentation is an indexed one that sets what a task looks at")
  func kubernetes() throws {
    let page = try String(contentsOfFile: Locations.repository + "/docs/families.md", encoding: .utf8)
    let text = try #require(page.split(separator: "```json\n").last?.split(separator: "```").first)
    let job = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(job["apiVersion"] as? String == "batch/v1" && job["kind"] as? String == "Job")
    let spec = try #require(job["spec"] as? [String: Any])
    #expect(spec["completionMode"] as? String == "Indexed")
    let pod = try #require((spec["template"] as? [String: Any])?["spec"] as? [String: Any])
    let container = try #require((pod["containers"] as? [[String: Any]])?.first)
    let variables = try #require(container["env"] as? [[String: String]])
    let completions = try #require(spec["completions"] as? Int)
    #expect(variables == [["name": "JOB_COMPLETIONS", "value": String(completions)]])
    // What the container runs is a command that exists.
    let command = try #require(container["command"] as? [String])
    let help = try Command(Array(command.dropFirst()) + ["--help"], in: "/")
    #expect(help.status == 0, "\(help.words)")
  }
}

import Foundation
import MergewalkTestSupport
import Testing

/// The scripts that run families on engines, where those are installed.
@Suite("Families on engines")
struct StoresEngineTests {
  static func isThere(_ program: String) -> Bool {
    ["/usr/bin/", "/usr/local/bin/", "/bin/"].contains { FileManager.default.isExecutableFile(atPath: $0 + program) }
  }

  @Test(
    "GNU parallel runs the tasks, and one that fails again",
    .enabled(if: StoresEngineTests.isThere("parallel"), "GNU parallel is not installed: apt-get install parallel"))
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

  @Test(
    "Slurm's array runs the tasks",
    .enabled(if: StoresEngineTests.isThere("sbatch"), "Slurm is not installed: apt-get install slurm-wlm"))
  func slurm() throws {
    let family = try Family()
    try family.write()
    #expect(try family.build("one").status == 0)
    let script = Locations.repository + "/scripts/stores-slurm.sh"
    let run = try Command.shell("bash \(script) items.yaml two 3", in: family.folder.path)
    #expect(run.status == 0, "\(run.words)")
    #expect(try family.published("two") == family.published("one"))
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

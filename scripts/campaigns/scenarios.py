"""What is disturbed: commands with small inputs, each with a folder as it is before the command."""

import os
import pathlib
import random
import shutil
from collections import namedtuple

import inputs
from inputs import articles, orders, press, shop, write

# A folder is made by `prepare(folder, mergewalk)`; then `command` runs in it. Files in `growing` are written as a command
# goes on; all others change as a whole. `beside` is what another process does meanwhile.
Scenario = namedtuple("Scenario", "name prepare command growing beside")
ALL = []
RUN = ["run", "p.yaml", "--json", "--quiet", "--no-history"]


def scenario(command, growing=("rejects",), beside=None):
    """Adds a scenario whose folder the decorated function makes."""
    def add(prepare):
        ALL.append(Scenario(prepare.__name__.replace("_", "-"), prepare, command, growing, beside))
        return prepare
    return add


def night(folder, mergewalk, before=48, **options):
    """A store with orders, and the files and the pipeline of a night."""
    write(folder, "in-1.csv", orders(before, seed=1))
    shop(folder)
    mergewalk(*RUN)
    write(folder, "in-1.csv", orders(before * 2 // 3, first=before // 2, bad=True, seed=2))
    write(folder, "in-2.csv", orders(before // 3, first=before, bad=True, seed=3))
    shop(folder, **options)


@scenario(RUN)
def new_store(folder, _):
    write(folder, "in-1.csv", orders(48, bad=True))
    shop(folder, more="direct: never")


@scenario(RUN)
def new_store_by_pages(folder, _):
    write(folder, "in-1.csv", orders(48, bad=True))
    shop(folder, more="direct: always")


@scenario(RUN)
def night_update(folder, mergewalk):
    night(folder, mergewalk)


@scenario(RUN)
def night_in_pieces(folder, mergewalk):
    """The keys of the targets fit into memory, the hashes of all orders do not; changed rows wait for the end."""
    write(folder, "in-1.csv", orders(600, seed=1))
    shop(folder)
    mergewalk(*RUN)
    write(folder, "in-1.csv", orders(130, first=540, bad=True, seed=2, again=0))
    shop(folder, more="memory: { keys: 10000 }")


@scenario(RUN)
def night_by_batches(folder, mergewalk):
    night(folder, mergewalk, more="direct: never")


@scenario(RUN)
def sync(folder, mergewalk):
    night(folder, mergewalk, mode="sync", inside="sync: { unreadable: delete }")


@scenario(RUN)
def replace(folder, mergewalk):
    night(folder, mergewalk, mode="replace", inside="sync: { unreadable: delete }")


@scenario(RUN)
def insert_without_key(folder, mergewalk):
    night(folder, mergewalk, mode="insert", key="", rejects="rejects: { file: rejects.ndjson }")
    write(folder, "in-1.csv", orders(20, first=500))


@scenario(RUN)
def lists(folder, mergewalk):
    write(folder, "in.ndjson", articles(30, seed=1))
    press(folder)
    mergewalk(*RUN)
    write(folder, "in.ndjson", articles(30, seed=2, first=9))


@scenario(RUN)
def lists_of_new_store(folder, _):
    write(folder, "in.ndjson", articles(24, seed=1))
    press(folder)


@scenario(RUN)
def second_pass(folder, mergewalk):
    write(folder, "in.ndjson", articles(20, seed=1, linked=50))
    press(folder, links=True)
    mergewalk(*RUN)
    write(folder, "in.ndjson", articles(30, seed=2, first=9, linked=60))


@scenario(RUN)
def second_pass_of_new_store(folder, _):
    write(folder, "in.ndjson", articles(30, seed=2, linked=60))
    press(folder, links=True)


def clubs(folder, members, teams, seed):
    """Two imports of which each names the objects of the other, so that both have one second pass."""
    chance = random.Random(seed)
    write(folder, "model.yaml", """model: Clubs
entities:
  Member:
    attributes: { email: string!, name: string }
    relationships: { team: { to_one: Team, inverse: members }, leads: { to_many: Team, inverse: lead } }
    unique: [email]
  Team:
    attributes: { name: string!, size: integer64 }
    relationships: { members: { to_many: Member, inverse: team }, lead: { to_one: Member, inverse: leads } }
    unique: [name]
""")
    write(folder, "p.yaml", """model: model.yaml
store: s.sqlite
rejects: rejects.ndjson
batch: { records: 6 }
imports:
  - name: members
    source: members.csv
    import:
      entity: Member
      find_by: [email]
      attributes: [name]
      relationships: { team: { find_by: { name: team }, missing: reject } }
  - name: teams
    source: teams.csv
    import:
      entity: Team
      find_by: [name]
      attributes: [size]
      relationships: { lead: { find_by: { email: lead }, missing: create } }
""")
    write(folder, "members.csv", "email,name,team\n" + "".join(
        f"m{chance.randrange(members)}@x,n{chance.randrange(9)},t{chance.randrange(teams + 2)}\n" for _ in range(members)))
    write(folder, "teams.csv", "name,size,lead\n" + "".join(
        f"t{number},{chance.randrange(9)},m{chance.randrange(members + 2)}@x\n" for number in range(teams)))


@scenario(RUN)
def imports_of_each_other(folder, mergewalk):
    clubs(folder, 18, 9, seed=1)
    mergewalk(*RUN)
    clubs(folder, 24, 12, seed=2)


@scenario(RUN)
def imports_of_each_other_into_new_store(folder, _):
    clubs(folder, 24, 12, seed=3)


@scenario(["rejects", "replay", "rejects.ndjson", "--pipeline", "p.yaml", "--json", "--quiet", "--no-history"])
def replay(folder, mergewalk):
    night(folder, mergewalk)
    mergewalk(*RUN)
    path = pathlib.Path(folder, "rejects.ndjson")
    path.write_text(path.read_text().replace(",many,", ",7,"))


@scenario(RUN)
def external_data(folder, mergewalk):
    inputs.album(folder)
    write(folder, "in.ndjson", inputs.photos(8, seed=1))
    mergewalk(*RUN)
    write(folder, "in.ndjson", inputs.photos(10, seed=2))


@scenario(RUN)
def external_data_of_new_store(folder, _):
    inputs.album(folder)
    write(folder, "in.ndjson", inputs.photos(8, seed=1))


@scenario(RUN)
def history(folder, mergewalk):
    night(folder, mergewalk)
    inputs.track_history(pathlib.Path(folder, "s.sqlite"))


@scenario(RUN)
def rollback_journal(folder, mergewalk):
    night(folder, mergewalk, before=36)
    os.remove(pathlib.Path(folder, "s.sqlite"))
    mergewalk("seed", "p.yaml", "--store", "s.sqlite", "--quiet")
    pathlib.Path(folder, "rejects.ndjson").unlink(missing_ok=True)
    write(folder, "in-1.csv", orders(30, first=20, bad=True, seed=5))


@scenario(RUN)
def symlink(folder, mergewalk):
    night(folder, mergewalk, before=30)
    os.mkdir(pathlib.Path(folder, "data"))
    os.rename(pathlib.Path(folder, "s.sqlite"), pathlib.Path(folder, "data", "real.sqlite"))
    os.symlink("data/real.sqlite", pathlib.Path(folder, "s.sqlite"))


@scenario(RUN)
def linked_folder(folder, mergewalk):
    night(folder, mergewalk, before=30)
    os.mkdir(pathlib.Path(folder, "data"))
    os.symlink("data", pathlib.Path(folder, "current"))
    os.rename(pathlib.Path(folder, "s.sqlite"), pathlib.Path(folder, "data", "s.sqlite"))
    path = pathlib.Path(folder, "p.yaml")
    path.write_text(path.read_text().replace("store: s.sqlite", "store: current/s.sqlite"))


# What stands under the second name lacks the log beside the first one, while there is one: SQLite's own limit.
@scenario(RUN, growing=("rejects", "second.sqlite"))
def hard_link(folder, mergewalk):
    night(folder, mergewalk, before=30)
    os.link(pathlib.Path(folder, "s.sqlite"), pathlib.Path(folder, "second.sqlite"))


@scenario(RUN)
def packed_inputs(folder, mergewalk):
    night(folder, mergewalk, files="in-*.csv.gz")
    for name in ("in-1.csv", "in-2.csv"):
        path = pathlib.Path(folder, name)
        write(folder, name + ".gz", path.read_text())
        path.unlink()


@scenario(RUN)
def breached_limit(folder, mergewalk):
    night(folder, mergewalk, rejects="rejects: { file: rejects.ndjson, limit: 2 }")


@scenario(RUN + ["--dry-run"])
def dry_run(folder, mergewalk):
    night(folder, mergewalk)


@scenario(RUN)
def incremental(folder, mergewalk):
    night(folder, mergewalk, more="since: { column: ordered_at }", rejects="rejects: { file: rejects.ndjson }")


@scenario(RUN)
def two_imports(folder, _):
    write(folder, "team.yaml", "model: Team\nentities:\n  Person:\n    attributes: { email: string! }\n"
          "    relationships:\n      team: { to_one: Team, inverse: members }\n"
          "      leads: { to_many: Team, inverse: lead }\n    unique: [email]\n"
          "  Team:\n    attributes: { name: string! }\n    relationships:\n"
          "      members: { to_many: Person, inverse: team }\n      lead: { to_one: Person, inverse: leads }\n"
          "    unique: [name]\n")
    write(folder, "p.yaml", "pipeline: teams\nmodel: team.yaml\nstore: s.sqlite\nbatch: { records: 9 }\n"
          "rejects: rejects.ndjson\nimports:\n"
          "  - name: people\n    source: people.csv\n    import:\n      entity: Person\n      find_by: [email]\n"
          "      relationships: { team: { find_by: { name: team }, missing: reject } }\n"
          "  - name: teams\n    source: teams.csv\n    import:\n      entity: Team\n      find_by: [name]\n"
          "      relationships: { lead: { find_by: { email: lead }, missing: reject } }\n")
    write(folder, "people.csv", "email,team\n" + "".join(f"p{n}@x,t{n % 11}\n" for n in range(40)))
    write(folder, "teams.csv", "name,lead\n" + "".join(f"t{n},p{n * 4}@x\n" for n in range(11)))


@scenario(["run", "p.yaml", "--json", "--quiet", "--metrics", "run.prom", "--report", "run.html"],
          growing=("rejects", "run.", "s.sqlite-mergewalk"))
def table_of_runs(folder, mergewalk):
    night(folder, mergewalk, before=30)
    mergewalk("run", "p.yaml", "--quiet")
    write(folder, "in-1.csv", orders(40, first=30, bad=True, seed=8))


@scenario(["seed", "p.yaml", "--store", "s.sqlite", "--json", "--quiet"])
def seed(folder, _):
    write(folder, "in-1.csv", orders(30))
    shop(folder)


@scenario(["seed", "p.yaml", "--store", "s.sqlite", "--force", "--json", "--quiet"])
def seed_over_another(folder, mergewalk):
    seed(folder, mergewalk)
    mergewalk("seed", "p.yaml", "--store", "s.sqlite", "--quiet")
    write(folder, "in-1.csv", orders(30, seed=7))


@scenario(["seed", "--from", "default.sqlite", "--store", "s.sqlite", "--find-by", "Order.orderID", "--find-by",
           "Customer.email", "--find-by", "Product.sku", "--find-by", "Category.name", "--update", "--quiet"])
def seed_into_a_store(folder, mergewalk):
    night(folder, mergewalk, before=30)
    mergewalk("seed", "p.yaml", "--store", "default.sqlite", "--quiet")
    pathlib.Path(folder, "rejects.ndjson").unlink(missing_ok=True)


@scenario(["store", "migrate", "s.sqlite", "--to", "next.yaml", "--quiet"], growing=("s.sqlite.backup",))
def migrate(folder, mergewalk):
    night(folder, mergewalk, before=30)
    model = (inputs.FIXTURES / "shop" / "Shop.yaml").read_text()
    write(folder, "next.yaml", model.replace("      note: string\n", "      note: string\n      extra: integer32\n"))


@scenario(["store", "migrate", "s.sqlite", "--to", "next.yaml", "--quiet"], growing=("s.sqlite.backup",))
def migrate_a_seed(folder, mergewalk):
    seed(folder, mergewalk)
    mergewalk("seed", "p.yaml", "--store", "s.sqlite", "--quiet")
    model = (inputs.FIXTURES / "shop" / "Shop.yaml").read_text()
    write(folder, "next.yaml", model.replace("note: string\n", "remark: { type: string, renamed_from: note }\n"))


@scenario(["export", "s.sqlite", "--out", "out", "--force", "--quiet"])
def export(folder, mergewalk):
    night(folder, mergewalk, before=30)
    mergewalk("export", "s.sqlite", "--out", "out", "--quiet")
    mergewalk(*RUN)
    pathlib.Path(folder, "rejects.ndjson").unlink(missing_ok=True)


@scenario(["run", "out/pipeline.yaml", "--store", "copy.sqlite", "--json", "--quiet", "--no-history"])
def objects(folder, mergewalk):
    night(folder, mergewalk, before=30)
    mergewalk("export", "s.sqlite", "--out", "out", "--quiet")


@scenario(["stores", "build", "p.yaml", "--out", "family", "--quiet"], growing=("rejects", "family$", "family/_"))
def family(folder, _):
    write(folder, "model.yaml", "entities:\n  Item:\n    attributes: { code: string!, country: string, amount: "
          "integer32 }\n    unique: [code]\n")
    usual = "import: { entity: Item, find_by: code, attributes: { country: country, amount: amount } }\n"
    write(folder, "common.yaml", "pipeline: common\nmodel: model.yaml\nstore: c.sqlite\nsource: common.csv\n" + usual)
    write(folder, "p.yaml", "pipeline: items\nmodel: model.yaml\nsource: items.csv\nstores: { by: country, "
          "shared: [common.yaml] }\n" + usual)
    write(folder, "common.csv", "code,country,amount\n" + "".join(f"x{n},,{n}\n" for n in range(5)))
    write(folder, "items.csv", "code,country,amount\n"
          + "".join(f"a{n},{'DE FR NL'.split()[n % 3]},{n if n % 8 else 'many'}\n" for n in range(20)))


@scenario(["stores", "build", "p.yaml", "--out", "family", "--quiet"], growing=("rejects", "family$", "family/_"))
def family_again(folder, mergewalk):
    family(folder, mergewalk)
    mergewalk("stores", "build", "p.yaml", "--out", "family", "--quiet")
    write(folder, "items.csv", "code,country,amount\n" + "".join(f"a{n},{'DE FR BE'.split()[n % 3]},{n * 3}\n"
                                                              for n in range(20)))


@scenario(RUN, beside="read")
def reader_beside(folder, mergewalk):
    night(folder, mergewalk)


@scenario(RUN, beside="write")
def writer_beside(folder, mergewalk):
    night(folder, mergewalk)
    write(folder, "quiet.csv", orders(1, first=9001))
    shutil.copy(pathlib.Path(folder, "p.yaml"), pathlib.Path(folder, "quiet.yaml"))
    path = pathlib.Path(folder, "quiet.yaml")
    path.write_text(path.read_text().replace("in-*.csv", "quiet.csv"))
    mergewalk("run", "quiet.yaml", "--quiet", "--no-history")


@scenario(RUN, beside="checkpoint")
def checkpointer_beside(folder, mergewalk):
    writer_beside(folder, mergewalk)


@scenario(RUN, beside="write")
def writer_beside_rollback_journal(folder, mergewalk):
    writer_beside(folder, mergewalk)
    import sqlite3  # The store changes its mode as an app would do it.
    connection = sqlite3.connect(pathlib.Path(folder, "s.sqlite"))
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()

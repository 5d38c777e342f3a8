#!/usr/bin/env python3
"""Installs what scripts/dist.py made into bare roots without Swift, and runs the demo in each.

    scripts/dist-test.py [--dist build/dist] [--suite bookworm ...] [--root FOLDER ...]

Needs root (chroot). With --suite a root is made by debootstrap from the mirror, and --root names one that was made before; there
the package is installed by apt and the tarball is unpacked. Without them the root has dpkg's unpacked package and this machine's own copies of the system libraries that the binary names, nothing else: that proves that the binary
finds what the package depends on, not that the dependencies' versions are right.
"""
import argparse, contextlib, glob, hashlib, json, os, shutil, subprocess, sys, tarfile, tempfile, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import dist  # noqa: E402


def fail(message):
    sys.exit("dist-test: " + message)


def copy_libraries(binary, root):
    """The system libraries of a binary; a Swift library among them is a failure unless the build was not static."""
    swift = []
    for path in dist.libraries(binary):
        if "/swift/" in path:
            swift.append(os.path.basename(path))
        target = root + path
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not os.path.exists(target):
            shutil.copy(os.path.realpath(path), target)
    return swift


# What each way of installing has to bring along.
HELD = {"bin/mergewalk", "share/man/man1/mergewalk.1.gz", "share/man/man1/mergewalk-run.1.gz",
        "share/bash-completion/completions/mergewalk", "share/zsh/vendor-completions/_mergewalk",
        "share/fish/vendor_completions.d/mergewalk.fish", "share/mergewalk/pipeline.schema.json",
        "share/doc/mergewalk/copyright", "share/doc/mergewalk/sbom.cdx.json", "share/doc/mergewalk/changelog.gz",
        "share/doc/mergewalk/examples/mergewalk@.service", "share/doc/mergewalk/examples/mergewalk@.timer"}
# An image has no shell and no reader of man pages.
HELD_BY_IMAGE = {"bin/mergewalk", "share/doc/mergewalk/copyright", "share/doc/mergewalk/sbom.cdx.json"}


def check_files(folder, names):
    """Whether the files are there and hold something; the SBOM names the system's libraries that the binary needs."""
    for name in sorted(names):
        path = os.path.join(folder, name)
        if not os.path.exists(path) or not os.path.getsize(path):
            fail(f"{path} is not there or empty")
    parts = {part["name"] for part in json.load(open(os.path.join(folder, "share/doc/mergewalk/sbom.cdx.json")))["components"]}
    for name in ["swift-stdlib", "swift-argument-parser", "swift-log"]:
        if name not in parts:
            fail(f"the SBOM of {folder} does not name {name}")
    for path in dist.libraries(os.path.join(folder, "bin/mergewalk")):
        if os.path.basename(path) not in parts:
            fail(f"the SBOM of {folder} does not name {os.path.basename(path)}")


def demo(root, command, files, user=None):
    """Runs lint, run, verify, fetch in the root, as the user with this number; returns the seconds."""
    work = os.path.join(root, "demo")
    shutil.copytree(files, work)
    become = ""
    if user:
        for folder, _, names in os.walk(work):
            for path in [folder] + [os.path.join(folder, name) for name in names]:
                os.chown(path, user, user)
        become = f"os.setgroups([]); os.setgid({user}); os.setuid({user}); "
    begin = time.monotonic()
    model = "fixtures/shop/Shop.xcdatamodeld"
    for arguments, expected in [
        (["lint", "pipelines/orders.yaml"], "no findings"), (["run", "pipelines/orders.yaml"], "255 records imported"),
        (["store", "verify", "build/shop.sqlite", "--model", model], "sound"),
        (["fetch", "build/shop.sqlite", "--entity", "Order", "--count"], "250"),
    ]:
        script = f"import os; os.chroot({root!r}); os.chdir('/demo'); {become}os.execv({command!r}, ['mergewalk'] + {arguments!r})"
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                              env={"PATH": "/usr/bin", "HOME": "/demo"})
        said = done.stdout + done.stderr
        if done.returncode != 0 or expected not in said:
            fail(f"{' '.join(arguments)} in {root}: code {done.returncode}, expected “{expected}”: {said}")
    seconds = time.monotonic() - begin
    if user and os.stat(os.path.join(work, "build/shop.sqlite")).st_uid != user:
        fail(f"the demo in {root} did not run as user {user}")
    shutil.rmtree(work)
    if seconds > 60:
        fail(f"the demo took {seconds:.0f} s, more than a minute")
    return seconds


def check_sums(folder):
    for line in open(os.path.join(folder, "SHA256SUMS")):
        digest, name = line.split()
        with open(os.path.join(folder, name), "rb") as file:
            if hashlib.sha256(file.read()).hexdigest() != digest:
                fail(f"{name} has another checksum")


def unpack_image(path, work):
    """What a container engine does with the image: the layers one over the other; returns root and configuration."""
    layout = os.path.join(work, "layout")
    with tarfile.open(path) as tar:
        tar.extractall(layout)

    def blob(entry):
        kind, digest = entry["digest"].split(":")
        data = open(os.path.join(layout, "blobs", kind, digest), "rb").read()
        if hashlib.sha256(data).hexdigest() != digest or len(data) != entry["size"]:
            fail("a blob of the image is not what its name says")
        return data

    index = json.load(open(os.path.join(layout, "index.json")))
    manifest = json.loads(blob(index["manifests"][0]))
    config = json.loads(blob(manifest["config"]))
    root = os.path.join(work, "image")
    os.makedirs(root)
    for layer in manifest["layers"]:
        blob(layer)
        with tarfile.open(os.path.join(layout, "blobs", *layer["digest"].split(":")), "r:gz") as tar:
            tar.extractall(root)
    return root, config


@contextlib.contextmanager
def pseudo_terminals(root):
    """Mounts in a root for the time of a block what zsh needs to open a terminal."""
    mounts = [(["-t", "proc", "proc"], "proc"), (["--bind", "/dev"], "dev"), (["--bind", "/dev/pts"], "dev/pts")]
    done = []
    try:
        for arguments, folder in mounts:
            os.makedirs(os.path.join(root, folder), exist_ok=True)
            subprocess.run(["mount"] + arguments + [os.path.join(root, folder)], check=True)
            done.insert(0, os.path.join(root, folder))
        yield
    finally:
        for path in done:
            subprocess.run(["umount", path], check=True)


def release(root):
    """The name of a root's system, as it says itself."""
    text = open(os.path.join(root, "etc/os-release")).read()
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)["PRETTY_NAME"].strip('"')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dist", default=os.path.join(dist.HERE, "build/dist"))
    parser.add_argument("--suite", action="append", default=[])
    parser.add_argument("--root", action="append", default=[], help="a root that was made before; it is copied")
    parser.add_argument("--mirror", default="http://deb.debian.org/debian")
    options = parser.parse_args()
    check_sums(options.dist)
    deb = glob.glob(os.path.join(options.dist, "*.deb"))[0]
    with tempfile.TemporaryDirectory() as work:
        tree = os.path.join(work, "unpacked")
        subprocess.run(["dpkg-deb", "-x", deb, tree], check=True)
        files = os.path.join(tree, "usr/share/doc/mergewalk/examples/demo")
        check_files(os.path.join(tree, "usr"), HELD)
        root = os.path.join(work, "root")
        shutil.copytree(tree, root)
        swift = copy_libraries(os.path.join(root, "usr/bin/mergewalk"), root)
        os.makedirs(os.path.join(root, "tmp"), exist_ok=True)
        note = f", with {len(swift)} libraries of Swift: not a static build" if swift else ""
        print(f"deb in a root of this machine's libraries: the demo took {demo(root, '/usr/bin/mergewalk', files):.1f} s{note}")

        tar = glob.glob(os.path.join(options.dist, "*.tar.xz"))[0]
        root = os.path.join(work, "tar")
        with tarfile.open(tar) as archive:
            archive.extractall(root)
        command = glob.glob(os.path.join(root, "*/bin/mergewalk"))[0]
        check_files(os.path.dirname(os.path.dirname(command)), HELD | {"share/doc/mergewalk/LICENSE"})
        copy_libraries(command, root)
        os.makedirs(os.path.join(root, "tmp"), exist_ok=True)
        print(f"tarball in such a root: the demo took {demo(root, command[len(root):], files):.1f} s")

        root, config = unpack_image(glob.glob(os.path.join(options.dist, "*-oci-*.tar"))[0], work)
        if config["config"]["User"].startswith("0") or config["config"]["Entrypoint"] != ["/usr/bin/mergewalk"]:
            fail("the image runs as root, or something else")
        check_files(os.path.join(root, "usr"), HELD_BY_IMAGE)
        user = int(config["config"]["User"].split(":")[0])
        seconds = demo(root, "/usr/bin/mergewalk", files, user)
        print(f"OCI image unpacked, as in a container, as user {user}: the demo took {seconds:.1f} s")

        for suite in options.suite + options.root:
            root = os.path.join(work, os.path.basename(suite.rstrip("/")))
            if suite in options.root:
                subprocess.run(["cp", "-a", suite, root], check=True)
            else:
                subprocess.run(["debootstrap", "--variant=minbase", suite, root, options.mirror], check=True,
                               stdout=subprocess.DEVNULL)
            begin = time.monotonic()
            shutil.copy(deb, os.path.join(root, "tmp/mergewalk.deb"))
            # The root asks the network as this machine does.
            for path in ["/etc/resolv.conf"] + glob.glob("/etc/apt/apt.conf.d/*proxy*"):
                if os.path.exists(path):
                    shutil.copy(path, root + path)
            subprocess.run(["chroot", root, "apt-get", "install", "-y", "-qq", "--no-install-recommends",
                            "/tmp/mergewalk.deb"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
            # Of a build that is not static only Swift's libraries are brought along: the others are the package's.
            swift = [path for path in dist.libraries(os.path.join(root, "usr/bin/mergewalk")) if "/swift/" in path]
            for path in swift:
                os.makedirs(os.path.dirname(root + path), exist_ok=True)
                shutil.copy(path, root + path)
            note = f", with {len(swift)} libraries of Swift: not a static build" if swift else ""
            name = release(root)
            installed = time.monotonic() - begin
            print(f"deb in a bare {name}: installed in {installed:.1f} s, the demo took "
                  f"{demo(root, '/usr/bin/mergewalk', files):.1f} s{note}")
            # The completions, in the shells of the distribution.
            subprocess.run(["chroot", root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", "bash-completion",
                            "zsh", "fish"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
            shutil.copy(os.path.join(dist.HERE, "scripts/completions-test.sh"), os.path.join(root, "tmp"))
            with pseudo_terminals(root):
                said = subprocess.run(["chroot", root, "/tmp/completions-test.sh"], capture_output=True, text=True)
            if said.returncode:
                fail(f"in {name}: {said.stdout}{said.stderr}")
            print(f"{said.stdout.strip()} of {name}")
            # The tarball where the package was: it must need nothing that the package brought.
            subprocess.run(["chroot", root, "dpkg", "--purge", "mergewalk"], check=True, stdout=subprocess.DEVNULL)
            if os.path.exists(os.path.join(root, "usr/bin/mergewalk")):
                fail(f"the package is not gone from {name}")
            with tarfile.open(tar) as archive:
                archive.extractall(os.path.join(root, "opt"))
            command = glob.glob(os.path.join(root, "opt/*/bin/mergewalk"))[0]
            print(f"tarball in a bare {name}: the demo took {demo(root, command[len(root):], files):.1f} s")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Installs what scripts/dist.py made into bare roots without Swift, and runs the demo in each.

    scripts/dist-test.py [--dist build/dist] [--suite bookworm ...]

Needs root (chroot). With --suite a root is made by debootstrap from the mirror; without it the root has dpkg's unpacked
package and this machine's own copies of the system libraries that the binary names, nothing else: that proves that the binary
finds what the package depends on, not that the dependencies' versions are right.
"""
import argparse, glob, hashlib, json, os, shutil, subprocess, sys, tarfile, tempfile, time

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


def demo(root, command, files):
    """Runs lint, run, verify, fetch in the root; returns the seconds."""
    work = os.path.join(root, "demo")
    shutil.copytree(files, work)
    begin = time.monotonic()
    model = "fixtures/shop/Shop.xcdatamodeld"
    for arguments, expected in [
        (["lint", "pipelines/orders.yaml"], "no findings"), (["run", "pipelines/orders.yaml"], "255 records imported"),
        (["store", "verify", "build/shop.sqlite", "--model", model], "sound"),
        (["fetch", "build/shop.sqlite", "--entity", "Order", "--count"], "250"),
    ]:
        script = f"import os; os.chroot({root!r}); os.chdir('/demo'); os.execv({command!r}, ['mergewalk'] + {arguments!r})"
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                              env={"PATH": "/usr/bin", "HOME": "/demo"})
        said = done.stdout + done.stderr
        if done.returncode != 0 or expected not in said:
            fail(f"{' '.join(arguments)} in {root}: code {done.returncode}, expected “{expected}”: {said}")
    shutil.rmtree(work)
    return time.monotonic() - begin


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dist", default=os.path.join(dist.HERE, "build/dist"))
    parser.add_argument("--suite", action="append", default=[])
    parser.add_argument("--mirror", default="http://deb.debian.org/debian")
    options = parser.parse_args()
    check_sums(options.dist)
    deb = glob.glob(os.path.join(options.dist, "*.deb"))[0]
    with tempfile.TemporaryDirectory() as work:
        tree = os.path.join(work, "unpacked")
        subprocess.run(["dpkg-deb", "-x", deb, tree], check=True)
        files = os.path.join(tree, "usr/share/doc/mergewalk/examples/demo")
        for name in ["usr/share/man/man1/mergewalk-run.1.gz", "usr/share/bash-completion/completions/mergewalk",
                     "usr/share/mergewalk/pipeline.schema.json", "usr/share/doc/mergewalk/copyright"]:
            if not os.path.getsize(os.path.join(tree, name)):
                fail(f"{name} is empty")
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
        copy_libraries(command, root)
        os.makedirs(os.path.join(root, "tmp"), exist_ok=True)
        print(f"tarball in such a root: the demo took {demo(root, command[len(root):], files):.1f} s")

        root, config = unpack_image(glob.glob(os.path.join(options.dist, "*-oci-*.tar"))[0], work)
        if config["config"]["User"].startswith("0") or config["config"]["Entrypoint"] != ["/usr/bin/mergewalk"]:
            fail("the image runs as root, or something else")
        print(f"OCI image unpacked, as in a container: the demo took {demo(root, '/usr/bin/mergewalk', files):.1f} s")

        for suite in options.suite:
            root = os.path.join(work, suite)
            subprocess.run(["debootstrap", "--variant=minbase", suite, root, options.mirror], check=True,
                           stdout=subprocess.DEVNULL)
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
            print(f"deb in a bare {suite}: the demo took {demo(root, '/usr/bin/mergewalk', files):.1f} s{note}")


if __name__ == "__main__":
    main()

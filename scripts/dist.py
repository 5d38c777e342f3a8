#!/usr/bin/env python3
"""Packages a built mergewalk: a tarball, a Debian package, an OCI image, an SBOM and checksums.

    scripts/dist.py --binary .build/release/mergewalk --out build/dist [--only tar,deb,oci]

Needs Python 3.9, binutils and, for the Debian package, dpkg-dev. No Docker, no network. The same binary gives the same
archives, byte for byte, but for the Debian package's compressor version.
"""
import argparse, datetime, email.utils, gzip, hashlib, io, json, os, platform, re, shutil, subprocess, sys, tarfile, tempfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(HERE, "scripts"))
import manpages  # noqa: E402

# 2020-01-01: no time of the build is in any archive.
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "1577836800"))
SUMMARY = "Bulk import into Core Data stores on Linux"


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def write(path, data, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())
    os.chmod(path, mode)


def libraries(binary):
    """The paths of the shared libraries that a binary needs, the loader included."""
    found = []
    for line in run("ldd", binary).splitlines():
        match = re.match(r"\s*(?:\S+ => )?(/\S+) \(", line)
        if match:
            found.append(match.group(1))
        elif "not found" in line:
            sys.exit("a library is missing: " + line.strip())
    return found


def linked(path):
    """The packages whose archives are in the binary: name to version. None without the list of static-libraries.py."""
    if not path:
        return {}
    return {entry["package"]: entry["version"] for entry in json.load(open(path))}


def copyrights(packages):
    """Our licence, and the notices of the libraries that are linked statically."""
    text = ("Mergewalk\n\nCopyright 2026 The Mergewalk authors\n\n"
            "Licensed under the Apache License, Version 2.0. On Debian systems its text is in\n"
            "/usr/share/common-licenses/Apache-2.0; elsewhere: https://www.apache.org/licenses/LICENSE-2.0\n\n"
            "The binary contains the Swift standard library, Foundation, swift-argument-parser and swift-log\n"
            "(Copyright Apple Inc. and the projects' authors, Apache License 2.0 with Runtime Library Exception")
    text += ")" + (",\nand the libraries below.\n" if packages else ".\n")
    for package, version in sorted(packages.items()):
        path = f"/usr/share/doc/{package}/copyright"
        notice = open(path, encoding="utf-8", errors="replace").read() if os.path.exists(path) else "(no notice found)\n"
        text += f"\n{'=' * 78}\n{package} {version}\n{'=' * 78}\n\n{notice}"
    return text


def stage(binary, folder, packages):
    """Lays out what all packages hold, as it lies below /usr; returns the version."""
    target = os.path.join(folder, "usr/bin/mergewalk")
    write(target, open(binary, "rb").read(), 0o755)
    before = os.path.getsize(target)
    run("strip", "--strip-unneeded", target)
    print(f"binary: {before / 1e6:.1f} MB, stripped {os.path.getsize(target) / 1e6:.1f} MB")
    version = run(target, "--version").split()[-1]
    share = os.path.join(folder, "usr/share")
    for name, text in manpages.pages(json.loads(run(target, "--experimental-dump-help")), version).items():
        write(os.path.join(share, "man/man1", name + ".gz"), gzip.compress(text.encode(), mtime=0))
    for shell, path in [("bash", "bash-completion/completions/mergewalk"), ("zsh", "zsh/vendor-completions/_mergewalk"),
                        ("fish", "fish/vendor_completions.d/mergewalk.fish")]:
        script = run(target, "--generate-completion-script", shell)
        # Completions are sourced, not executed.
        write(os.path.join(share, path), re.sub(r"\A#!.*\n", "", script) if shell == "bash" else script)
    write(os.path.join(share, "mergewalk/pipeline.schema.json"), run(target, "schema"))
    doc = os.path.join(share, "doc/mergewalk")
    write(os.path.join(doc, "copyright"), copyrights(packages))
    write(os.path.join(doc, "changelog.gz"),
          gzip.compress(open(os.path.join(HERE, "CHANGELOG.md"), "rb").read(), mtime=0))
    write(os.path.join(doc, "sbom.cdx.json"), json.dumps(sbom(binary, version, packages), indent=2) + "\n")
    # Files only: Python leaves a folder of compiled code beside the DAG when a test has loaded it.
    for entry in sorted(os.scandir(os.path.join(HERE, "packaging/systemd")), key=lambda entry: entry.name):
        if entry.is_file():
            write(os.path.join(doc, "examples", entry.name), open(entry.path, "rb").read())
    # The demo, so that an installation can be tried: the same files as in the repository.
    for root, _, names in os.walk(os.path.join(HERE, "fixtures/shop")):
        # The wrong orders are for tests: their bytes are no text in any encoding.
        for name in sorted(set(names) - {"bad-orders.csv"}):
            path = os.path.join(root, name)
            write(os.path.join(doc, "examples/demo", os.path.relpath(path, HERE)), open(path, "rb").read())
    write(os.path.join(doc, "examples/demo/pipelines/orders.yaml"),
          open(os.path.join(HERE, "pipelines/orders.yaml"), "rb").read())
    return version


def sbom(binary, version, packages):
    """The components of the binary, and the libraries that it finds on the machine (CycloneDX 1.5)."""
    components = [{"type": "framework", "name": "swift-stdlib", "version": swift_version(), "scope": "required"}]
    # The build writes it; without it the packages that the binary contains would be missing here.
    for pin in json.load(open(os.path.join(HERE, "Package.resolved")))["pins"]:
        components.append({"type": "library", "name": pin["identity"], "version": pin["state"].get("version", ""),
                           "purl": f"pkg:swift/{pin['location'].split('://')[-1]}@{pin['state'].get('version', '')}"})
    for name, number in sorted(packages.items()):
        components.append({"type": "library", "name": name, "version": number, "scope": "required",
                           "purl": f"pkg:deb/debian/{name}@{number}", "description": "linked statically"})
    for path in libraries(binary):
        components.append({"type": "library", "name": os.path.basename(path), "scope": "excluded",
                           "description": "shared library of the system, not part of the package"})
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
            "metadata": {"component": {"type": "application", "name": "mergewalk", "version": version,
                                       "licenses": [{"license": {"id": "Apache-2.0"}}]}},
            "components": components}


def swift_version():
    try:
        return re.search(r"Swift version (\S+)", run("swift", "--version")).group(1)
    except (OSError, subprocess.CalledProcessError, AttributeError):
        return "unknown"


def archive(folder, prefix=""):
    """A tar archive of a folder: sorted, without owners and times."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        paths = []
        for root, folders, names in os.walk(folder):
            paths += [os.path.join(root, name) for name in folders + names]
        for path in sorted(paths):
            info = tar.gettarinfo(path, prefix + os.path.relpath(path, folder))
            info.uid = info.gid = 0
            info.uname = info.gname = "root"
            info.mtime = EPOCH
            info.mode = 0o755 if info.isdir() or os.access(path, os.X_OK) else 0o644
            if info.isreg():
                with open(path, "rb") as file:
                    tar.addfile(info, file)
            else:
                tar.addfile(info)
    return buffer.getvalue()


def tarball(tree, out, version, architecture):
    import lzma
    path = os.path.join(out, f"mergewalk-{version}-linux-{architecture}.tar.xz")
    licence = os.path.join(tree, "usr/share/doc/mergewalk/LICENSE")
    # A Debian package has it in /usr/share/common-licenses.
    write(licence, open(os.path.join(HERE, "LICENSE"), "rb").read())
    write(path, lzma.compress(archive(os.path.join(tree, "usr"), f"mergewalk-{version}/")))
    os.remove(licence)
    return path


def deb(tree, out, version, architecture, work, static):
    names = {"x86_64": "amd64", "aarch64": "arm64"}
    root = os.path.join(work, "deb")
    shutil.copytree(tree, root)
    # dpkg-shlibdeps wants a source package around it.
    write(os.path.join(work, "debian/control"), "Source: mergewalk\n\nPackage: mergewalk\nArchitecture: any\n")
    depends = run("dpkg-shlibdeps", "-O", "--ignore-missing-info", "-l/opt/swift/usr/lib/swift/linux",
                  os.path.join(root, "usr/bin/mergewalk"), cwd=work)
    depends = re.search(r"shlibs:Depends=(.*)", depends).group(1)
    maintainer = (f"{os.environ.get('DEBFULLNAME', 'The Mergewalk authors')} "
                  f"<{os.environ.get('DEBEMAIL', 'packages@mergewalk.example')}>")
    changes = (f"mergewalk ({version}) unstable; urgency=medium\n\n  * The changes are in CHANGELOG.md of the sources.\n\n"
               f" -- {maintainer}  {email.utils.format_datetime(datetime.datetime.fromtimestamp(EPOCH, datetime.timezone.utc))}\n")
    write(os.path.join(root, "usr/share/doc/mergewalk/changelog.gz"), gzip.compress(changes.encode(), mtime=0))
    if static:
        # On purpose: one package for every Debian and Ubuntu whose libc is new enough.
        write(os.path.join(root, "usr/share/lintian/overrides/mergewalk"),
              "# Linked statically, so that one package fits Debian and Ubuntu of several years.\nmergewalk: embedded-library *\n")
    size = sum(os.path.getsize(os.path.join(r, n)) for r, _, names_ in os.walk(root) for n in names_) // 1024
    write(os.path.join(root, "DEBIAN/control"),
          f"Package: mergewalk\nVersion: {version}\nArchitecture: {names.get(architecture, architecture)}\n"
          f"Maintainer: {maintainer}\nInstalled-Size: {size}\nDepends: {depends}\nRecommends: curl\n"
          f"Section: database\nPriority: optional\nDescription: {SUMMARY}\n"
          " Reads CSV, JSON, XML, YAML, property lists and databases and writes stores\n"
          " that apps open with Core Data.\n")
    sums = ""
    for folder, _, names_ in sorted(os.walk(os.path.join(root, "usr"))):
        for name in sorted(names_):
            path = os.path.join(folder, name)
            sums += hashlib.md5(open(path, "rb").read()).hexdigest() + "  " + os.path.relpath(path, root) + "\n"
    write(os.path.join(root, "DEBIAN/md5sums"), sums)
    path = os.path.join(out, f"mergewalk_{version}_{names.get(architecture, architecture)}.deb")
    run("dpkg-deb", "--build", "--root-owner-group", "-Zxz", root, path, env={**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH)})
    return path


def oci(tree, out, version, architecture, work):
    """An OCI image as a layout in a tar archive: the binary, its libraries, a user who is not root, nothing else."""
    names = {"x86_64": "amd64", "aarch64": "arm64"}
    root = os.path.join(work, "oci")
    shutil.copytree(os.path.join(tree, "usr/bin"), os.path.join(root, "usr/bin"))
    for name in ["copyright", "sbom.cdx.json"]:
        path = "usr/share/doc/mergewalk/" + name
        write(os.path.join(root, path), open(os.path.join(tree, path), "rb").read())
    for path in libraries(os.path.join(tree, "usr/bin/mergewalk")):
        # The libraries of a Swift that is not linked statically are found where the binary looks for them.
        write(root + path, open(os.path.realpath(path), "rb").read(), 0o755)
    write(os.path.join(root, "etc/passwd"), "mergewalk:x:65532:65532::/data:/usr/sbin/nologin\n")
    write(os.path.join(root, "etc/group"), "mergewalk:x:65532:\n")
    for folder in ["tmp", "data"]:
        os.makedirs(os.path.join(root, folder), exist_ok=True)
    layout = os.path.join(work, "layout")

    def blob(data):
        digest = hashlib.sha256(data).hexdigest()
        write(os.path.join(layout, "blobs/sha256", digest), data)
        return "sha256:" + digest

    plain = archive(root)
    # The layer's folders /tmp and /data belong to the image's user.
    layer = gzip.compress(owned(plain, {"data", "tmp"}), mtime=0)
    config = {"architecture": names.get(architecture, architecture), "os": "linux",
              "config": {"User": "65532:65532", "Entrypoint": ["/usr/bin/mergewalk"], "Cmd": ["--help"],
                         "WorkingDir": "/data", "Env": ["PATH=/usr/bin", "HOME=/data"],
                         "Labels": {"org.opencontainers.image.title": "mergewalk",
                                    "org.opencontainers.image.version": version,
                                    "org.opencontainers.image.licenses": "Apache-2.0"}},
              "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(gzip.decompress(layer)).hexdigest()]},
              "history": [{"created_by": "scripts/dist.py"}]}
    data = json.dumps(config, sort_keys=True).encode()
    manifest = json.dumps({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": blob(data), "size": len(data)},
        "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", "digest": blob(layer),
                    "size": len(layer)}]}, sort_keys=True).encode()
    index = {"schemaVersion": 2, "manifests": [{
        "mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": blob(manifest), "size": len(manifest),
        "platform": {"os": "linux", "architecture": config["architecture"]},
        "annotations": {"org.opencontainers.image.ref.name": version}}]}
    write(os.path.join(layout, "index.json"), json.dumps(index, sort_keys=True))
    write(os.path.join(layout, "oci-layout"), json.dumps({"imageLayoutVersion": "1.0.0"}))
    path = os.path.join(out, f"mergewalk-{version}-oci-{config['architecture']}.tar")
    write(path, archive(layout))
    return path


def owned(data, folders):
    """The same archive with these folders belonging to the user 65532."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(data)) as source, \
            tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as target:
        for info in source:
            if info.name in folders:
                info.uid = info.gid = 65532
                info.uname = info.gname = "mergewalk"
            target.addfile(info, source.extractfile(info) if info.isreg() else None)
    return buffer.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=os.path.join(HERE, ".build/release/mergewalk"))
    parser.add_argument("--out", default=os.path.join(HERE, "build/dist"))
    parser.add_argument("--only", default="tar,deb,oci")
    parser.add_argument("--static", help="libraries.json of scripts/static-libraries.py, if the build used it")
    options = parser.parse_args()
    shutil.rmtree(options.out, ignore_errors=True)
    os.makedirs(options.out)
    kinds = options.only.split(",")
    architecture = platform.machine()
    with tempfile.TemporaryDirectory() as work:
        tree = os.path.join(work, "tree")
        version = stage(options.binary, tree, linked(options.static))
        made = []
        if "tar" in kinds:
            made.append(tarball(tree, options.out, version, architecture))
        if "deb" in kinds:
            made.append(deb(tree, options.out, version, architecture, work, bool(options.static)))
        if "oci" in kinds:
            made.append(oci(tree, options.out, version, architecture, work))
        sums = "".join(f"{hashlib.sha256(open(p, 'rb').read()).hexdigest()}  {os.path.basename(p)}\n" for p in made)
        write(os.path.join(options.out, "SHA256SUMS"), sums)
    for path in made:
        print(f"{os.path.getsize(path) / 1e6:8.1f} MB  {path}")


if __name__ == "__main__":
    main()

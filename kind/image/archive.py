#!/usr/bin/env python3
"""Writes a one-layer container image as a tar, without a container engine.

    archive.py OUT.tar REFERENCE [--entrypoint WORD]... [--user UID] [--format docker|oci] [SOURCE=DESTINATION]... [--link TARGET=NAME]...

`docker load`, `ctr images import` and `kind load image-archive` read the docker format; `skopeo`, `ctr images import` and registries' tools read the
OCI one. The same input gives the same bytes: no times, no owners, entries in order of their names.
"""

import argparse
import hashlib
import io
import json
import pathlib
import tarfile

FOLDERS = ["bin", "dev", "etc", "proc", "sys", "tmp", "usr"]
PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def entry(name, mode, kind=tarfile.REGTYPE, size=0, link=""):
    """A tar header without anything that changes from run to run."""
    info = tarfile.TarInfo(name)
    info.mode, info.type, info.size, info.linkname = mode, kind, size, link
    return info


def layer(files, links, folders):
    """The only layer: folders first, then files and symbolic links."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        names = {str(p) for d in [*files, *links] for p in pathlib.PurePosixPath(d).parents}
        for folder in sorted((names | set(folders)) - {"."}):
            tar.addfile(entry(folder, 0o1777 if folder == "tmp" else 0o755, tarfile.DIRTYPE))
        for name in sorted(files):
            data = pathlib.Path(files[name]).read_bytes()
            tar.addfile(entry(name, 0o755, size=len(data)), io.BytesIO(data))
        for name in sorted(links):
            tar.addfile(entry(name, 0o777, tarfile.SYMTYPE, link=links[name]))
    return out.getvalue()


def digest(data):
    return hashlib.sha256(data).hexdigest()


def write(path, members):
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in members:
            tar.addfile(entry(name, 0o644, size=len(data)), io.BytesIO(data))


def docker_members(reference, config, content):
    """The layout of `docker save`."""
    config_name, layer_name = digest(config) + ".json", digest(content) + "/layer.tar"
    manifest = [{"Config": config_name, "RepoTags": [reference], "Layers": [layer_name]}]
    return [(config_name, config), (layer_name, content), ("manifest.json", json.dumps(manifest).encode())]


def oci_members(reference, config, content):
    """The OCI image layout (image-spec, image-layout.md)."""

    def described(media, data, **more):
        kind = f"application/vnd.oci.image.{media}"
        return {"mediaType": kind, "digest": f"sha256:{digest(data)}", "size": len(data), **more}

    manifest = json.dumps({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": described("config.v1+json", config),
        "layers": [described("layer.v1.tar", content)],
    }).encode()
    tag = reference.rsplit(":", 1)[-1]
    names = {"org.opencontainers.image.ref.name": tag, "io.containerd.image.name": reference}
    index = {"schemaVersion": 2, "manifests": [described("manifest.v1+json", manifest, annotations=names)]}
    blobs = [(f"blobs/sha256/{digest(data)}", data) for data in (config, content, manifest)]
    return [*blobs, ("index.json", json.dumps(index).encode()), ("oci-layout", b'{"imageLayoutVersion":"1.0.0"}')]


def pairs(words):
    """`SOURCE=DESTINATION` words as destination -> source."""
    return {d.lstrip("/"): s for s, d in (word.rsplit("=", 1) for word in words)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("reference")
    parser.add_argument("files", nargs="*", metavar="SOURCE=DESTINATION")
    parser.add_argument("--entrypoint", action="append", default=[], metavar="WORD")
    parser.add_argument("--link", action="append", default=[], metavar="TARGET=NAME")
    parser.add_argument("--user", default="")
    parser.add_argument("--format", choices=["docker", "oci"], default="docker")
    parser.add_argument("--bare", action="store_true", help="no folders but those of the files")
    args = parser.parse_intermixed_args()
    content = layer(pairs(args.files), pairs(args.link), [] if args.bare else FOLDERS)
    settings = {"Env": [PATH], "User": args.user}
    if args.entrypoint:
        settings["Entrypoint"] = args.entrypoint
    config = json.dumps({
        "architecture": "amd64",
        "os": "linux",
        "config": settings,
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest(content)}"]},
        "history": [{"created_by": "drakit kind/image/archive.py"}],
    }).encode()
    members = docker_members if args.format == "docker" else oci_members
    write(args.out, members(args.reference, config, content))


if __name__ == "__main__":
    main()

/**
 * A base image where no registry can be reached: of what debootstrap installs, the C and C++ libraries that Node needs, and
 * nothing else. It has no shell and no package manager, as the default base has none.
 */
import {
  cpSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { buildah, run } from "./programs.ts";

const PACKAGES = ["base-files", "gcc-12-base:amd64", "libc6:amd64", "libgcc-s1:amd64", "libstdc++6:amd64"];
/** The old names of folders under /usr. */
const LINKS = ["bin", "lib", "lib32", "lib64", "libx32", "sbin"];

/**
 * @param folder for what is made on the way; a `debian` in it is taken as it is
 * @returns the image's name in the store
 */
export function makeBase(folder: string, store: string): string {
  const debian = join(folder, "debian");
  const slim = join(folder, "base");
  if (lstatSync(join(debian, "var/lib/dpkg/status"), { throwIfNoEntry: false }) === undefined)
    run("debootstrap", ["--variant=minbase", "bookworm", debian]);
  rmSync(slim, { recursive: true, force: true });
  mkdirSync(slim, { recursive: true });
  const copy = (path: string) => {
    const [from, to] = [join(debian, path), join(slim, path)];
    if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) return;
    mkdirSync(dirname(to), { recursive: true });
    if (lstatSync(from).isSymbolicLink()) symlinkSync(readlinkSync(from), to);
    else cpSync(from, to);
  };
  for (const link of LINKS) {
    if (!lstatSync(join(debian, link), { throwIfNoEntry: false })?.isSymbolicLink()) continue;
    mkdirSync(join(slim, "usr", link), { recursive: true });
    copy(link);
  }
  for (const name of PACKAGES)
    for (const path of readFileSync(join(debian, "var/lib/dpkg/info", `${name}.list`), "utf8").split("\n")) {
      const found =
        path === "" || path === "/." ? undefined : lstatSync(join(debian, path), { throwIfNoEntry: false });
      if (found === undefined || /^\/usr\/share\/(doc|man|locale|lintian)/.test(path)) continue;
      if (found.isDirectory()) mkdirSync(join(slim, path), { recursive: true });
      else copy(path);
    }
  mkdirSync(join(slim, "tmp"), { recursive: true, mode: 0o1777 });
  writeFileSync(
    join(slim, "etc/passwd"),
    "root:x:0:0:root:/root:/sbin/nologin\nassay:x:65532:65532:assay:/var/lib/assay:/sbin/nologin\n",
  );
  writeFileSync(join(slim, "Containerfile"), "FROM scratch\nCOPY . /\n");
  buildah(store, "bud", "--isolation", "chroot", "--tag", "localhost/assay-base", slim);
  return "localhost/assay-base";
}

/**
 * A root of its own to install into: its own /etc, /var, /run and users; the host's /usr and this checkout at /opt/assay,
 * both read-only. Every command runs as root in it, in a mount namespace that ends with it. Needs root.
 */
import { spawn } from "node:child_process";
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const CHECKOUT = join(import.meta.dirname, "../..");
const PATH = "/opt/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin";
const NODE = "/opt/assay/.node/bin/node";

const ENTER = `set -e
root=$1; checkout=$2; shift 2
for folder in usr proc dev; do mount --rbind /$folder "$root/$folder"; done
mount --bind "$checkout" "$root/opt/assay"
for folder in usr opt/assay; do mount -o remount,bind,ro "$root/$folder"; done
exec chroot "$root" env -i PATH=${PATH} HOME=/root sh -c 'cd /opt/assay; umask 022; eval "$1"' sh "$1"`;

export type InstalledRoot = Awaited<ReturnType<typeof installedRoot>>;

export async function installedRoot() {
  const root = await mkdtemp(join(tmpdir(), "assay-root-"));
  await chmod(root, 0o755);
  const path = (inside: string) => join(root, inside);
  const folders =
    "usr proc dev opt/assay opt/bin root run tmp etc/systemd/system var/lib var/log var/backups";
  for (const folder of folders.split(" ")) await mkdir(path(folder), { recursive: true });
  await chmod(path("tmp"), 0o1777);
  for (const name of ["bin", "sbin", "lib", "lib64"])
    await readlink(`/${name}`).then(
      (target) => symlink(target, path(name)),
      () => {},
    );
  const asTheyAre = { recursive: true, verbatimSymlinks: true };
  const copied = "passwd group shadow gshadow nsswitch.conf login.defs hosts alternatives";
  for (const name of copied.split(" "))
    await cp(`/etc/${name}`, path(`etc/${name}`), asTheyAre).catch(() => {});
  // Where this machine's Node.js lies elsewhere than in /usr or the checkout.
  const node = await realpath(join(CHECKOUT, ".node/bin/node"));
  if (!node.startsWith("/usr/") && !node.startsWith(`${CHECKOUT}/`)) await cp(node, path(node));
  const program = async (name: string, script: string) => {
    await writeFile(path(`opt/bin/${name}`), `#!/bin/sh\n${script}\n`);
    await chmod(path(`opt/bin/${name}`), 0o755);
  };
  await program("systemctl", `exec ${NODE} /opt/assay/test/support/systemctl.ts "$@"`);
  await program("journalctl", 'cat "/var/log/$2.log"');

  /** As root, in /opt/assay. */
  const run = async (command: string) => {
    const args = ["--mount", "--propagation", "private", "sh", "-c", ENTER, "sh", root, CHECKOUT, command];
    const child = spawn("unshare", args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        output += chunk;
      });
    const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
    return { code, output };
  };
  return {
    path,
    run,
    async remove() {
      for (const name of await readdir(path("run/units")).catch(() => []))
        try {
          process.kill(Number(await readFile(path(`run/units/${name}`), "utf8")), "SIGKILL");
        } catch {
          // It has ended.
        }
      await rm(root, { recursive: true, force: true });
    },
  };
}

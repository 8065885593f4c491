/** The commands of docs/run/go-live.md and its neighbors for an installation with systemd, in a root of its own with its users and permissions. */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
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
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { KEYED_PROVIDERS, keySetting, urlSetting } from "../../api/settings/providers.ts";
import { PROVIDERS } from "../../market/providers/providers.ts";
import { needsProgram } from "../support/debian.ts";
import { freePort } from "../support/ports.ts";
import { blockNames, linesOf } from "../support/runbooks.ts";
import { until } from "../support/until.ts";
import { testWorld } from "../support/world.ts";

const CHECKOUT = join(import.meta.dirname, "../..");
const PATH = "/opt/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin";
const NODE = "/opt/assay/.node/bin/node";

const ENTER = `set -e
root=$1; checkout=$2; shift 2
for folder in usr proc dev; do mount --rbind /$folder "$root/$folder"; done
mount --bind "$checkout" "$root/opt/assay"
for folder in usr opt/assay; do mount -o remount,bind,ro "$root/$folder"; done
exec chroot "$root" env -i PATH=${PATH} HOME=/root sh -c 'cd /opt/assay; umask 022; eval "$1"' sh "$1"`;

type InstalledRoot = Awaited<ReturnType<typeof installedRoot>>;

async function installedRoot() {
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
  await program("systemctl", `exec ${NODE} /opt/assay/test/deploy/systemctl.ts "$@"`);
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

describe("An installation with systemd, as docs/run/go-live.md has it", function () {
  this.timeout(180_000);
  const world = testWorld();
  let root: InstalledRoot;
  let port: number;
  let url: string;

  before(async function () {
    needsProgram(this, "/usr/bin/systemctl", "systemd");
    needsProgram(this, "/usr/bin/curl", "curl");
    if (process.getuid?.() !== 0) {
      console.log("    only root can make a root of its own: the installation is not tried");
      this.skip();
    }
    port = await freePort();
    url = `http://127.0.0.1:${port}`;
    root = await installedRoot();
  });
  after(() => root?.remove());

  /** Each command has to end as the document says. @returns what each printed */
  async function follow(
    name: string,
    words: Record<string, string> = {},
    isHere = (_command: string) => true,
  ) {
    const outputs: string[] = [];
    for (const { command, exits } of linesOf(name).filter((line) => isHere(line.command))) {
      let text = command.replaceAll("https://assay.example.com", url);
      for (const [word, value] of Object.entries(words)) text = text.replaceAll(word, value);
      const { code, output } = await root.run(text);
      expect(code, `${text}\n${output}\n${await journal()}`).to.equal(exits);
      outputs.push(output);
    }
    return outputs;
  }
  const journal = () => readFile(root.path("var/log/assay@all.log"), "utf8").catch(() => "");
  const ready = async () => (await fetch(`${url}/readyz`)).json() as Promise<any>;
  const ownerOf = async (path: string) => {
    const { uid, mode } = await stat(root.path(path));
    return `${(await root.run(`id -nu ${uid}`)).output.trim()} ${(mode & 0o777).toString(8)}`;
  };

  it("makes a user, folders that are its own or root's, and units that systemd takes", async () => {
    // The checkout already exists.
    await follow("install-files", {}, (command) => !command.startsWith("git clone"));
    for (const role of ["all", "api", "worker", "check"]) {
      const unit = `assay@${role}.service`;
      const { code, output } = await root.run(`systemd-analyze verify --man=no --root=/ ${unit}`);
      expect(code, output).to.equal(0);
    }
    for (const unit of ["assay", "assay-api"]) {
      const { output } = await root.run(`systemctl start ${unit}`);
      expect(output).to.equal(`Unit ${unit}.service not found.\n`);
    }
  });

  it("is what all runbooks stop and start", () => {
    const commands = blockNames().flatMap((name) => linesOf(name).map(({ command }) => command));
    const used = /^systemctl (?:start|stop|restart|enable --now) (.+)$/;
    const units = commands.flatMap((command) => used.exec(command)?.[1]?.split(" ") ?? []);
    expect(units.length).to.be.greaterThan(5);
    for (const unit of units) expect(unit).to.match(/^(assay@(all|api|worker|check)|'assay@\*')$/);
  });

  it("puts keys where the service reads them, and where nobody else can", async () => {
    const [, , address, vkey] = await follow("install-keys");
    expect(address).to.match(/^0x[0-9a-fA-F]{40}\n$/);
    expect(vkey).to.match(/^assay\.example\.com\/log\+/);
    for (const key of ["attestor.json", "log.json"])
      expect(await ownerOf(`etc/assay/keys/${key}`)).to.equal("assay 600");
    expect(await ownerOf("etc/assay/credentials/log-passphrase")).to.equal("root 600");
    const asService = "setpriv --reuid=assay --regid=assay --init-groups";
    for (const [path, readable] of [
      ["keys/attestor.json", true],
      ["credentials/attestor-passphrase", false],
    ] as const)
      expect((await root.run(`${asService} cat /etc/assay/${path}`)).code === 0, path).to.equal(readable);
  });

  it("checks with the service's user, settings and credentials, then starts, enabled", async () => {
    const deployment = { ...world.deployment, source: "live", logKeys: undefined };
    await writeFile(root.path("etc/assay/deployment.json"), JSON.stringify(deployment));
    await follow("install-settings", { RPC_URL: world.url });
    // No provider is asked anything here.
    const dead = PROVIDERS.map((provider) => `${urlSetting(provider)}=http://127.0.0.1:1`);
    const keyless = KEYED_PROVIDERS.every((provider) => !(keySetting(provider) in process.env));
    expect(keyless).to.equal(true);
    const settings = await readFile(root.path("etc/assay/assay.env"), "utf8");
    const edited = settings.replace(/^DATABASE_URL_FILE=.*\n/m, "").replace(/^DRAIN_MS=.*$/m, "DRAIN_MS=0");
    await writeFile(root.path("etc/assay/assay.env"), [edited, ...dead, ""].join("\n"));
    await writeFile(root.path("etc/assay/all.env"), `PORT=${port}\n`);

    const [start, show] = linesOf("install-check").map(({ command }) => command);
    expect((await root.run(start!)).output).to.equal("Job for assay@check.service failed.\n");
    const { output: table } = await root.run(show!);
    const things = ["settings", "RPC", "attestation key", "log key", "database", "DATA_DIR", "LOG_STATE_DIR"];
    for (const thing of things) expect(table).to.match(new RegExp(`^${thing} +ok `, "m"));
    expect(table).to.match(/^guard's signer +wrong +the guard takes 0x/m);

    await follow("install-start");
    expect((await root.run("systemctl is-enabled assay@all")).code).to.equal(0);
    expect((await root.run("systemctl is-enabled assay@api")).code).to.not.equal(0);
    const pid = (await readFile(root.path("run/units/assay@all"), "utf8")).trim();
    const uid = /^Uid:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1];
    expect((await root.run("id -u assay")).output.trim()).to.equal(uid);
    expect((await ready()).attestation.signer).to.match(/^0x/);
  });

  it("takes the key of a rotation, and of one that follows a leaked one, at a restart", async () => {
    const onThisMachine = (command: string) =>
      !command.startsWith("npm run assay -- guard") && !command.startsWith("curl");
    for (const blocks of [["quiet-rotation"], ["key-leak-2", "key-leak-4"]]) {
      for (const block of blocks) await follow(block, {}, onThisMachine);
      const { signer } = JSON.parse(await readFile(root.path("etc/assay/proof.json"), "utf8"));
      const signs = async () => (await ready()).attestation?.signer === signer;
      // While it starts it refuses connections.
      await until("the key", () => signs().catch(() => false));
    }
  });

  it("serves again after an upgrade", async () => {
    await follow("install-upgrade", {}, (command) => !command.startsWith("git "));
  });

  it("leaves a restored database to the service, which root restores", async () => {
    await follow("restore-1");
    await follow("restore-2");
    expect(await ownerOf("var/lib/assay/assay.db")).to.equal("assay 600");
    expect(existsSync(root.path("var/lib/assay/broken/assay.db"))).to.equal(true);
    expect((await ready()).checks).to.deep.include({ database: "up", chain: "up" });
  });
});

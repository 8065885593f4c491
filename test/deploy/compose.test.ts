/** The files for many processes with compose: whether each program takes its own, and whether they hold together. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { parse } from "yaml";
import { z } from "zod";
import { FROM_FILES } from "../../api/settings/environment.ts";
import packageJson from "../../package.json" with { type: "json" };
import { trackedFiles } from "../../workshop/lint/tracked.ts";
import { needsProgram, startDaemon } from "../support/debian.ts";
import { freePort } from "../support/ports.ts";

const FOLDER = join(import.meta.dirname, "../../deploy/compose");
const read = (name: string) => readFileSync(join(FOLDER, name), "utf8");

const Health = z.strictObject({
  test: z.array(z.string()).min(2),
  interval: z.string(),
  timeout: z.string(),
  start_period: z.string().optional(),
});
const Healthy = z.strictObject({ condition: z.literal("service_healthy") });
/** The members of compose's schema that are used, and no other: a misspelt one is found. */
const Service = z.strictObject({
  image: z.string(),
  restart: z.literal("unless-stopped"),
  read_only: z.literal(true),
  security_opt: z.tuple([z.literal("no-new-privileges:true")]),
  cap_drop: z.tuple([z.literal("ALL")]),
  user: z.stringFormat("user", /^\d+:\d+$/).optional(),
  entrypoint: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  volumes: z.array(z.string()).optional(),
  tmpfs: z.array(z.string()).optional(),
  secrets: z.array(z.string()).optional(),
  ports: z.array(z.string()).optional(),
  networks: z.array(z.string()),
  depends_on: z.union([z.array(z.string()), z.record(z.string(), Healthy)]).optional(),
  stop_grace_period: z.string().optional(),
  healthcheck: Health.optional(),
});
const Compose = z.object({
  name: z.string(),
  services: z.record(z.string(), Service),
  networks: z.record(z.string(), z.strictObject({})),
  volumes: z.record(z.string(), z.strictObject({})),
  secrets: z.record(z.string(), z.strictObject({ file: z.string().startsWith("./secrets/") })),
});

describe("the files of deploy/compose", () => {
  let compose: z.infer<typeof Compose>;
  before(() => {
    compose = Compose.parse(parse(read("compose.yaml"), { merge: true }));
  });
  const using = (name: string) => Object.keys(compose.services).filter((service) => service.startsWith(name));

  it("are three api, two workers, a balancer, a primary, a replica, pgbouncer and Redis", () => {
    const ours = ["api1", "api2", "api3", "worker1", "worker2"];
    const others = ["haproxy", "primary", "replica", "pgbouncer", "redis"];
    expect(Object.keys(compose.services)).to.have.members([...ours, ...others]);
    for (const name of using("api")) expect(compose.services[name]?.environment?.ROLE).to.equal("api");
    for (const name of using("worker")) expect(compose.services[name]?.environment?.ROLE).to.equal("worker");
  });

  it("name volumes, networks, secrets and services that there are, and files that lie here", () => {
    for (const [name, service] of Object.entries(compose.services)) {
      for (const secret of service.secrets ?? []) expect(compose.secrets, name).to.have.property(secret);
      for (const network of service.networks) expect(compose.networks, name).to.have.property(network);
      const needed = service.depends_on ?? [];
      for (const other of Array.isArray(needed) ? needed : Object.keys(needed)) {
        expect(compose.services, name).to.have.property(other);
        // Nobody becomes healthy without a check.
        if (!Array.isArray(needed)) expect(compose.services[other], other).to.have.property("healthcheck");
      }
      for (const [from = ""] of (service.volumes ?? []).map((volume) => volume.split(":"))) {
        if (!from.startsWith("./")) expect(compose.volumes, name).to.have.property(from);
        else if (from !== "./config") expect(existsSync(join(FOLDER, from)), from).to.equal(true);
      }
    }
  });

  it("hold no secret: each is a file in a folder that git leaves out, and reaches the service by its path", () => {
    expect(read(".gitignore").split("\n")).to.include.members(["secrets/", "config/"]);
    const { environment = {}, secrets = [] } = compose.services.api1!;
    const paths = Object.entries(environment).filter(
      ([name]) => name.endsWith("_FILE") && name !== "DEPLOYMENT_FILE",
    );
    expect(paths.map(([, path]) => path)).to.have.members(secrets.map((secret) => `/run/secrets/${secret}`));
    for (const [name] of paths)
      if (!name.includes("PASSPHRASE")) expect(FROM_FILES).to.include(name.replace(/_FILE$/, ""));
    for (const name of trackedFiles(FOLDER))
      if (/\.\w+$/.test(name))
        expect(read(name), name).to.not.match(/postgres(ql)?:\/\/\S+:\S+@|password\s*=\s*[a-z0-9]{6}/i);
  });

  it("start the version of this package", () => {
    expect(compose.services.api1?.image).to.equal(`\${ASSAY_IMAGE:-assay:${packageJson.version}}`);
  });

  it("have shell scripts that a shell can read", () => {
    for (const name of ["primary.sh", "replica.sh"])
      expect(spawnSync("sh", ["-n", join(FOLDER, "postgres", name)]).status, name).to.equal(0);
  });

  it("have a configuration that HAProxy takes, with every api process behind it", function () {
    needsProgram(this, "/usr/sbin/haproxy", "haproxy");
    const args = ["-c", "-f", join(FOLDER, "haproxy.cfg")];
    const { status, stderr } = spawnSync("/usr/sbin/haproxy", args, { encoding: "utf8" });
    expect(status, stderr).to.equal(0);
    for (const line of stderr.split("\n").filter((each) => /WARNING|ALERT/.test(each)))
      expect(line).to.contain("could not resolve address");
    for (const name of using("api")) expect(read("haproxy.cfg")).to.contain(`server ${name} ${name}:3000`);
  });

  it("have a configuration that pgbouncer takes", async function () {
    const PROGRAM = "/usr/sbin/pgbouncer";
    needsProgram(this, PROGRAM, "pgbouncer");
    const folder = mkdtempSync(join(tmpdir(), "assay-pgbouncer-"));
    const port = await freePort();
    const [users, file] = [join(folder, "users"), join(folder, "pgbouncer.ini")];
    writeFileSync(users, '"assay" "password"\n', { mode: 0o644 });
    const here = read("pgbouncer.ini")
      .replace(/^listen_port = .*$/m, `listen_port = ${port}`)
      .replace(/^listen_addr = .*$/m, "listen_addr = 127.0.0.1")
      .replace(/^auth_file = .*$/m, `auth_file = ${users}`);
    writeFileSync(file, here, { mode: 0o644 });
    spawnSync("chmod", ["755", folder]);
    // It refuses to run as root.
    const args = [...(process.getuid?.() === 0 ? ["-u", "nobody"] : []), file];
    try {
      const daemon = await startDaemon(PROGRAM, args, () => answers(port));
      expect(daemon.output()).to.not.match(/WARNING|ERROR|FATAL/);
      await daemon.stop();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

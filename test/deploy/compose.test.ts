/** The file for compose: whether it holds together. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { parse } from "yaml";
import { z } from "zod";
import { FROM_FILES } from "../../api/settings/environment.ts";
import { PROVIDER_KEYS } from "../../api/settings/providers.ts";
import packageJson from "../../package.json" with { type: "json" };
import { trackedFiles } from "../../workshop/lint/tracked.ts";

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
  environment: z.record(z.string(), z.string()).optional(),
  volumes: z.array(z.string()).optional(),
  tmpfs: z.array(z.string()).optional(),
  secrets: z.array(z.string()).optional(),
  ports: z.array(z.string()).optional(),
  networks: z.array(z.string()),
  depends_on: z.record(z.string(), Healthy).optional(),
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

  it("are an api process, a worker and PostgreSQL", () => {
    const { api, worker, postgres, ...others } = compose.services;
    expect(Object.keys(others)).to.deep.equal([]);
    expect([api?.environment?.ROLE, worker?.environment?.ROLE]).to.deep.equal(["api", "worker"]);
    expect(postgres?.ports).to.equal(undefined);
  });

  it("name volumes, networks, secrets and services that there are, and files that lie here", () => {
    for (const [name, service] of Object.entries(compose.services)) {
      for (const secret of service.secrets ?? []) expect(compose.secrets, name).to.have.property(secret);
      for (const network of service.networks) expect(compose.networks, name).to.have.property(network);
      // Nobody becomes healthy without a check.
      for (const other of Object.keys(service.depends_on ?? {}))
        expect(compose.services[other], other).to.have.property("healthcheck");
      for (const [from = ""] of (service.volumes ?? []).map((volume) => volume.split(":"))) {
        if (!from.startsWith("./")) expect(compose.volumes, name).to.have.property(from);
        else if (from !== "./config") expect(existsSync(join(FOLDER, from)), from).to.equal(true);
      }
    }
  });

  it("hold no secret: each is a file in a folder that git leaves out, and reaches the service by its path", () => {
    expect(read(".gitignore").split("\n")).to.include.members(["secrets/", "config/"]);
    const { environment = {}, secrets = [] } = compose.services.api!;
    const paths = Object.entries(environment).filter(
      ([name]) => name.endsWith("_FILE") && name !== "DEPLOYMENT_FILE",
    );
    expect(paths.map(([, path]) => path)).to.have.members(secrets.map((secret) => `/run/secrets/${secret}`));
    for (const [name] of paths)
      if (!name.includes("PASSPHRASE"))
        expect([...FROM_FILES, ...PROVIDER_KEYS]).to.include(name.replace(/_FILE$/, ""));
    for (const name of trackedFiles(FOLDER))
      if (/\.\w+$/.test(name))
        expect(read(name), name).to.not.match(/postgres(ql)?:\/\/\S+:\S+@|password\s*=\s*[a-z0-9]{6}/i);
  });

  it("start the version of this package", () => {
    expect(compose.services.api?.image).to.equal(`\${ASSAY_IMAGE:-assay:${packageJson.version}}`);
  });
});

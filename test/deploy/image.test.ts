/** The image's Containerfile, as far as it can be held without a registry of images to build it from. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { documents } from "../../api/docs/documents.ts";
import { localServer } from "../support/ports.ts";
import { instructions, ROOT } from "./containerfile.ts";

const all = instructions();
const last = all.findLastIndex(({ name }) => name === "FROM");
const [building, final] = [all.slice(0, last), all.slice(last)];
const of = (stage: typeof all, wanted: string) =>
  stage.filter(({ name }) => name === wanted).map(({ words }) => words);
/** What the build makes; all else that is copied has to be in the checkout. */
const MADE = ["/usr/local/bin/node", "/opt/assay/node_modules/", "/data/"];

describe("the image's Containerfile", () => {
  it("builds with the Node.js that the project pins, on a base without a shell", () => {
    const version = readFileSync(join(ROOT, ".node-version"), "utf8").trim();
    const pinned = `node:${version}-bookworm AS build`;
    expect(of(building, "FROM")).to.deep.equal([pinned]);
    const base = "BASE=gcr.io/distroless/cc-debian12";
    expect(of(building, "ARG")).to.deep.equal([base, "BASE", "PROFILE=local"]);
    expect(of(final, "FROM")[0]).to.match(/^\$\{BASE\}$/);
    expect(of(final, "RUN")).to.deep.equal([]);
  });

  it("says where the base is not a digest, and ends a live build there", () => {
    const [check = ""] = of(building, "RUN");
    const built = (BASE: string, PROFILE: string) => {
      const { status, stderr } = spawnSync("sh", ["-c", check], { env: { BASE, PROFILE }, encoding: "utf8" });
      return { status, says: stderr };
    };
    const name = "gcr.io/distroless/cc-debian12";
    for (const base of [name, `${name}:latest`, `${name}@sha256:12ab`, `${name}@sha256:${"0".repeat(64)}x`])
      for (const [profile, status] of Object.entries({ local: 0, live: 1 })) {
        const found = built(base, profile);
        expect(found.status, `${base} ${profile}`).to.equal(status);
        expect(found.says).to.contain(`BASE=${base} is not a digest`);
      }
    const digest = `${name}:nonroot@sha256:${"0a".repeat(32)}`;
    for (const profile of ["local", "live"])
      expect(built(digest, profile)).to.deep.equal({ status: 0, says: "" });
  });

  it("copies what is in the checkout or what the build makes, and every room that the service imports", () => {
    const placesIn = (words: string) => words.split(" ").filter((word) => !word.startsWith("--"));
    const sources = of(final, "COPY").flatMap((words) => placesIn(words).slice(0, -1));
    for (const source of sources.filter((each) => !MADE.includes(each)))
      expect(existsSync(join(ROOT, source.replace("/opt/assay/", ""))), source).to.equal(true);
    const imported = ["api", "attestor", "chain", "client", "database", "devnet", "market", "scripts"];
    for (const room of [...imported, "deployments"]) expect(sources).to.include(`/opt/assay/${room}/`);
    for (const { file } of documents.values())
      expect(sources).to.include(`/opt/assay/${file.split("/")[0]}/`, file);
  });

  it("runs as a user without rights, whose files but for the volume are root's", () => {
    expect(of(final, "USER")).to.deep.equal(["65532:65532"]);
    const owned = of(final, "COPY").filter((words) => words.includes("--chown"));
    expect(owned).to.deep.equal(["--from=build --chown=65532:65532 /data/ /var/lib/assay/"]);
    expect(of(final, "VOLUME")).to.deep.equal(["/var/lib/assay"]);
    expect(of(final, "ENV")[0]).to.include("DATA_DIR=/var/lib/assay");
  });

  it("keeps secrets and what a machine made for itself out of the build", () => {
    const ignored = readFileSync(join(ROOT, ".dockerignore"), "utf8").split("\n");
    expect(ignored).to.include.members([".git", "data", "deploy/compose/config", "deploy/compose/secrets"]);
    const records = readFileSync(join(ROOT, ".gitignore"), "utf8").matchAll(/^\/deployments\/(\S+)$/gm);
    for (const [, record = ""] of records) expect(ignored).to.include(`deployments/${record.split("/")[0]}`);
  });

  it("has a health check that tells a service that answers from one that is gone", async () => {
    const [check = ""] = of(final, "HEALTHCHECK");
    expect(check).to.match(/CMD \["\/opt\/assay\/bin\/node", "\/opt\/assay\/bin\/healthy.mjs"\]$/);
    const asked: string[] = [];
    const server = await localServer(({ url = "" }, response) => {
      asked.push(url);
      response.writeHead(url === "/healthz" ? 200 : 404).end();
    });
    const env = { PORT: new URL(server.url).port };
    const script = join(ROOT, "deploy/image/healthy.mjs");
    const child = spawn(process.execPath, [script], { env });
    expect(await new Promise((resolve) => child.on("exit", resolve))).to.equal(0);
    expect(asked).to.deep.equal(["/healthz"]);
    await server.close();
    expect(spawnSync(process.execPath, [script], { env }).status).to.equal(1);
  });
});

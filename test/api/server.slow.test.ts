import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { createLogger } from "../../api/metrics/logger.ts";
import type { Overrides } from "../../api/open.ts";
import { type RunningServer, startServer } from "../../api/server.ts";
import { parseConfig } from "../../api/settings/config.ts";
import type { Database } from "../../database/open.ts";
import { inAll } from "../support/all.ts";
import { forEachEngine } from "../support/database.ts";
import { failureOf } from "../support/failure.ts";
import { APPLICANT, answerOf } from "../support/http.ts";
import { faultOfGet } from "../support/ports.ts";
import { start as startProgram } from "../support/programs.ts";
import { guardlessDeployment, startApi } from "../support/serviceProcess.ts";
import { testFolder } from "../support/suite.ts";
import { until } from "../support/until.ts";

const logger = createLogger({ level: "silent" });
const ATTESTOR_PRIVATE_KEY = `0x${"7".repeat(64)}`;

/** Settings of a service whose chain is away. */
const settingsOf = (folder: string, url: string, port = 0) =>
  parseConfig({
    DATABASE_URL: url,
    DATA_DIR: folder,
    PORT: String(port),
    RPC_URL: "http://127.0.0.1:1",
    DEPLOYMENT_FILE: guardlessDeployment(folder),
    ATTESTOR_PRIVATE_KEY,
  });

/** Whether nobody can ask it any more. */
const isClosed = (db: Database): Promise<boolean> =>
  db
    .selectFrom("leases")
    .selectAll()
    .execute()
    .then(
      () => false,
      () => true,
    );

describe("the server", () => {
  const above = testFolder("server");
  const start = (url: string, port = 0, overrides: Overrides = {}) =>
    startServer(settingsOf(above, url, port), { logger, ...overrides });

  forEachEngine((engine) => {
    it("the server starts on an empty database, serves, stops, and goes on with the same keys", async () => {
      const url = await engine.createEmptyUrl();
      const first = await start(url);
      const { key } = await first.service.keys.create(APPLICANT, "test");
      const get = (server: RunningServer) =>
        fetch(`${server.url}/v1/assets`, { headers: { "x-api-key": key } });
      expect((await get(first)).status).to.equal(200);
      expect((await fetch(`${first.url}/healthz`)).status).to.equal(200);
      await Promise.all([first.stop(), first.stop()]);
      expect(await isClosed(first.service.db)).to.equal(true);
      expect(await get(first).catch(() => "refused")).to.equal("refused");
      const second = await start(url);
      expect((await get(second)).status).to.equal(200);
      await second.stop();
    });

    it("the server says when its machine's clock is off the database's, and goes on by the database's", async () => {
      for (const ahead of [120_000, -120_000]) {
        const machineClock = () => Date.now() + ahead;
        const server = await start(await engine.createUrl(), 0, { machineClock });
        server.service.chain.probe = async () => {};
        const ready = await fetch(`${server.url}/readyz`);
        const { clock } = (await ready.json()) as any;
        // SQLite's clock is the machine's.
        const off = engine.name === "postgres" ? ahead / 1_000 : 0;
        expect(ready.status).to.equal(200);
        expect(clock.aheadOfDatabaseSeconds).to.be.within(off - 1, off + 1);
        expect(clock.differs).to.equal(off !== 0);
        expect(Date.now() + ahead - server.service.now()).to.be.closeTo(off * 1_000, 1_000);
        await server.stop();
      }
    });

    it("the server says which port is in use, and closes what it had opened", async () => {
      const one = await start(await engine.createUrl());
      let opened: Database | undefined;
      const prepareDatabase = async (db: Database) => {
        opened = db;
      };
      const error = await failureOf(start(await engine.createUrl(), one.port, { prepareDatabase }));
      expect(error.message).to.match(/^port \d+ on 127\.0\.0\.1 is in use: .*PORT/);
      expect(await isClosed(opened!)).to.equal(true);
      await one.stop();
    });
  });

  it("the server says at its start that its SQLite file lies where others can look, leaves that folder alone, and closes one of its own", async () => {
    const modeOf = (...path: string[]) => (statSync(join(above, ...path)).mode & 0o1777).toString(8);
    async function warningsIn(folder: string): Promise<string[]> {
      const lines: string[] = [];
      const destination = { write: (line: string) => void lines.push(JSON.parse(line).msg) };
      const server = await start(`sqlite:${join(above, folder, "assay.db")}`, 0, {
        logger: createLogger({ level: "warn", destination }),
      });
      await server.service.keys.create(APPLICANT, "test");
      const modes = readdirSync(join(above, folder)).map((name) => modeOf(folder, name));
      expect(modes, folder).to.deep.equal(["600", "600", "600"]);
      await server.stop();
      return lines.filter((line) => line.startsWith("other users"));
    }
    for (const [name, mode] of Object.entries({ open: 0o755, shared: 0o1777, closed: 0o700 })) {
      mkdirSync(join(above, name));
      chmodSync(join(above, name), mode);
    }
    for (const [name, way] of Object.entries({
      open: `chmod 700 ${join(above, "open")}, if nobody else needs it`,
      shared: "give the database a folder of its own",
      closed: null,
      new: null,
    })) {
      const looksInto = `other users can look into ${join(above, name)}, the database's folder (though they cannot open its files): `;
      expect(await warningsIn(name)).to.deep.equal(way === null ? [] : [`${looksInto}${way}`]);
    }
    expect(["open", "shared", "new"].map((folder) => modeOf(folder))).to.deep.equal(["755", "1777", "700"]);
  });

  describe("run as a program", () => {
    it("the server as a program ends with one clear list when settings are missing, and prints no secret", async () => {
      const env = { PATH: process.env.PATH, ASSAY_PROFILE: "live", ATTESTOR_PRIVATE_KEY, PORT: "x" };
      const options = { cwd: new URL("../..", import.meta.url), env, encoding: "utf8" } as const;
      const { status, stdout, stderr } = spawnSync(process.execPath, ["api/server.ts"], options);
      expect(status).to.equal(1);
      expect(stdout).to.equal("");
      expect(stderr.trim().split("\n")).to.deep.equal([
        "Missing or invalid settings:",
        '  - PORT must be a whole number from 0 to 65535, not "x"',
        "  - ATTESTOR_PRIVATE_KEY works in the local profile only: use ATTESTOR_KEYSTORE",
        "  - ATTESTOR_KEYSTORE is required in the live profile",
        "  - RPC_URL is required in the live profile",
        "  - DEPLOYMENT_FILE is required in the live profile",
        "  - LOG_KEYSTORE is required in the live profile",
        "  - the decision log needs a name: set PUBLIC_URL or LOG_ORIGIN",
      ]);
    });

    inAll(
      "the server as a program resets no connection at SIGTERM, of clients that open one for each request",
      async () => {
        await using api = await startApi("pipe");
        api.child.stdout?.resume();
        const faults: string[] = [];
        let answered = 0;
        const clients = Array.from({ length: 60 }, async () => {
          for (;;) {
            const fault = await faultOfGet(`${api.url}/healthz`, false);
            if (fault === "ECONNREFUSED") return;
            if (fault === null) answered++;
            else faults.push(fault);
          }
        });
        await until("200 answers", () => answered >= 200);
        expect(await api.end(15_000)).to.deep.equal([0, null]);
        await Promise.all(clients);
        expect(faults).to.deep.equal([]);
      },
    );

    inAll(
      "the server as a program serves for DRAIN_MS after SIGTERM, on connections that are held and on new ones, and says that it is about to end",
      async () => {
        await using api = await startApi("pipe", { DRAIN_MS: "1500" });
        api.child.stdout?.resume();
        const held = await fetch(`${api.url}/healthz`);
        expect(held.headers.get("connection")).to.equal("keep-alive");
        await held.text();
        const ended = api.end(20_000);
        const ready = async () => {
          const { status, headers, text } = await answerOf(await fetch(`${api.url}/readyz`));
          return { status, connection: headers.get("connection"), text };
        };
        const last = await until("word of the end", ready, ({ text }) => text.includes("about to end"));
        expect(last).to.include({ status: 503, connection: "close" });
        const served = await fetch(`${api.url}/healthz`);
        expect([served.status, served.headers.get("connection")]).to.deep.equal([200, "close"]);
        expect(await ended).to.deep.equal([0, null]);
      },
    );

    it("the server as a program serves with a key of the local profile until SIGTERM, keeps its files to itself, and ends with 0", async () => {
      const DEPLOYMENT_FILE = guardlessDeployment(above);
      const env = {
        PORT: "0",
        DATA_DIR: join(above, "data"),
        RPC_URL: "http://127.0.0.1:1",
        DEPLOYMENT_FILE,
      };
      const program = startProgram("api/server.ts", [], { ...env, ATTESTOR_PRIVATE_KEY });
      await program.printed("Assay serves on ");
      await program.printed("\n");
      const url = /Assay serves on (http:\/\/[\w.:]+)/.exec(program.output())?.[1];
      expect((await fetch(`${url}/healthz`)).status).to.equal(200);
      const ready = (await (await fetch(`${url}/readyz`)).json()) as { checks: object };
      expect(ready.checks).to.deep.equal({ database: "up", chain: "down" });
      expect(statSync(join(above, "data")).mode & 0o777).to.equal(0o700);
      program.kill("SIGTERM");
      expect(await program.ended).to.equal(0);
      expect(program.output()).to.not.contain("7".repeat(64));
    });
  });
});

/** Three processes behind a real HAProxy, by the configuration of deploy/haproxy: restarted one by one, and killed. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { haproxyConfig } from "../support/configs.ts";
import { type Daemon, debianProgram, startDaemon } from "../support/debian.ts";
import { testPaidWorld } from "../support/payments.ts";
import { freePort } from "../support/ports.ts";
import { type PostgresServer, postgresServer } from "../support/postgres.ts";
import { openReplicas, type Replicas, type ServiceProcess } from "../support/serviceProcess.ts";
import { until } from "../support/until.ts";

const SERVERS = ["api1", "api2", "api3"] as const;
const CLIENTS = 6;

/** A row of HAProxy's statistics: a server of a backend. */
type Row = Readonly<Record<string, string>>;

describe("a service behind a balancer", function () {
  this.timeout(240_000);
  const world = testPaidWorld();
  let postgres: PostgresServer;
  let replicas: Replicas;
  let haproxy: Daemon;
  let balancer: { url: string };
  const ports: number[] = [];
  const apis: ServiceProcess[] = [];
  const folder = mkdtempSync(join(tmpdir(), "assay-balancer-"));
  const socket = join(folder, "stats");

  before(async function () {
    const program = debianProgram(this, "haproxy");
    postgres = await postgresServer();
    replicas = await openReplicas(world, await postgres.createDatabase(), {
      DRAIN_MS: "3000",
      TRUST_PROXY: "1",
    });
    await replicas.start("worker");
    for (const index of SERVERS.keys()) {
      ports.push(await freePort());
      apis.push(await startApi(index));
    }
    const port = await freePort();
    const config = haproxyConfig([
      ["*:443 ssl crt /etc/assay/tls.pem", `127.0.0.1:${port}`],
      ["/run/haproxy/assay.sock", socket],
      ...ports.map((own, index) => [`10.0.0.${index + 1}:3000`, `127.0.0.1:${own}`] as const),
    ]);
    writeFileSync(join(folder, "haproxy.cfg"), config);
    balancer = { url: `http://127.0.0.1:${port}` };
    haproxy = await startDaemon(program, ["-db", "-f", join(folder, "haproxy.cfg")], () => areUp(3));
  });
  after(async () => {
    await haproxy?.stop();
    await replicas?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const startApi = (index: number) => replicas.start("api", { PORT: String(ports[index]) });
  async function statistics(): Promise<Row[]> {
    const text = await new Promise<string>((resolve) => {
      let all = "";
      const client = connect(socket, () => client.write("show stat\n"));
      client.on("data", (chunk) => {
        all += chunk;
      });
      client.on("error", () => resolve(""));
      client.on("close", () => resolve(all));
    });
    const [head = "", ...lines] = text.replace(/^# /, "").trim().split("\n");
    const names = head.split(",");
    return lines.map((line) =>
      Object.fromEntries(line.split(",").map((value, index) => [names[index], value])),
    );
  }
  const servers = async () =>
    (await statistics()).filter(
      ({ pxname, svname }) => pxname === "api" && SERVERS.includes(svname as never),
    );
  const areUp = async (count: number) =>
    (await servers()).filter(({ status }) => status === "UP").length === count;
  const sum = async (column: string) => (await servers()).reduce((all, row) => all + Number(row[column]), 0);

  /** Clients that ask and buy until they are stopped; connections are kept alive, as clients keep theirs. */
  function load() {
    const asked = { reads: 0, writes: 0 };
    const failed = { reads: [] as string[], writes: [] as string[] };
    const acknowledged = new Map<string, Set<string>>();
    let isOver = false;
    const tell = (error: unknown) => String((error as Error).cause ?? error);
    const read = async (path: string) => {
      asked.reads++;
      const status = await replicas.call(balancer, path).then((answer) => answer.status, tell);
      if (status !== 200) failed.reads.push(`${path}: ${status}`);
    };
    const write = async () => {
      const body = replicas.jobBody();
      const name = String(body.clientRequestId);
      // As a client should: the same request again, by its name, until it is answered.
      for (let attempt = 0; attempt < 20; attempt++) {
        asked.writes++;
        const answer = await replicas.call(balancer, "/v1/jobs", body).catch(tell);
        if (typeof answer === "object" && [200, 201].includes(answer.status)) {
          acknowledged.set(name, (acknowledged.get(name) ?? new Set()).add(answer.body.jobId));
          await read(`/v1/jobs/${answer.body.jobId}`);
          return;
        }
        failed.writes.push(typeof answer === "string" ? answer : `${answer.status} ${answer.text}`);
      }
    };
    const client = async (index: number) => {
      while (!isOver) {
        await read("/api/v1/assets");
        await read("/v1/policies");
        if (index % 2 === 0) await write();
        // The processes restart beside it, on the same processors.
        await sleep(40);
      }
    };
    const clients = Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index)));
    return {
      asked,
      failed,
      acknowledged,
      /** Until so many more were answered. */
      more: async (count: number) => {
        const wanted = asked.reads + count;
        await until(`${count} more answers`, () => asked.reads >= wanted);
      },
      async stop() {
        isOver = true;
        await clients;
      },
    };
  }
  /** Every job that was acknowledged is there, once. */
  async function expectWhole({ acknowledged }: ReturnType<typeof load>) {
    const rows = await replicas.db
      .selectFrom("jobs")
      .select(["id", "client_request_id as name"])
      .where("client_request_id", "in", [...acknowledged.keys()])
      .execute();
    expect(rows).to.have.length(acknowledged.size);
    for (const { id, name } of rows) expect([...acknowledged.get(String(name))!]).to.deep.equal([id]);
  }

  it("a rolling restart under load fails no request and resets no connection", async () => {
    const before = await sum("eresp");
    const running = load();
    for (const [index, api] of apis.entries()) {
      await running.more(60);
      api.program.kill("SIGTERM");
      const readiness = () => replicas.call(api, "/readyz");
      // The signal may be on its way for a moment where the processor has much to do.
      await until("it drains", async () => (await readiness()).status !== 200);
      const draining = await readiness();
      expect([draining.status, draining.headers.get("connection")]).to.deep.equal([503, "close"]);
      expect(draining.body).to.not.have.property("checks");
      expect((await replicas.call(api, "/v1/policies")).status).to.equal(200);
      expect(await api.program.ended).to.equal(0);
      apis[index] = await startApi(index);
      await until("the balancer has it back", () => areUp(3));
    }
    await running.more(60);
    await running.stop();
    expect(running.failed).to.deep.equal({ reads: [], writes: [] });
    expect(await sum("eresp"), "no answer broke off").to.equal(before);
    await expectWhole(running);
    console.log(`    ${running.asked.reads} reads and ${running.asked.writes} writes during three restarts`);
  });

  it("a process that is killed under load costs no read, and a write at most its first try", async () => {
    const running = load();
    await running.more(60);
    apis[1]!.program.kill("SIGKILL");
    await until("the balancer has noticed", () => areUp(2));
    await running.more(60);
    apis[1] = await startApi(1);
    await until("the balancer has it back", () => areUp(3));
    await running.stop();
    expect(running.failed.reads).to.deep.equal([]);
    // HAProxy ends a connection that was used before instead of answering 502 on it.
    for (const failure of running.failed.writes)
      expect(failure).to.match(/^502 |SocketError: other side closed/);
    expect(running.failed.writes.length).to.be.at.most(CLIENTS);
    await expectWhole(running);
    console.log(
      `    ${running.failed.writes.length} of ${running.asked.writes} writes failed by the kill, and were repeated`,
    );
  });

  it("while no process is ready those that live answer, in their own words", async () => {
    await postgres.stop();
    try {
      await until("none is ready", () => areUp(0));
      expect((await replicas.call(balancer, "/openapi.json")).status).to.equal(200);
      const refused = await replicas.call(balancer, "/v1/jobs", replicas.jobBody());
      expect([refused.status, refused.body.code]).to.deep.equal([503, "unavailable"]);
    } finally {
      // Other files have their databases on it.
      await postgres.start();
    }
    await until("all are ready again", () => areUp(3));
    expect((await replicas.call(balancer, "/v1/jobs", replicas.jobBody())).status).to.equal(201);
  });
});

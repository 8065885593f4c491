/**
 * A day's trades of a running service by every path, watched by a stranger who has only the log's key. Every judgement
 * that was ever returned is in the log, once, and the log extends what was seen of it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { developmentLogSigner } from "../../api/log/key.ts";
import { LOCAL_ORIGIN } from "../../api/settings/logSettings.ts";
import type { LogTrust } from "../../attestor/log/checkpoint.ts";
import type { LogEntry } from "../../attestor/log/entry.ts";
import { parseVkey } from "../../attestor/log/note.ts";
import { verifyReport } from "../../attestor/verify/verify.ts";
import { filesOf } from "../../scripts/log/files.ts";
import { followLog, NOTHING_SEEN } from "../../scripts/log/follow.ts";
import { json } from "../support/http.ts";
import { connectHost, type Host } from "../support/mcp.ts";
import { type Service, startService } from "../support/service.ts";
import { testFolder } from "../support/suite.ts";
import { until } from "../support/until.ts";
import { startWitness } from "../support/witness.ts";
import { testWorld } from "../support/world.ts";

const ROUNDS = 4;
const page = await readFile(new URL("../../docs/spec/log.md", import.meta.url), "utf8");
const logKey = developmentLogSigner().keyOf(LOCAL_ORIGIN);

describe("the decision log through a day's trades", () => {
  const world = testWorld();
  const folder = testFolder("day");
  /** Whose trades are denied. */
  let halted: string;
  before(async () => {
    halted = world.assetKey("TSLAx");
    await world.setHalted("TSLAx", true);
    await writeFile(join(folder, "stranger.mjs"), /```js example\n([\s\S]*?)```/.exec(page)![1]!);
  });

  let service: Service;
  let witness: Awaited<ReturnType<typeof startWitness>>;
  let host: Host;
  /** Everything that anybody was answered. */
  const answered: any[] = [];
  const followed = new Map<number, LogEntry>();

  before(async () => {
    witness = await startWitness([logKey]);
    service = await startService(world, "sqlite::memory:", {
      LOG_WITNESSES: `${witness.vkey} ${witness.url}`,
      LOG_STATE_DIR: join(folder, "log"),
    });
    host = await connectHost("2026", service.url, service.key);
  });
  after(async () => {
    await host.close();
    await service.stop();
    await witness.close();
  });

  const run = async (evidenceHash: string) => {
    const vkey = (await (await fetch(`${service.url}/log/vkey`)).text()).trim();
    expect(parseVkey(vkey).publicKey).to.deep.equal(logKey.publicKey);
    const args = [join(folder, "stranger.mjs"), `${service.url}/log`, vkey, evidenceHash];
    const child = spawn(process.execPath, args);
    let out = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (out += data));
    await once(child, "close");
    return out.trim();
  };

  async function quarter() {
    await world.tick(21_585);
    await world.tick();
    await service.recordLiquidity();
    const { clientRequestId: _, ...trade } = service.jobBody();
    const reportOf = async ({ body }: { body: any }) =>
      (await service.call(`/v1/jobs/${body.jobId}/report?version=1`)).body;
    const job = await service.post("/v1/jobs", service.jobBody());
    const prepared = await service.post(`/v1/jobs/${job.body.jobId}/prepare-execution`, {});
    const oneShot = await service.call("/a2mcp/verify", { ...json(trade), key: null });
    const tool = await host.use("prepare_verification", service.jobBody());
    const { report: asked } = await host.documentAfter("get_verification", { jobId: tool.jobId });
    const guarded = await host.documentAfter("prepare_guard_trade", { jobId: tool.jobId });
    const denied = await service.post("/v1/jobs", service.jobBody({ outputAssetKey: halted }));
    const allowed = [await reportOf(job), prepared.body.report, oneShot.body, asked, guarded.report];
    const reports = [...allowed, await reportOf(denied)];
    expect(reports.map(({ decision }) => decision)).to.deep.equal([...allowed.map(() => "ALLOW"), "DENY"]);
    answered.push(...reports);
  }

  it("the decision log through a day's trades has every judgement of every path in it, and goes on from quarter to quarter", async () => {
    const trust: LogTrust = { logs: [logKey] };
    let state = NOTHING_SEEN;
    for (let n = 1; n <= ROUNDS; n++) {
      await quarter();
      for (let tries = 0; followed.size < answered.length && tries < 200; tries++) {
        const seen = await followLog(filesOf(`${service.url}/log`), trust, state, {
          onEntry: (entry, index) => followed.set(index, entry),
        }).catch(() => null);
        if (seen !== null) state = { ...state, logs: { ...state.logs, [seen.checkpoint.origin]: seen.seen } };
        await sleep(20);
      }
      expect(followed.size).to.equal(answered.length);
    }
    const brief = ({ version, decision, evidenceHash, policyHash, registryHash }: any) =>
      `${version} ${decision} ${evidenceHash} ${policyHash} ${registryHash}`;
    expect([...followed.values()].map(brief)).to.have.members(answered.map(brief));
  });

  it("the decision log through a day's trades is followed by the program of the docs, which finds a denial and nothing that nobody judged", async () => {
    const denied = answered.find(({ decision }) => decision === "DENY");
    const [index] = [...followed].find(([, { evidenceHash }]) => evidenceHash === denied.evidenceHash)!;
    expect(await run(denied.evidenceHash)).to.equal(`${6 * ROUNDS} entries, it is entry ${index}`);
    expect(await run(`0x${"0".repeat(64)}`)).to.equal(`${6 * ROUNDS} entries, none of them it`);
  });

  it("says nothing of owners, amounts and jobs", async () => {
    expect(followed.size).to.equal(6 * ROUNDS);
    const entries = JSON.stringify([...followed.values()]);
    for (const { jobId, evidence } of answered)
      for (const secret of [jobId, evidence.intent.ownerAddress, evidence.intent.amountInRaw])
        expect(entries).to.not.contain(secret);
  });

  it("makes a denial VALID as issued, offline, with its witness", async () => {
    const denied = answered.find(({ decision }) => decision === "DENY");
    const trust = { logKeys: [logKey], witnessKeys: [witness.key] };
    const verdict = async () =>
      verifyReport((await service.call(`/v1/jobs/${denied.jobId}/report`)).body, trust).verdict;
    await until("VALID", verdict, (found) => found === "VALID");
  });
});

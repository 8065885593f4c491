import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { createLogSink } from "../../../api/metrics/logSink.ts";
import { type ApiProcess, startApi } from "../../support/apiProcess.ts";
import { smallDiskFor } from "../../support/smallDisk.ts";

type LogTarget = Parameters<typeof createLogSink>[0];
const ENDS_WITHIN_MS = 10_000;

/** Milliseconds of the slowest of many requests, all of them answered 200. */
async function slowest(url: string, requests: number): Promise<number> {
  let longest = 0;
  for (let n = 0; n < requests; n++) {
    const started = performance.now();
    const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(10_000) });
    expect(answer.status).to.equal(200);
    longest = Math.max(longest, performance.now() - started);
  }
  return longest;
}

describe("a log that cannot be written", () => {
  let api: ApiProcess | undefined;
  afterEach(() => api?.remove());

  it("on a full disk stops no request, tells what was lost when there is room, and lets the process end", async function () {
    using disk = smallDiskFor(this);
    const file = join(disk.folder, "assay.log");
    const log = openSync(file, "a");
    try {
      api = await startApi(log);
      disk.fill();
      expect(await slowest(api.url, 300)).to.be.lessThan(2_000);
      disk.free();
      await slowest(api.url, 3);
      await sleep(500);
      const lines = readFileSync(file, "utf8").trim().split("\n");
      expect(lines.some((line) => /"lost":\d+,"msg":"log lines were lost/.test(line))).to.equal(true);
      expect(JSON.parse(lines.at(-1) as string)).to.include({ msg: "request" });
      disk.fill();
      expect(await api.end(ENDS_WITHIN_MS)).to.deep.equal([0, null]);
    } finally {
      closeSync(log);
    }
  });

  it("because nobody reads it stops no request, and lets the process end", async () => {
    api = await startApi("pipe", { LOG_LEVEL: "info" });
    api.child.stdout?.pause();
    // A pipe takes some 200 KB, which is a thousand lines.
    expect(await slowest(api.url, 1_500)).to.be.lessThan(2_000);
    expect(await api.end(ENDS_WITHIN_MS)).to.deep.equal([0, null]);
  });
});

describe("the log's sink", () => {
  it("keeps so much and no more while nothing is taken, and counts the rest", async () => {
    const taken: string[] = [];
    let go: (() => void) | undefined;
    const write: LogTarget["write"] = (bytes, done) => {
      go = () => {
        taken.push(bytes.toString());
        done(null, bytes.length);
      };
    };
    const sink = createLogSink({ write }, (lost) => `lost ${lost}\n`);
    const line = `${"x".repeat(1_023)}\n`;
    for (let n = 0; n < 5_000; n++) sink.write(line);
    go?.();
    go?.();
    sink.write("after\n");
    go?.();
    expect(taken[0]).to.equal(line);
    expect(taken[1]?.startsWith("lost 903\n")).to.equal(true);
    expect(taken[1]?.length).to.equal("lost 903\n".length + 4 * 1024 * 1024);
    expect(taken[2]).to.equal("after\n");
    await sink.flush(1_000);
  });

  it("writes the rest where a part was taken", () => {
    let text = "";
    const write: LogTarget["write"] = (bytes, done) => {
      text += bytes.subarray(0, 3).toString();
      done(null, Math.min(3, bytes.length));
    };
    const sink = createLogSink({ write }, () => "");
    sink.write("a whole line\n");
    expect(text).to.equal("a whole line\n");
  });
});

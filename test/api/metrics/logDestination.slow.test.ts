/** A log that cannot be written costs lines, and nothing else. */
import { execFileSync } from "node:child_process";
import { closeSync, constants, createReadStream, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { openDestination } from "../../../api/metrics/logDestination.ts";
import { type ApiProcess, startApi } from "../../support/serviceProcess.ts";
import { smallDiskFor } from "../../support/smallDisk.ts";
import { testFolder } from "../../support/suite.ts";
import { until } from "../../support/until.ts";

const ENDS_WITHIN_MS = 10_000;

/** Milliseconds of the slowest of many requests, all of them answered 200. */
async function slowest(url: string, requests: number): Promise<number> {
  let longest = 0;
  for (let request = 0; request < requests; request++) {
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

  it("a log on a full disk stops no request, is written when there is room, and lets the process end", async function () {
    using disk = smallDiskFor(this);
    const file = join(disk.folder, "assay.log");
    const log = openSync(file, "a");
    try {
      api = await startApi(log);
      disk.fill();
      expect(await slowest(api.url, 300)).to.be.lessThan(2_000);
      disk.free();
      await slowest(api.url, 3);
      const lines = () => readFileSync(file, "utf8").match(/"msg":"request"}\n/g)?.length ?? 0;
      await until("a line for each request", () => lines() >= 303);
      disk.fill();
      expect(await api.end(ENDS_WITHIN_MS)).to.deep.equal([0, null]);
    } finally {
      closeSync(log);
    }
  });

  it("a log that nobody reads stops no request, and lets the process end", async () => {
    api = await startApi("pipe", { LOG_LEVEL: "info" });
    api.child.stdout?.pause();
    // A pipe takes some 200 KB, which is a thousand lines.
    expect(await slowest(api.url, 1_500)).to.be.lessThan(2_000);
    expect(await api.end(ENDS_WITHIN_MS)).to.deep.equal([0, null]);
  });
});

describe("the log's destination", () => {
  const folder = testFolder("log");

  it("the log's destination keeps so much and no more while nothing is taken, and tells how many lines were lost", async () => {
    const path = join(folder, "fifo");
    execFileSync("mkfifo", [path]);
    const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    const destination = openDestination(fd);
    const line = `${"x".repeat(1_023)}\n`;
    for (let written = 0; written < 5_000; written++) destination.write(line);
    const reader = createReadStream(path, { flags: "r" });
    let text = "";
    reader.on("data", (data) => {
      text += data;
    });
    await until("the note", () => /"lost":\d+,"msg":"log lines were lost/.test(text));
    const lost = Number(/"lost":(\d+)/.exec(text)![1]);
    expect(lost).to.be.within(850, 950);
    expect(text.startsWith(line.repeat(5_000 - lost))).to.equal(true);
    reader.destroy();
    destination.destroy();
  });
});

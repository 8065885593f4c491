/** The request that shared work and background work are attributed to. */
import { expect } from "chai";
import { createLogger, currentRequest } from "../../../api/metrics/logger.ts";
import { repeat } from "../../../api/repeat.ts";
import { memoryDatabase } from "../../support/database.ts";

describe("the request that runs", () => {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({
    level: "info",
    destination: { write: (line: string) => void lines.push(JSON.parse(line)) },
  });
  beforeEach(() => {
    lines.length = 0;
  });

  it("the request that runs is named on every log line that is written for it, and a line's own fields take precedence", async () => {
    await currentRequest.run({ requestId: "r1" }, async () => {
      await Promise.resolve();
      logger.warn({ provider: "pyth" }, "deep below");
      logger.warn({ requestId: "own" }, "named");
    });
    logger.info("beside");
    expect(lines.map(({ requestId, provider }) => [requestId, provider])).to.deep.equal([
      ["r1", "pyth"],
      ["own", undefined],
      [undefined, undefined],
    ]);
  });

  it("the request that runs is each one's own where one transaction commits the work of several", async () => {
    await using db = await memoryDatabase();
    const seen: unknown[] = [];
    const names = ["a", "b", "c"];
    await Promise.all(
      names.map((requestId) =>
        currentRequest.run({ requestId }, () =>
          db.transaction().execute(async () => seen.push([requestId, currentRequest.getStore()?.requestId])),
        ),
      ),
    );
    expect(seen).to.deep.equal(names.map((name) => [name, name]));
  });

  it("rounds in the background belong to no request, also after a request asked for one", async () => {
    const seen: unknown[] = [];
    let wanted = () => {};
    const rounds = repeat(async () => {
      seen.push(currentRequest.getStore());
      wanted();
    }, 5);
    const three = new Promise<void>((resolve) => {
      wanted = () => seen.length >= 3 && resolve();
    });
    currentRequest.run({ requestId: "asks" }, () => rounds.soon());
    await currentRequest.run({ requestId: "waits" }, () => rounds.now());
    await three;
    await rounds.stop();
    expect(seen.every((one) => one === undefined)).to.equal(true);
  });
});

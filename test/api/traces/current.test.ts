/** The request that shared work and background work are attributed to. */
import { expect } from "chai";
import { createLogger } from "../../../api/metrics/logger.ts";
import { repeat } from "../../../api/repeat.ts";
import { current } from "../../../api/traces/current.ts";
import { commitTogether } from "../../../database/commitTogether.ts";
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

  it("is named on every log line that is written for it, and a line's own fields take precedence", async () => {
    await current.run({ requestId: "r1", traceId: "t1" }, async () => {
      await Promise.resolve();
      logger.warn({ provider: "pyth" }, "deep below");
      logger.warn({ requestId: "own" }, "named");
    });
    logger.info("beside");
    expect(lines.map(({ requestId, traceId, provider }) => [requestId, traceId, provider])).to.deep.equal([
      ["r1", "t1", "pyth"],
      ["own", "t1", undefined],
      [undefined, undefined, undefined],
    ]);
  });

  it("is each one's own where one transaction commits the work of several", async () => {
    await using db = await memoryDatabase();
    const seen: unknown[] = [];
    const names = ["a", "b", "c"];
    await Promise.all(
      names.map((requestId) =>
        current.run({ requestId }, () =>
          commitTogether(db, async () => seen.push([requestId, current.getStore()?.requestId])),
        ),
      ),
    );
    expect(seen).to.deep.equal(names.map((name) => [name, name]));
  });

  it("is nobody's in rounds in the background, also after a request asked for one", async () => {
    const seen: unknown[] = [];
    let wanted = () => {};
    const rounds = repeat(async () => {
      seen.push(current.getStore());
      wanted();
    }, 5);
    const three = new Promise<void>((resolve) => {
      wanted = () => seen.length >= 3 && resolve();
    });
    current.run({ requestId: "asks" }, () => rounds.soon());
    await current.run({ requestId: "waits" }, () => rounds.now());
    await three;
    await rounds.stop();
    expect(seen.every((one) => one === undefined)).to.equal(true);
  });
});

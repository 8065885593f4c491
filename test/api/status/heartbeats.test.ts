/** What is known of the tasks in the background, whichever process does them. */
import { expect } from "chai";
import { createMetrics } from "../../../api/metrics/metrics.ts";
import { heartbeatsOf, isAway, measureHeartbeats } from "../../../api/status/heartbeats.ts";
import { releaseLease, renewLeases, takeLease } from "../../../database/lease.ts";
import { forEachEngine } from "../../support/database.ts";
import { startTestApp } from "../../support/http.ts";
import { validateAnswer } from "../../support/openapi.ts";

const TASKS = ["watcher", "log-publisher", "retention"];

describe("heartbeats", () => {
  forEachEngine((engine) => {
    const db = engine.database();
    let now = 1_795_000_000_000;

    it("heartbeats tell how long ago each task was heard of, also of one that was given back, and nothing of one that never was", async () => {
      const lease = { db, holder: "one", ttlMs: 4_000, now: () => now };
      const watching = (await takeLease(lease, "watcher"))!;
      const signing = (await takeLease(lease, "log-publisher"))!;
      now += 3_500;
      await renewLeases(lease, [watching]);
      now += 9_999;
      await releaseLease(db, signing);
      const heartbeats = await heartbeatsOf(db, TASKS, now);
      expect(heartbeats).to.deep.equal([
        { task: "log-publisher", heartbeatAgo: 13 },
        { task: "retention", heartbeatAgo: null },
        { task: "watcher", heartbeatAgo: 9 },
      ]);
      expect(heartbeats.map(isAway)).to.deep.equal([true, true, false]);
      const registry = createMetrics();
      measureHeartbeats(registry, async () => heartbeats);
      const metrics = await registry.metrics();
      expect(metrics).to.contain('assay_task_heartbeat_age_seconds{task="watcher"} 9\n');
      expect(metrics).to.not.contain('assay_task_heartbeat_age_seconds{task="retention"}');
      for (const [task, away] of Object.entries({ watcher: 0, retention: 1, "log-publisher": 1 }))
        expect(metrics).to.contain(`assay_task_away{task="${task}"} ${away}\n`);
    });

    it("heartbeats appear in /readyz on request, and on /status, which counts absent tasks, as do the parts", async () => {
      const probeSigned = async () => {
        throw new Error("no publisher answers");
      };
      const app = await startTestApp({ db, probeSigned, heartbeats: () => heartbeatsOf(db, TASKS, now) });
      const { body } = await app.call("/readyz?verbose", { key: null });
      validateAnswer(app.openapi, "GET", "/readyz", 200, body);
      expect(body.tasks).to.have.length(3);
      expect(body.parts).to.deep.include({ part: "signedPrices", works: false });
      expect(body.parts).to.deep.include({ part: "database", works: true });
      expect((await app.call("/readyz", { key: null })).body).to.not.have.property("tasks");
      const { text } = await app.call("/status", { key: null, headers: { accept: "text/html" } });
      expect(text).to.contain("In the background").and.to.contain("3 parts do not work.");
      expect(text).to.match(/Signed prices<small>.*STRICT_LIVE denies every trade<.*? does not work</);
      expect(text).to.match(/<dt>retention<\/dt><dd><span class="dot bad"><\/span> never<\/dd>/);
      expect(text).to.match(/<dt>watcher<\/dt><dd><span class="dot good"><\/span> 9 s(econds)? ago<\/dd>/);
      await app.stop();
    });
  });
});

/** `assay database migrations`, over a database that a made-up next edition brings up to date. */
import { expect } from "chai";
import { appliedMigrations, migrate } from "../../../database/migrate.ts";
import { EDITION, type Edition } from "../../../database/migrations/all.ts";
import type { World } from "../../../scripts/console.ts";
import { Unusable, UsageError } from "../../../scripts/errors.ts";
import { migrations, showMigrations } from "../../../scripts/migrations.ts";
import { forEachEngine, onDatabase } from "../../support/database.ts";
import { failureOf } from "../../support/failure.ts";
import { fakeConsole } from "../../support/fakeConsole.ts";
import { LABELLED, NEXT } from "../../support/nextEdition.ts";
import { typed } from "../../support/typed.ts";

const NAMES = Object.keys(NEXT.migrations);

async function run(databaseUrl: string, edition: Edition, ...args: string[]) {
  const { world, shown } = fakeConsole();
  const there = { ...world, exists: async () => true };
  const env = { DATABASE_URL: databaseUrl };
  const command = { ...migrations, run: (given: never, own: World) => showMigrations(given, own, edition) };
  expect(await typed(command, args, { ...there, env })).to.equal(0);
  return shown.join("\n");
}

describe("assay database migrations", () => {
  forEachEngine((engine) => {
    it("lists what the database has, what is pending, where releases end, and what older programs may do; it changes nothing", async () => {
      const url = await engine.createEmptyUrl();
      await onDatabase(url, (db) => migrate(db, LABELLED));
      const text = await run(url, NEXT);
      expect(text).to.match(/^0001_baseline +applied {2}older programs are refused: There/m);
      expect(text).to.match(/^9001_labels +applied {2}older programs work: A new table/m);
      expect(text).to.match(
        /^0001_.*\n-+ {2}end of release 8\.0\.0\n9001_.*\n-+ {2}end of release 9\.0\.0\n9002_/m,
      );
      expect(text).to.match(/^9002_renamed +pending {2}older programs are refused/m);
      expect(text).to.match(/1 pending: the next start of the service runs them\.$/);
      const states = JSON.parse(await run(url, NEXT, "--json"));
      expect(states.map(({ applied }: { applied: boolean }) => applied)).to.deep.equal([true, true, false]);
      expect(await run(url, EDITION)).to.match(/^9001_labels .* \(unknown to this version\)$/m);
      await onDatabase(url, (db) => migrate(db, NEXT));
      expect(await run(url, NEXT)).to.match(/Nothing is pending\.$/);
    });

    it("goes back to a release only with --execute, and says what is taken back", async () => {
      const url = await engine.createEmptyUrl();
      const applied = () => onDatabase(url, (db) => appliedMigrations(db));
      await onDatabase(url, (db) => migrate(db));
      expect(await run(url, NEXT, "--back-to", "8.0.0")).to.equal("The database is that of release 8.0.0.");
      await onDatabase(url, (db) => migrate(db, NEXT));
      expect(await run(url, NEXT, "--back-to", "8.0.0"))
        .to.contain("would take back 9001_labels: A new table, and a column that may be null.")
        .and.contain("Nothing was changed");
      expect(await applied()).to.deep.equal(NAMES);
      expect(await run(url, NEXT, "--back-to", "8.0.0", "--execute")).to.contain(
        "The database is that of release 8.0.0 now.",
      );
      expect(await applied()).to.deep.equal(Object.keys(EDITION.migrations));
    });

    it("refuses releases that it does not know, and databases that are older or newer", async () => {
      const url = await engine.createEmptyUrl();
      expect((await failureOf(run(url, EDITION, "--back-to", "7.0.0"))).message).to.contain("none yet");
      await failureOf(run(url, NEXT, "--back-to", "7.0.0"), UsageError);
      await failureOf(run(url, NEXT, "--back-to", "8.0.0"), Unusable);
      await onDatabase(url, (db) => migrate(db, NEXT));
      const { message } = await failureOf(run(url, LABELLED, "--back-to", "8.0.0"));
      expect(message).to.contain("9002_renamed, which a newer version made");
    });
  });
});

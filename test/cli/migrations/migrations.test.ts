/** `assay migrations`, over a database that a made-up next edition brings up to date. */
import { expect } from "chai";
import { PlainError, UsageError, type World } from "../../../cli/console.ts";
import { migrationsCommand } from "../../../cli/migrations/migrationsCommand.ts";
import { appliedMigrations, migrate } from "../../../database/migrate.ts";
import { EDITION, type Edition } from "../../../database/migrations/all.ts";
import { forEachEngine, onDatabase } from "../../support/database.ts";
import { LABELLED, NEXT } from "../../support/nextEdition.ts";

const NAMES = Object.keys(NEXT.migrations);

async function run(databaseUrl: string, edition: Edition, ...args: string[]) {
  const lines: string[] = [];
  const world = {
    out: (line: string) => void lines.push(line),
    exists: async () => true,
  } as unknown as World;
  expect(await migrationsCommand(args, world, { databaseUrl, edition })).to.equal(0);
  return lines.join("\n");
}

const refusalOf = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => expect.fail("it was not refused"),
    (error: Error) => error,
  );

describe("assay migrations", () => {
  forEachEngine((engine) => {
    it("lists what the database has, what is pending, where releases end, and what older programs may do; it changes nothing", async () => {
      const url = await engine.createEmptyUrl();
      await onDatabase(url, (db) => migrate(db, LABELLED));
      const text = await run(url, NEXT);
      expect(text).to.match(/^0001_baseline +applied {2}older programs are refused: There/m);
      expect(text).to.match(/^9001_labels +applied {2}older programs work: A new table/m);
      expect(text).to.match(/^-+ {2}end of release 9\.0\.0$/m);
      expect(text).to.match(/^9002_renamed +pending {2}older programs are refused/m);
      expect(text).to.match(/1 pending: the next start of the service runs them\.$/);
      const rows: { name: string; applied: boolean; release: string | null }[] = JSON.parse(
        await run(url, NEXT, "--json"),
      );
      expect(rows.map(({ name, applied, release }) => [name, applied, release])).to.deep.equal([
        ["0001_baseline", true, "8.0.0"],
        ["9001_labels", true, "9.0.0"],
        ["9002_renamed", false, null],
      ]);
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

    it("refuses releases that it does not know, databases that are older or newer, and odd options", async () => {
      const url = await engine.createEmptyUrl();
      expect((await refusalOf(run(url, EDITION, "--back-to", "7.0.0"))).message).to.contain("none yet");
      expect(await refusalOf(run(url, NEXT, "--back-to", "7.0.0"))).to.be.instanceOf(UsageError);
      expect(await refusalOf(run(url, NEXT, "--back-to", "8.0.0"))).to.be.instanceOf(PlainError);
      for (const odd of [["--execute"], ["--json", "--back-to", "8.0.0"], ["--what"]])
        expect(await refusalOf(run(url, NEXT, ...odd))).to.be.instanceOf(UsageError);
      await onDatabase(url, (db) => migrate(db, NEXT));
      expect((await refusalOf(run(url, LABELLED, "--back-to", "8.0.0"))).message).to.contain(
        "9002_renamed, which a newer version made",
      );
    });
  });
});

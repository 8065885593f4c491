/** `assay migrations`, over the last release's database. */
import { expect } from "chai";
import { PlainError, UsageError, type World } from "../../../cli/console.ts";
import { migrationsCommand } from "../../../cli/migrations/migrationsCommand.ts";
import { appliedMigrations, migrate } from "../../../database/migrate.ts";
import { MIGRATIONS } from "../../../database/migrations/all.ts";
import { openDatabase } from "../../../database/open.ts";
import { RELEASES } from "../../../database/releases.ts";
import { forEachEngine } from "../../support/database.ts";
import { databaseOfRelease } from "../../support/releases.ts";

const NAMES = Object.keys(MIGRATIONS);

async function run(databaseUrl: string, ...args: string[]) {
  const lines: string[] = [];
  const world = {
    out: (line: string) => void lines.push(line),
    exists: async () => true,
  } as unknown as World;
  expect(await migrationsCommand(args, world, { databaseUrl })).to.equal(0);
  return lines.join("\n");
}

async function appliedTo(url: string): Promise<string[]> {
  const db = openDatabase(url);
  const applied = await appliedMigrations(db);
  await db.destroy();
  return applied;
}

async function bringUpToDate(url: string): Promise<void> {
  const db = openDatabase(url);
  await migrate(db);
  await db.destroy();
}

const refusalOf = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => expect.fail("it was not refused"),
    (error: Error) => error,
  );

describe("assay migrations", () => {
  forEachEngine((engine) => {
    it("lists what the database has, what is pending, where releases end, and what older programs may do; it changes nothing", async () => {
      const url = await databaseOfRelease(engine, "0.1.0");
      const text = await run(url);
      expect(text).to.match(/^0019_refunds +applied {2}older programs work: A new table alone/m);
      expect(text).to.match(/^0016_plain_names +applied {2}older programs are refused: A table/m);
      expect(text).to.match(/^-+ {2}end of release 0\.1\.0\n0020_compatibility +pending/m);
      expect(text).to.match(/[1-9]\d* pending: the next start of the service runs them\.$/);
      const rows: { name: string; applied: boolean; release: string | null }[] = JSON.parse(
        await run(url, "--json"),
      );
      expect(rows.map(({ name }) => name)).to.deep.equal(NAMES);
      for (const { name, applied, release } of rows) {
        expect(applied, name).to.equal(name <= "0019_refunds");
        expect(release).to.equal(RELEASES.find(({ migration }) => migration === name)?.version ?? null);
      }
      await bringUpToDate(url);
      expect(await run(url)).to.match(/Nothing is pending\.$/);
    });

    it("goes back to a release only with --execute, and says what is taken back", async () => {
      const url = await databaseOfRelease(engine, "0.1.0");
      expect(await run(url, "--back-to", "0.1.0")).to.equal("The database is that of release 0.1.0.");
      await bringUpToDate(url);
      expect(await run(url, "--back-to", "0.1.0"))
        .to.contain("would take back 0020_compatibility")
        .and.contain("Nothing was changed");
      expect(await appliedTo(url)).to.deep.equal(NAMES);
      expect(await run(url, "--back-to", "0.1.0", "--execute")).to.contain(
        "The database is that of release 0.1.0 now.",
      );
      expect((await appliedTo(url)).at(-1)).to.equal("0019_refunds");
    });

    it("refuses releases that it does not know, databases that are older, and odd options", async () => {
      const url = await engine.createUrl();
      expect(await refusalOf(run(url, "--back-to", "7.0.0"))).to.be.instanceOf(UsageError);
      expect(await refusalOf(run(url, "--back-to", "0.1.0"))).to.be.instanceOf(PlainError);
      for (const odd of [["--execute"], ["--json", "--back-to", "0.1.0"], ["--what"]])
        expect(await refusalOf(run(url, ...odd))).to.be.instanceOf(UsageError);
    });
  });
});

/** `npm run payments`: what operators see of the payments in the database. */
import { expect } from "chai";
import { UsageError } from "../../../scripts/console.ts";
import { createNodes } from "../../../scripts/payments/nodes.ts";
import { parseOptions } from "../../../cli/payments/options.ts";
import { listPayments } from "../../../scripts/payments/report.ts";
import { runPaymentsCommand } from "../../../scripts/payments/run.ts";
import type { Token, Tokens } from "../../../scripts/payments/tokens.ts";
import type { Database } from "../../../database/open.ts";
import { addRows, forAlikeEngines } from "../../support/database.ts";
import { addJob, addPayment, PAYER, SECRET, TERMS, TOKEN } from "../../support/paymentRows.ts";
import { NO_REFUNDS } from "../../support/refunds.ts";
import REFUSED from "../../cli/payments/refused.json" with { type: "json" };

const DAY = 86_400;
const at = (text: string) => Date.parse(text) / 1_000;
const MONDAY = at("2026-11-16T12:00:00Z");
const ETHER = "0x5FbDB2315678afecb367f032d93F642f64180aa3";

describe("the operators' report of payments", () => {
  const tokens = (known: Record<string, Token>): Tokens => ({
    find: async (_, asset) => known[asset] ?? null,
  });
  const KNOWN = tokens({
    [TOKEN]: { symbol: "USDL", decimals: 6 },
    [ETHER]: { symbol: "WETH", decimals: 18 },
  });

  forAlikeEngines((engine) => {
    let db: Database;
    let printed: string;
    let errors: string[];
    beforeEach(async () => {
      db = await engine.create();
      printed = "";
      errors = [];
    });

    async function payments(command: string, known = KNOWN): Promise<number> {
      printed = "";
      const [nodes, refunds] = [createNodes(new Map()), NO_REFUNDS];
      return await runPaymentsCommand(parseOptions(command.split(" ")), {
        ...{ db, tokens: known, nodes, now: () => MONDAY * 1_000, refunds },
        write: (text) => (printed += text),
        printError: (line) => errors.push(line),
      });
    }
    const json = async (command: string) => {
      await payments(`${command} --json`);
      return JSON.parse(printed);
    };

    it("lists payments newest first, each with the job and the report versions that it bought", async () => {
      const first = await addPayment(db, MONDAY);
      const second = await addPayment(db, MONDAY + 60);
      await db.updateTable("jobs").set({ last_version: 3 }).where("id", "=", second).execute();
      expect(await payments("list")).to.equal(0);
      const lines = printed.trimEnd().split("\n");
      expect(lines).to.have.length(2);
      const [settled, bought] = ["settled   0.01 USDL  eip155:31337", `for ${second} v1-3  in 0x`];
      expect(lines[0]).to.match(new RegExp(`^2026-11-16T12:01:00Z  ${settled}  from ${PAYER}  ${bought}`));
      expect(lines[1]).to.include(`for ${first} v1  in 0x`);
    });

    it("says how many more there may be", async () => {
      for (let n = 0; n < 5; n++) await addPayment(db, MONDAY);
      await payments("list --limit 2");
      expect(printed.split("\n")).to.have.length(4);
      expect(printed).to.include("newest 2");
      expect(await json("list")).to.have.length(5);
    });

    it("reads page by page, every payment once, also those of one second", async () => {
      for (const offset of [0, 0, 0, 0, 60, 60, -60]) await addPayment(db, MONDAY + offset);
      const nonces: string[] = [];
      const times: number[] = [];
      for await (const { nonce, createdAt } of listPayments(db, {}, 6, 2)) {
        nonces.push(nonce);
        times.push(createdAt - MONDAY);
      }
      expect(times).to.deep.equal([60, 60, 0, 0, 0, 0]);
      expect(new Set(nonces).size).to.equal(6);
    });

    it("filters by state, payer, token, job and day", async () => {
      const other = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
      const old = await addPayment(db, MONDAY - DAY);
      const open = await addPayment(db, MONDAY, { state: "settling" });
      const theirs = await addPayment(db, at("2026-11-16T00:00:00Z"), { payer: other });
      const ether = await addPayment(db, MONDAY, { asset: ETHER });
      const jobs = async (filter: string) =>
        (await json(`list ${filter}`)).map(({ jobId }: any) => jobId).sort();
      expect(await jobs("--state settling")).to.deep.equal([open]);
      expect(await jobs(`--payer ${other.toLowerCase()}`)).to.deep.equal([theirs]);
      expect(await jobs(`--asset ${ETHER}`)).to.deep.equal([ether]);
      expect(await jobs(`--job ${old}`)).to.deep.equal([old]);
      expect(await jobs("--until 2026-11-15")).to.deep.equal([old]);
      expect(await jobs("--since 2026-11-16")).to.deep.equal([open, theirs, ether].sort());
      expect(await jobs("--network eip155:1")).to.deep.equal([]);
    });

    it("adds up settled payments by UTC day of settlement and by token, exactly", async () => {
      const huge = "123456789012345678901234567890";
      await addPayment(db, at("2026-11-16T23:59:59Z"));
      await addPayment(db, at("2026-11-16T23:59:59Z"), { amount: "2500000" });
      await addPayment(db, at("2026-11-16T23:59:58Z"), { settled_at: at("2026-11-17T00:00:00Z") });
      for (let n = 0; n < 3; n++) await addPayment(db, MONDAY, { asset: ETHER, amount: huge });
      await addPayment(db, MONDAY, { state: "settling" });
      await addPayment(db, MONDAY, { state: "expired" });
      const totals = (await json("totals")).map(({ day, symbol, payments: count, amount }: any) =>
        [day, symbol, count, amount].join(" "),
      );
      expect(totals).to.deep.equal([
        "2026-11-17 USDL 1 0.01",
        "2026-11-16 WETH 3 370370367037.03703670370370367",
        "2026-11-16 USDL 2 2.51",
      ]);
      const days = (await json("totals --until 2026-11-16")).map(({ day }: any) => day);
      expect(days).to.deep.equal(["2026-11-16", "2026-11-16"]);
      await payments("totals");
      expect(printed).to.match(/2026-11-16 +2 +2\.51 USDL/);
    });

    it("tells raw units where the token is not known, and invents no decimals", async () => {
      await addPayment(db, MONDAY);
      await payments("list", tokens({}));
      expect(printed).to.include(`10000 raw units of ${TOKEN}`);
      await payments("totals --json", tokens({}));
      expect(JSON.parse(printed)[0]).to.include({ amount: null, amountRaw: "10000" });
    });

    it("shows what is open with its age, oldest first, and rings where one is too old", async () => {
      const young = await addPayment(db, MONDAY - 5, { state: "settling", attempts: 1 });
      const old = await addPayment(db, MONDAY - 600, { state: "settling", attempts: 4, fault: "timeout" });
      await addPayment(db, MONDAY - 600);
      expect(await payments("open")).to.equal(0);
      const lines = printed.trimEnd().split("\n");
      expect(lines[0]).to.include("10 min old").and.to.include(old).and.to.include("(timeout)");
      expect(lines[0]).to.include("expired 5 min ago");
      expect(lines[1]).to.include("5 s old").and.to.include(young).and.to.include("valid for 4 min");
      expect(lines).to.have.length(2);
      expect(await payments("open --alarm 60")).to.equal(1);
      expect(errors).to.deep.equal(["1 open for more than 60 s."]);
      expect(await payments("open --alarm 3600")).to.equal(0);
    });

    it("says of every report whether it was paid for", async () => {
      const free = await addJob(db, MONDAY);
      const paid = await addPayment(db, MONDAY);
      const failed = await addPayment(db, MONDAY, { state: "expired", fault: "expired" });
      const priced = await addJob(db, MONDAY);
      const accepts = JSON.stringify([{ ...TERMS, amount: "20000" }]);
      await addRows(db, "payment_terms", { job_id: priced, accepts, created_at: MONDAY });
      for (const [job, state] of [
        [free, "free"],
        [paid, "settled"],
        [await addPayment(db, MONDAY, { state: "settling" }), "settling"],
        [failed, "required"],
        [priced, "required"],
      ] as const)
        expect((await json(`report ${job}`)).payment).to.equal(state);
      await payments(`report ${paid}`);
      for (const said of [/paid for/, /report v1 +initial +ALLOW/, /0\.01 USDL/])
        expect(printed).to.match(said);
      await payments(`report ${priced}`);
      expect(printed).to.include("not paid for").and.to.include("costs    0.02 USDL on eip155:31337");
      expect(await payments("report job_none")).to.equal(1);
    });

    it("exports CSV with one line a payment, and JSON with the same members", async () => {
      await addPayment(db, MONDAY, { fault: '=cmd|"/c calc"!A1' });
      await addPayment(db, MONDAY + 1);
      await payments("export");
      const [header, newest, oldest, end] = printed.split("\r\n");
      expect(header).to.match(/^createdAt,state,network,asset,symbol,amount,amountRaw,payer/);
      expect(newest).to.include(",USDL,0.01,10000,");
      expect(oldest).to.include(`,"'=cmd|""/c calc""!A1",`);
      expect(end).to.equal("");
      const listed = await json("export");
      expect(listed).to.have.length(2);
      expect(Object.keys(listed[0])).to.deep.equal(header?.split(","));
    });

    it("never shows what a buyer signed", async () => {
      const job = await addPayment(db, MONDAY);
      await addPayment(db, MONDAY, { state: "settling" });
      for (const command of ["list", "totals", "open", "export", `report ${job}`])
        for (const form of ["", " --json"]) {
          await payments(`${command}${form}`);
          expect(printed, command).not.to.include(SECRET);
          expect(printed, command).not.to.include("signature");
        }
    });

    it("says which network it cannot check for want of a node", async () => {
      await addPayment(db, MONDAY);
      expect(await payments("check")).to.equal(1);
      expect(errors[0]).to.include("eip155:31337").and.to.include("RPC_URL");
    });
  });

  it("refuses what it does not understand, by name", () => {
    for (const [typed, words] of Object.entries(REFUSED))
      expect(() => parseOptions(typed === "" ? [] : typed.split(" ")), typed).to.throw(UsageError, words);
  });
});

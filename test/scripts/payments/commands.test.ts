/** `assay payments`: what operators see of the payments in the database. */

import { expect } from "chai";
import type { Database } from "../../../database/open.ts";
import { listPayments } from "../../../scripts/payments/ledger.ts";
import { createNodes, type Token, type Tokens } from "../../../scripts/payments/open.ts";
import { forEachEngine } from "../../support/database.ts";
import { fakeConsole } from "../../support/fakeConsole.ts";
import { addPayment, PAYER, SECRET, TOKEN } from "../../support/paymentRows.ts";
import { assayIn, wordsOf } from "../../support/typed.ts";

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

  forEachEngine((engine) => {
    let db: Database;
    let printed: string;
    let errors: string[];
    beforeEach(async () => {
      db = await engine.create();
      printed = "";
      errors = [];
    });

    async function payments(words: string, known = KNOWN): Promise<number> {
      const { world, shown, warned } = fakeConsole();
      const deps = { db, tokens: known, nodes: createNodes(new Map()), confirmationsOf: () => 1 };
      const own = { ...world, now: () => MONDAY * 1_000, payments: deps };
      const write = (text: string) => void shown.push(text.replace(/\n$/, ""));
      const code = await assayIn(["payments", ...wordsOf(words)], { ...own, write });
      printed = `${shown.join("\n")}\n`;
      errors = warned;
      return code;
    }
    const json = async (words: string) => {
      await payments(`${words} --json`);
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

    it("tells raw units where the token is not known, and invents no decimals", async () => {
      await addPayment(db, MONDAY);
      await payments("list", tokens({}));
      expect(printed).to.include(`10000 raw units of ${TOKEN}`);
      await payments("list --json", tokens({}));
      expect(JSON.parse(printed)[0]).to.include({ amount: null, amountRaw: "10000" });
    });

    it("shows what is open with its age, oldest first, and rings where one is too old", async () => {
      const young = await addPayment(db, MONDAY - 5, { state: "settling", attempts: 1 });
      const old = await addPayment(db, MONDAY - 600, { state: "settling", attempts: 4, fault: "timeout" });
      await addPayment(db, MONDAY - 600);
      expect(await payments("list --open")).to.equal(0);
      const lines = printed.trimEnd().split("\n");
      expect(lines[0]).to.include("10 min old").and.to.include(old).and.to.include("(timeout)");
      expect(lines[0]).to.include("expired 5 min ago");
      expect(lines[1]).to.include("5 s old").and.to.include(young).and.to.include("valid for 4 min");
      expect(lines).to.have.length(2);
      expect(await payments("list --open --alarm 60")).to.equal(1);
      expect(errors).to.deep.equal(["1 open for more than 60 s."]);
      expect(await payments("list --open --alarm 3600")).to.equal(0);
    });

    it("exports CSV with one line a payment, and JSON with the same members", async () => {
      await addPayment(db, MONDAY, { fault: '=cmd|"/c calc"!A1' });
      await addPayment(db, MONDAY + 1);
      await payments("list --csv");
      const [header, newest, oldest, end] = printed.split("\r\n");
      expect(header).to.match(/^createdAt,state,network,asset,symbol,amount,amountRaw,payer/);
      expect(newest).to.include(",USDL,0.01,10000,");
      expect(oldest).to.include(`,"'=cmd|""/c calc""!A1",`);
      expect(end).to.equal("");
      const listed = await json("list");
      expect(listed).to.have.length(2);
      expect(Object.keys(listed[0])).to.deep.equal(header?.split(","));
    });

    it("never shows what a buyer signed", async () => {
      await addPayment(db, MONDAY);
      await addPayment(db, MONDAY, { state: "settling" });
      for (const words of [
        "list",
        "list --json",
        "list --csv",
        "list --open",
        "list --open --json",
        "refund",
      ]) {
        await payments(words);
        expect(printed, words).not.to.include(SECRET);
        expect(printed, words).not.to.include("signature");
      }
    });

    it("says which network it cannot check for want of a node", async () => {
      await addPayment(db, MONDAY);
      expect(await payments("check")).to.equal(1);
      expect(errors[0]).to.include("eip155:31337").and.to.include("RPC_URL");
    });
  });
});

/** What the tools cost a model: tokens of o200k_base, compared with the budget and with docs/mcp.md. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { AssetList, assetList } from "../../../api/mcp/catalogTools.ts";
import { listedTools } from "../../../api/mcp/listing.ts";
import type { Asset } from "../../../attestor/registry.ts";
import EXAMPLE from "../../../deployments/56.market.example.json" with { type: "json" };
import { connectHost } from "../../support/mcp.ts";
import { carryOut, testService, walletOf } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { testWorld } from "../../support/world.ts";

const LIVE = EXAMPLE.registry;
const LIST_BUDGET = 4_000;
const TRADE_BUDGET = 4_000;
/** Ids, hashes and amounts are of other lengths each time. */
const TOLERANCE = 0.1;

interface Row {
  readonly call: string;
  readonly tokens: number;
  readonly bytes: number;
}

/** Hosts show a model the content, the structured content, or both: so both count. */
const costOf = (call: string, seen: object): Row => {
  const text = JSON.stringify(seen);
  return { call, tokens: encode(text).length, bytes: Buffer.byteLength(text) };
};

describe("What the MCP tools cost in tokens", () => {
  const world = testWorld();
  const service = testService(world);
  before(() => world.tick());

  for (const [index, kind] of (["with a key", "without a key"] as const).entries())
    it(`the tools cost no more tokens than the budget ${kind}, and as many as docs/mcp.md says`, async () => {
      const isOpen = kind === "without a key";
      await using host = await connectHost("2026", service.url, isOpen ? null : service.key);
      const rows = [costOf("`tools/list`", { tools: await host.listTools() })];
      const call = async (name: string, args = {}) => {
        const { content, structuredContent, isError } = await host.call(name, args);
        expect(isError, content[0].text).to.equal(undefined);
        rows.push(costOf(`\`${name}\``, { content, structuredContent }));
        return { content, structuredContent };
      };
      const wallet = walletOf(world, index);
      await call("list_supported_assets");
      await call("get_verification_policy");
      const { structuredContent: job } = await call("prepare_verification", {
        ...(isOpen ? {} : { clientRequestId: "trade" }),
        ownerAddress: wallet.address,
        inputAssetKey: "USDL",
        outputAssetKey: "AAPLx",
        amount: "250 USDL",
        policyId: "STRICT_LIVE",
        maxSlippageBps: 50,
      });
      const mine = { jobId: job.jobId, ...(isOpen ? { jobToken: job.jobToken } : {}) };
      await call("get_verification", mine);
      const prepared = await call("prepare_guard_trade", mine);
      const { execution } = await host.document(prepared);
      const transactionHash = await carryOut(wallet, execution);
      await call("get_execution_status", { ...mine, transactionHash });
      const state = async () => (await host.use("get_execution_status", mine)).execution.state;
      await until("a confirmed trade", state, (seen) => seen === "confirmed");
      await call("get_execution_status", mine);

      const [list, ...trade] = rows as [Row, ...Row[]];
      const sum = (of: "tokens" | "bytes") => trade.reduce((all, row) => all + row[of], 0);
      rows.push({
        call: `a whole trade (${trade.length} calls)`,
        tokens: sum("tokens"),
        bytes: sum("bytes"),
      });
      expect(list.tokens).to.be.at.most(LIST_BUDGET);
      const paid = costOf("", { tools: listedTools(isOpen, true) }).tokens;
      expect(paid).to.be.within(list.tokens, LIST_BUDGET);
      expect(sum("tokens")).to.be.at.most(TRADE_BUDGET);
      // The registry of a live chain has more assets than one answer lists.
      const listed = AssetList.parse(assetList(LIVE.assets as Asset[]));
      const text = JSON.stringify(listed);
      const large = costOf("", { content: [{ type: "text", text }], structuredContent: listed }).tokens;
      expect(listed.next).to.match(/^24 more/);
      expect(sum("tokens") - trade[0]!.tokens + large).to.be.at.most(TRADE_BUDGET);
      expectDocumented(kind, rows);
    });
});

/** The table in docs/mcp.md has the first and the last of these rows, each figure about as measured. */
function expectDocumented(kind: "with a key" | "without a key", rows: readonly Row[]): void {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/mcp.md"), "utf8");
  const [, table = ""] = page.split("| | with a key | without a key |\n|---|---|---|\n");
  const measured = rows
    .map(({ call, tokens, bytes }) => `${call}: ${tokens} tokens, ${bytes} bytes`)
    .join("\n");
  for (const { call, tokens } of [rows[0]!, rows.at(-1)!]) {
    const line = table.split("\n").find((each) => each.startsWith(`| ${call} | `));
    const [withKey, without] = [...(line ?? "").matchAll(/\| (\d+) (?=\|)/g)].map(([, figure]) =>
      Number(figure),
    );
    const documented = kind === "with a key" ? withKey : without;
    expect(documented, `docs/mcp.md, ${call} ${kind}. Measured:\n${measured}`).to.be.within(
      Math.floor(tokens * (1 - TOLERANCE)),
      Math.ceil(tokens * (1 + TOLERANCE)),
    );
  }
}

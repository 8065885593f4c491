/** `assay mcp` as hosts start it: official clients of both protocol generations, and bad hosts. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as TransportV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect } from "chai";
import { writeLocalFile } from "../../../devnet/localFile.ts";
import { localFileOf } from "../../../devnet/service.ts";
import { realWorld } from "../../../scripts/console.ts";
import { mcp, serve } from "../../../scripts/mcp/mcp.ts";
import { failureOf } from "../../support/failure.ts";
import { hostOf, rpc } from "../../support/mcp.ts";
import { buyerOf, testPaidService, testPaidWorld, testPurchase } from "../../support/payments.ts";
import { byPath, json, startFakeUpstream } from "../../support/providers/upstream.ts";
import { testService } from "../../support/service.ts";
import { testFolder } from "../../support/suite.ts";
import { typed } from "../../support/typed.ts";
import { until } from "../../support/until.ts";
import { testWorld } from "../../support/world.ts";
import { encodeHeader, PRICE } from "../../support/x402.ts";
import { TOOLS, trade } from "./trade.ts";

const ROOT = join(import.meta.dirname, "../../..");
const INFO = { name: "test-host", version: "1.0.0" };

describe("assay mcp", () => {
  const world = testWorld();
  const service = testService(world);
  const emptyDir = testFolder("mcp");
  const localDir = testFolder("mcp-local");
  const command = (...args: string[]) => ({
    command: process.execPath,
    args: [join(ROOT, "scripts/assay.ts"), "mcp", ...args],
  });
  const env = (more: Record<string, string> = {}) => ({
    PATH: process.env.PATH ?? "",
    DATA_DIR: emptyDir,
    ASSAY_URL: service.url,
    ASSAY_API_KEY: service.key,
    ...more,
  });

  before(() => {
    const { url: baseUrl, key: apiKey } = service;
    const { address: signer } = world.accounts.attestation;
    const places = { baseUrl, rpcUrl: world.url, apiKey, signer };
    return writeLocalFile(localDir, localFileOf(world.deployment, places));
  });

  const connected = async (client: ClientV1 | ClientV2, transport: TransportV1 | TransportV2) => {
    await client.connect(transport as any);
    await client.listTools();
    return hostOf(client as unknown as ClientV2, false);
  };
  const program = (env: Record<string, string>) => ({ ...command(), env, stderr: "ignore" }) as const;
  const PINNED = { versionNegotiation: { mode: { pin: "2026-07-28" } } } as const;
  const asOld = (env: Record<string, string>) => connected(new ClientV1(INFO), new TransportV1(program(env)));

  it("lets a client of version 1 do the whole trade where nothing is to be paid, the wallet outside", async () => {
    await using host = await asOld(env());
    await trade(host, service, null);
  });

  describe("in the paid phase", () => {
    const paidWorld = testPaidWorld();
    const paid = testPaidService(paidWorld);
    // On a loaded machine the prices of the world's beginning are soon too old for a trade.
    beforeEach(() => paidWorld.tick(0));
    const { charged } = testPurchase(paid);
    const paidEnv = () => env({ ASSAY_URL: paid.url, ASSAY_API_KEY: paid.key });

    it("lets a client of version 2, pinned to the protocol of 2026-07-28, pay once and trade, with the host's wallet", async () => {
      const { client } = buyerOf(paid);
      await using host = await connected(new ClientV2(INFO, PINNED), new TransportV2(program(paidEnv())));
      await trade(host, paid, async (required) =>
        encodeHeader(await client.createPaymentPayload(required as any)),
      );
      expect(await charged()).to.equal(PRICE);
    });

    it("tells what to do about a payment that is for another job, and about what is not paid yet", async () => {
      const { client } = buyerOf(paid);
      await using host = await asOld(paidEnv());
      const { call, due } = host;
      const newJob = async () =>
        (await call("prepare_verification", paid.jobBody())).structuredContent.jobId as string;
      const [one, other] = [await newJob(), await newJob()];
      expect((await due("prepare_guard_trade", { jobId: one })).said.code).to.equal("payment_required");
      const { required: terms } = await due("purchase_verification", { jobId: one });
      const paymentSignature = encodeHeader(await client.createPaymentPayload(terms));
      const { said: refused } = await due("purchase_verification", { jobId: other, paymentSignature });
      expect(refused).to.include({ code: "payment_required", paymentError: "other_purchase" });
      expect(refused.accepts[0].extra.quote).to.equal(`job:${other}`);
      expect(refused.next).to.include("purchase_verification");

      // As x402's own transport has it: terms as structured content, the payment along with the same call.
      const { required } = await due("purchase_verification", { jobId: other });
      const payment = { "x402/payment": await client.createPaymentPayload(required) };
      const bought = await call("purchase_verification", { jobId: other }, payment);
      expect(bought.structuredContent.payment).to.equal("settled");
      const receipt = bought._meta["x402/payment-response"];
      expect(receipt).to.deep.include({ success: true, amount: PRICE.toString() });
      for (const name of ["purchase_verification", "prepare_guard_trade"]) {
        const again = await call(name, { jobId: other }, payment);
        expect(again._meta["x402/payment-response"], name).to.deep.equal(receipt);
      }
    });
  });

  it("opens a job that somebody made without a key, by its token", async () => {
    const { clientRequestId: _, ...body } = service.jobBody();
    const { jobId, jobToken } = (await service.post("/a2mcp/verify", body, null)).body;
    await using host = await asOld(env());
    const read = (given: object) => host.call("get_verification", { jobId, ...given });
    expect((await read({})).isError).to.equal(true);
    expect((await read({ jobToken })).structuredContent).to.include({ jobId, decision: "ALLOW" });
  });

  it("passes the service's refusals on with code, fields and the next step", async () => {
    await using host = await asOld(env());
    const unknown = await host.failure("get_verification", { jobId: "job_none" });
    expect(unknown).to.include({ code: "not_found" }).and.to.include.keys("next", "detail", "requestId");
    const body = service.jobBody({ inputAssetKey: `eip155:31337:0x${"12".repeat(20)}` });
    expect((await host.failure("prepare_verification", body)).code).to.equal("unsupported_asset");
    const wrong = await host.failure("prepare_verification", service.jobBody({ amountInRaw: "1.5" }));
    expect([wrong.code, wrong.errors[0].path]).to.deep.equal(["invalid_request", "amountInRaw"]);
    const secret = await host.failure("get_verification", { jobId: `0x${"ab".repeat(32)}` });
    expect(secret.code).to.equal("secret_refused");
  });

  /** The program without a client between. */
  function startRaw(given: Record<string, string> = env(), ...args: string[]) {
    const child = spawn(command().command, command(...args).args, { env: given, stdio: "pipe" });
    const [lines, waiting]: [string[], (() => void)[]] = [[], []];
    let stderr = "";
    child.stderr.on("data", (chunk) => (stderr += chunk));
    child.stdin.on("error", () => {});
    createInterface({ input: child.stdout }).on("line", (line) => {
      lines.push(line);
      for (const look of waiting.splice(0)) look();
    });
    const ended = once(child, "close").then(([code]) => code as number | null);
    return {
      child,
      lines,
      ended,
      stderr: () => stderr,
      send: (message: unknown) =>
        child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`),
      /** Shakes hands; `message` is said after that. */
      async begin(message?: object) {
        this.send(
          rpc("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: INFO }, 1),
        );
        const { result } = await this.answer(1);
        if (message) for (const one of [initialized, message]) this.send(one);
        return result;
      },
      async answer(id: number): Promise<any> {
        for (;;) {
          const found = lines.map((line) => JSON.parse(line)).find((message) => message.id === id);
          if (found) return found;
          const more = new Promise<void>((resolve) => waiting.push(resolve));
          const code = await Promise.race([more, ended]);
          if (code !== undefined) throw new Error(`it ended with ${code}: ${stderr}`);
        }
      },
    };
  }
  const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
  const toolCall = (id: number, name: string, given: unknown) =>
    rpc("tools/call", { name, arguments: given }, id);

  it("lives through what is no message, no tool or far too long, and says nothing but the protocol on standard output", async () => {
    const raw = startRaw();
    raw.send("this is no JSON");
    expect((await raw.begin()).serverInfo.name).to.equal("assay");
    raw.send(initialized);
    raw.send('{"jsonrpc":"2.0","id":');
    raw.send({ jsonrpc: "1.0", id: 2, method: 7 });
    raw.send(toolCall(3, "no_such_tool", {}));
    expect((await raw.answer(3)).error.code).to.equal(-32602);
    raw.send({ jsonrpc: "2.0", id: 4, method: "no/such/method" });
    expect((await raw.answer(4)).error.code).to.equal(-32601);
    raw.send(toolCall(5, "get_verification", { jobId: "x".repeat(10 * 1024 * 1024) }));
    expect((await raw.answer(5)).error.data.code).to.equal("body_too_large");
    raw.send(toolCall(6, "list_supported_assets", {}));
    expect((await raw.answer(6)).result.structuredContent.assets).to.not.deep.equal([]);
    raw.child.stdin!.end();
    expect(await raw.ended).to.equal(0);
    for (const line of raw.lines) expect(JSON.parse(line).jsonrpc).to.equal("2.0");
    expect(raw.stderr()).to.include("a message failed");
    expect(raw.stderr()).to.not.include(service.key);
  });

  it("ends with SIGTERM, also while the service does not answer", async () => {
    await using upstream = await startFakeUpstream();
    const assets = { registryVersion: "1", registryHash: `0x${"00".repeat(32)}`, assets: [] };
    upstream.reply((asked, response) => {
      if (asked.path === "/v1/assets") byPath({ "/v1/assets": assets })(asked, response);
    });
    const raw = startRaw(env({ ASSAY_URL: upstream.url }));
    raw.send(toolCall(2, "get_verification", { jobId: "job_1" }));
    await until("two questions", () => upstream.asked.length >= 2);
    const told = Date.now();
    raw.child.kill("SIGTERM");
    expect(await raw.ended, raw.stderr()).to.equal(0);
    expect(Date.now() - told).to.be.lessThan(5_000);
  });

  it("works with the local service's file, whose key no key in the environment replaces", async () => {
    const raw = startRaw(env({ ASSAY_URL: "", ASSAY_API_KEY: "ak_other", DATA_DIR: localDir }));
    await raw.begin();
    raw.child.stdin!.end();
    expect(await raw.ended).to.equal(0);
  });

  /** The command without a process of its own. */
  function inProcess(words: string[], env: Record<string, string>, dataDirs: string[]) {
    const streams = { input: new PassThrough(), output: new PassThrough() };
    const lines: string[] = [];
    const said = { ...realWorld(env), err: (line: string) => void lines.push(line) };
    const { signal: end } = new AbortController();
    const command = { ...mcp, run: (given: object) => serve(given, said, { dataDirs, streams, end }) };
    return { streams, lines, running: typed(command, words, said) };
  }

  it("finds the local service's file in its own checkout, wherever the host stands", async () => {
    const { streams, lines, running } = inProcess([], {}, [emptyDir, localDir]);
    streams.input.end();
    expect(await running).to.equal(0);
    expect(lines).to.deep.equal([`assay mcp: serving the tools of ${service.url}`]);
  });

  it("starts by the command that docs/mcp.md gives to hosts", async () => {
    const guide = readFileSync(join(ROOT, "docs/mcp.md"), "utf8");
    const { mcpServers } = JSON.parse(/^```json stdio\n([\s\S]*?)\n```$/m.exec(guide)![1]!);
    const { command, args, env: names } = mcpServers.assay;
    const here = (text: string) => text.replace("/path/to/assay", ROOT);
    expect(Object.keys(names)).to.deep.equal(["ASSAY_URL", "ASSAY_API_KEY"]);
    const client = new ClientV2(INFO);
    const given = { env: { ASSAY_URL: service.url, ASSAY_API_KEY: service.key }, cwd: emptyDir };
    await client.connect(
      new TransportV2({ command: here(command), args: args.map(here), ...given, stderr: "ignore" }),
    );
    expect((await client.listTools()).tools).to.have.length(TOOLS.length);
    await client.close();
  });

  it("says in one line why it cannot start, and nothing on standard output", async () => {
    const closed = await startFakeUpstream();
    await closed.close();
    await using page = await startFakeUpstream();
    page.reply(json("<html>hunter2</html>"));
    const wrongKey = `ak_${"x".repeat(43)}`;
    const none = /^No service answers at http:\/\/127\.0\.0\.1:\d+\. Is the URL right\?$/;
    const refused = /^the service at \S+ refuses the key: invalid_api_key \(403\): .*$/;
    const useless = /^the service at \S+ cannot be used: unexpected_answer \(200\): .*$/;
    const noFile = /^there is no local\.json in .*: start the service with `npm start` or pass --url$/;
    const cases: [Record<string, string>, string[], RegExp][] = [
      [{ ASSAY_URL: closed.url }, [], none],
      [{ ASSAY_API_KEY: wrongKey }, [], refused],
      [{ ASSAY_URL: page.url }, [], useless],
      [{ ASSAY_URL: "" }, [], noFile],
      [{ ASSAY_API_KEY: "" }, [], /^a service needs a key: set ASSAY_API_KEY or pass --key$/],
      [{}, ["--url", "ftp://example.org"], /^baseUrl must be an http or https URL/],
      [{}, ["--key", "two words"], /^apiKey must be printable ASCII/],
      [{}, ["--what"], /^unknown option '--what'/],
    ];
    for (const [given, args, expected] of cases) {
      const { message } = await failureOf(inProcess(args, env(given), [emptyDir]).running, Error);
      expect(message).to.match(expected).and.not.include("hunter2").and.not.include(wrongKey);
    }
    const raw = startRaw(env({ ASSAY_URL: "" }));
    expect(await raw.ended, raw.stderr()).to.equal(2);
    expect(raw.stderr()).to.match(new RegExp(`^assay mcp: ${noFile.source.slice(1, -1)}\n$`));
    expect(raw.lines).to.deep.equal([]);
  });
});

/** `assay check-live` on what a live service needs: all of it there, and each thing broken in turn. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { developmentLogSigner } from "../../api/log/key.ts";
import { vkeyText } from "../../attestor/log/note.ts";
import { migrate } from "../../database/migrate.ts";
import { openDatabase } from "../../database/open.ts";
import { localOptions } from "../../devnet/facilitator.ts";
import { PROVIDERS as ALL } from "../../market/providers/providers.ts";
import { tryFolder } from "../../scripts/live/check.ts";
import { checkAll } from "../../scripts/live/checkLive.ts";
import { fakeConsole } from "../support/fakeConsole.ts";
import { flakyRpc, type Verdict } from "../support/flakyRpc.ts";
import { lightKeystore, lightLogKeystore, newWallet } from "../support/keystores.ts";
import { testFacilitator } from "../support/paymentFacilitator.ts";
import { testPaidWorld } from "../support/payments.ts";
import { postgresServer } from "../support/postgres.ts";
import { startReplay } from "../support/providers/replay.ts";
import { replayWorld } from "../support/providers/replayWorld.ts";
import { rotateSigner } from "../support/service.ts";
import { ofSuite } from "../support/suite.ts";
import { ANSWERS, at } from "./replayedFetch.ts";

const PROVIDERS = ALL.map(({ setting }) => setting);
const SECRET = "s3cret";
const METHOD_UNKNOWN = { error: { code: -32601, message: "the method does not exist" } };

describe("assay check-live", () => {
  const world = testPaidWorld();
  const facilitator = testFacilitator(world);
  const providers = ofSuite(() => {
    const replayed = replayWorld(["AAPL"]);
    // The mint that a node of Solana is tried with.
    const address = "XsDoVfqeBukxuZHWhdvWHBhgEHjGNst4MLodqsJHzoB";
    for (const token of replayed.tokens) if (token.chain === "solana") Object.assign(token, { address });
    replayed.now = Math.floor(Date.now() / 1_000);
    return startReplay(replayed);
  });
  const node = ofSuite(() => flakyRpc(world.url));
  let env: Record<string, string>;
  const inWorld = (name: string) => join(world.dataDir, name);
  const put = async (name: string, content: string | object) => {
    await writeFile(inWorld(name), typeof content === "string" ? content : JSON.stringify(content));
    return inWorld(name);
  };

  /** Without the local world's log key. */
  const deployed = () => ({ ...world.deployment, logKeys: undefined });

  before(async () => {
    const key = newWallet();
    await rotateSigner(world, key.address);
    const database = openDatabase(inWorld("assay.db"));
    await migrate(database);
    await database.destroy();
    const file = async (name: string, content: string | object) => [name, await put(name, content)] as const;
    env = {
      ASSAY_PROFILE: "live",
      DATA_DIR: world.dataDir,
      RPC_URL: `${node.url}/${SECRET}`,
      PUBLIC_URL: "https://assay.example.com",
      ...Object.fromEntries([
        await file("DEPLOYMENT_FILE", { ...deployed(), source: "live" }),
        await file("ATTESTOR_KEYSTORE", await lightKeystore(key.privateKey, SECRET)),
        await file("LOG_KEYSTORE", await lightLogKeystore(randomBytes(32), SECRET)),
        await file("PAYMENT_OPTIONS_FILE", { options: localOptions(world.deployment) }),
      ]),
      ATTESTOR_KEYSTORE_PASSPHRASE: SECRET,
      LOG_KEYSTORE_PASSPHRASE: SECRET,
    };
    for (const { setting, key } of ALL.filter((one) => one.key?.required))
      env[`${setting}_KEY`] = key?.form ? `key:${SECRET}` : SECRET;
    const urls = Object.values(providers.baseUrls);
    for (const url of urls) {
      const { setting } = ALL.find(({ name }) => url.endsWith(`/${name}`))!;
      env[`${setting}_URL`] = url;
    }
    expect(PROVIDERS.filter((name) => env[`${name}_URL`] === undefined)).to.deep.equal([]);
  });
  afterEach(() => {
    providers.world.down.clear();
    node.decide = () => null;
  });

  interface Given {
    env?: Record<string, string>;
    fetch?: typeof fetch;
    shiftMs?: number;
    free?: number;
    limitMs?: number;
  }
  /** @returns exit code, rows by thing, and everything that was printed */
  async function look({ env: changes = {}, shiftMs = 0, free, limitMs, ...given }: Given = {}) {
    const { world: shell, shown, warned } = fakeConsole();
    // The newest block must not be old on a busy machine.
    await world.mine();
    const outside = {
      fetch: at(),
      ...given,
      now: () => Date.now() + shiftMs,
      monotonic: () => performance.now(),
      exists: async (path: string) => existsSync(path),
      tryFolder: async (path: string) => free ?? (await tryFolder(path)),
    };
    const own = { ...shell, env: { ...env, ...changes } };
    const code = await checkAll({ json: false }, own, outside, limitMs);
    const rows = new Map(shown.slice(0, -2).map((line) => [line.split(/ {2,}/)[0]!, line]));
    const printed = [...shown, ...warned].join("\n");
    expect(printed).to.not.contain(SECRET);
    expect(warned.length, "progress").to.equal(rows.size);
    return { code, rows, printed };
  }
  /** The things that are not ok, with their lines. */
  const faulty = (rows: ReadonlyMap<string, string>) =>
    new Map([...rows].filter(([thing, line]) => !line.slice(thing.length).trimStart().startsWith("ok ")));

  const paid = () => ({
    PAYMENT_PHASE: "paid",
    PAYMENT_PAY_TO: newWallet().address,
    FACILITATOR_URL: facilitator.url,
  });

  it("finds all well where all is there, and ends with 0", async () => {
    const DATABASE_URL = await (await postgresServer()).createDatabase();
    const { code, rows, printed } = await look({ env: { ...paid(), DATABASE_URL } });
    expect([...faulty(rows)], printed).to.deep.equal([]);
    expect(code).to.equal(0);
    expect(rows.size).to.equal(1 + 6 + 3 + 1 + 1 + 1 + PROVIDERS.length + 2);
    expect(printed).to.contain("All is well.");
  });

  const answering = (asked: string, verdict: Verdict) => () => {
    node.decide = (method) => (method === asked ? verdict : null);
    return {};
  };
  const deployedWith = async (changes: object): Promise<Given> => ({
    env: { DEPLOYMENT_FILE: await put("changed.json", { ...deployed(), source: "live", ...changes }) },
  });

  /** What breaks each thing, and what the table says of it; a new check needs a row here. */
  const BROKEN: Record<string, [Given | (() => Promise<Given> | Given), things: Record<string, RegExp>]> = {
    "a setting is missing": [
      { env: { RPC_URL: "" } },
      { settings: /wrong .*RPC_URL is required in the live/ },
    ],
    "the profile is local": [{ env: { ASSAY_PROFILE: "local" } }, { settings: /wrong .*ASSAY_PROFILE=live/ }],
    "the deployment file is none": [
      async () => ({ env: { DEPLOYMENT_FILE: await put("none", "{}") } }),
      { "deployment file": /wrong .*guard service-file/ },
    ],
    "the node is away": [
      { env: { RPC_URL: `http://127.0.0.1:1/${SECRET}` } },
      Object.fromEntries(
        ["RPC", "RPC: newest block", "RPC: header and proofs", "RPC: depth", "RPC: events and receipts"]
          .concat(["guard", "guard's signer"])
          .map((thing) => [thing, /wrong /]),
      ),
    ],
    "the node serves another chain": [
      answering("eth_chainId", { result: "0x1" }),
      { RPC: /serves chain 1, not 31337/ },
    ],
    "the node gives no proofs": [
      answering("eth_getProof", METHOD_UNKNOWN),
      { "RPC: header and proofs": /wrong .*take a node that answers eth_getProof/ },
    ],
    "the node has forgotten events": [
      answering("eth_getLogs", { result: [] }),
      { "RPC: events and receipts": /wrong .*no event of the guard/ },
    ],
    "the node has no receipts": [
      answering("eth_getTransactionReceipt", { result: null }),
      { "RPC: events and receipts": /wrong .*no receipt of 0x/ },
    ],
    "the node calls at no block's hash": [
      () => {
        node.decide = (method, _transaction, params) =>
          method === "eth_call" && typeof params[1] === "object" ? METHOD_UNKNOWN : null;
        return {};
      },
      { "RPC: depth": /wrong .*take a node that keeps/ },
    ],
    "there is no guard": [
      () => deployedWith({ guard: "0x1111111111111111111111111111111111111111" }),
      { guard: /wrong .*There is no guard/, "guard's signer": /wrong/, "RPC: events and receipts": /wrong/ },
    ],
    "the key is another than the guard's": [
      async () => ({
        env: { ATTESTOR_KEYSTORE: await put("other", await lightKeystore(newWallet().privateKey, SECRET)) },
      }),
      { "guard's signer": /wrong .*the guard takes 0x\w+, and the service has 0x/ },
    ],
    "the passphrase opens no key": [
      { env: { ATTESTOR_KEYSTORE_PASSPHRASE: "another one" } },
      { "attestation key": /wrong /, "guard's signer": /wrong / },
    ],
    "the log's passphrase is another": [
      { env: { LOG_KEYSTORE_PASSPHRASE: "another one" } },
      { "log key": /wrong .*the passphrase does not open/ },
    ],
    "the deployment file names another log key": [
      () => deployedWith({ logKeys: [vkeyText(developmentLogSigner().keyOf("a.example/log"))] }),
      { "log key": /wrong .*logKeys do not name assay\.example\.com/ },
    ],
    "the database is away": [
      { env: { DATABASE_URL: `postgres://assay:${SECRET}@127.0.0.1:1/assay` } },
      { database: /wrong .*it cannot be reached/ },
    ],
    "the database is another program's": [
      async () => ({
        env: { DATABASE_URL: await put("text.db", "no database at all, but a text that is long enough") },
      }),
      { database: /wrong / },
    ],
    "a policy has no price": [
      async () => ({
        env: {
          ...paid(),
          PAYMENT_OPTIONS_FILE: await put("options", {
            options: localOptions(world.deployment).map((option) => ({
              ...option,
              prices: { STRICT_LIVE: "10000" },
            })),
          }),
        },
      }),
      { "payment options": /wrong .*names no price for LAST_CLOSE/ },
    ],
    "a key of a provider is not set": [
      { env: { FINNHUB_KEY: "" } },
      { "provider finnhub": /missing .*FINNHUB_KEY is not set/ },
    ],
    "no publisher of signed prices is configured": [
      { env: { PYTH_HERMES_KEY: "", CHAINLINK_STREAMS_KEY: "" } },
      {
        "signed prices": /missing .*STRICT_LIVE denies every trade.*set PYTH_HERMES_KEY/,
        "provider pyth": /missing .*PYTH_HERMES_KEY is not set/,
      },
    ],
    "a provider refuses its key": [
      { fetch: at("/finnhub/", async () => new Response("{}", { status: 401 })) },
      { "provider finnhub": /wrong .*status 401.*set FINNHUB_KEY/ },
    ],
    "a provider is away": [
      () => {
        providers.world.down.add("binance").add("jupiter");
        return {};
      },
      { "provider binance": /wrong .*status 503/, "provider jupiter": /wrong .*status 503/ },
    ],
    "a provider does not answer": [
      { fetch: at("/binance/", () => new Promise(() => {})), limitMs: 3_000 },
      { "provider binance": /wrong .*no answer within 3 s/ },
    ],
    "the disk is full": [
      { free: 1_000 },
      Object.fromEntries(
        ["DATA_DIR", "LOG_STATE_DIR", "SQLite's folder"].map((thing) => [thing, /wrong .*has 0\.0 GiB free/]),
      ),
    ],
    "the state folder is none": [
      async () => ({ env: { LOG_STATE_DIR: join(await put("file", ""), "log") } }),
      { LOG_STATE_DIR: /wrong .*ENOTDIR/ },
    ],
  };

  for (const [what, [given, things]] of Object.entries(BROKEN))
    it(`says it where ${what}, and how to fix it`, async () => {
      const { code, rows, printed } = await look(typeof given === "function" ? await given() : given);
      const found = faulty(rows);
      // Where settings or deployment are none, the table names what could not be asked.
      const unasked = [...found].filter(([, line]) => /not asked/.test(line)).map(([thing]) => thing);
      if (unasked.length > 0)
        expect(["settings", "deployment file"], printed).to.include(Object.keys(things)[0]);
      for (const thing of unasked) found.delete(thing);
      expect([...found.keys()].sort(), printed).to.deep.equal(Object.keys(things).sort());
      for (const [thing, says] of Object.entries(things)) expect(found.get(thing)).to.match(says);
      for (const line of found.values()) expect(line).to.contain("To fix it: ");
      expect(code).to.equal(1);
    });

  it("takes no answer that a cache kept for a clock that is behind", async () => {
    const headers = { date: new Date(Date.now() - 120_000).toUTCString(), age: "120" };
    const cached = async () => Response.json(ANSWERS["/finnhub/"], { headers });
    const { rows } = await look({ fetch: at("/finnhub/", cached) });
    expect(faulty(rows).get("provider finnhub")).to.equal(undefined);
  });

  it("tells clocks that differ: the chain's, the database's and each provider's", async () => {
    const DATABASE_URL = await (await postgresServer()).createDatabase();
    const { rows } = await look({ env: { DATABASE_URL }, shiftMs: 120_000 });
    const found = faulty(rows);
    expect(found.get("RPC: newest block")).to.match(/block \d+ is 1\d\d s old/);
    for (const thing of ["database", "provider finnhub", "provider binanceRwa"])
      expect(found.get(thing)).to.match(/its clock is 1(19|20|21) s behind this machine's: synchronize both/);
  });
});

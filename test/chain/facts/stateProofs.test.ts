/** State proofs from a real node: of the guard, and of pairs and pools of Uniswap's own bytecode. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect } from "chai";
import { Contract, JsonRpcProvider, parseEther, toBeHex } from "ethers";
import type { ChainFacts } from "../../../attestor/evidence/facts.ts";
import type { PoolState, UniswapV3State } from "../../../attestor/pools/poolState.ts";
import { guardSlots, v3Slots } from "../../../attestor/proofs/layout.ts";
import type { Provable } from "../../../attestor/proofs/rows.ts";
import { createBlockReader } from "../../../chain/blockReads.ts";
import { createBlockMemo } from "../../../chain/facts/blockMemo.ts";
import { createProofReader } from "../../../chain/facts/stateProofs.ts";
import { V2_FACTORY, V2_PAIR, V3_FACTORY, V3_POOL } from "../../../devnet/artifacts.ts";
import { unixSeconds } from "../../../devnet/clock.ts";
import { view } from "../../../devnet/sender.ts";
import { TradeGuard__factory } from "../../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { UNKNOWN_TOKEN } from "../../attestor/fixtures.ts";
import { chainBehind, ownCaches } from "../../support/caches.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import { ofSuite } from "../../support/suite.ts";
import { purchaseIn, testWorld } from "../../support/world.ts";

const ROOT = join(import.meta.dirname, "../../..");
const require = createRequire(import.meta.url);

/** Slot, offset and type of each variable of a contract, as the compiler lays them out. */
function compiledLayout(
  file: string,
  contract: string,
): Map<string, { slot: string; offset: number; type: string }> {
  const { compile } = require("solc") as { compile(input: string, callbacks: object): string };
  const read = (path: string) =>
    readFileSync(join(ROOT, path.startsWith("@") ? "node_modules" : "", path), "utf8");
  const input = {
    language: "Solidity",
    sources: { [file]: { content: read(file) } },
    settings: { outputSelection: { [file]: { [contract]: ["storageLayout"] } } },
  };
  const output = JSON.parse(
    compile(JSON.stringify(input), { import: (path: string) => ({ contents: read(path) }) }),
  );
  const { storage } = output.contracts[file][contract].storageLayout;
  return new Map(storage.map(({ label, ...place }: any) => [label, place]));
}

const world = testWorld();
const node = ofSuite(() => flakyRpc(world.url));
const provider = ofSuite(async () => {
  const options = { batchMaxCount: 1, cacheTimeout: -1 };
  return new JsonRpcProvider(node.url, world.deployment.chainId, options);
});
afterEach(() => {
  node.decide = () => null;
});

const reader = () =>
  createProofReader(
    createBlockReader(provider, world.deployment.chainId, ownCaches()),
    createBlockMemo(ownCaches()),
  );

async function chainFacts(): Promise<ChainFacts> {
  const block = (await world.provider.getBlock("latest"))!;
  const { chainId } = world.deployment;
  return { chainId, blockNumber: block.number, blockHash: block.hash!, blockTimestamp: block.timestamp };
}

/** As a job asks of the newest block, without pools. */
async function proofsNow(from: ReturnType<typeof reader>) {
  const chain = await chainFacts();
  return from.proofsOf(await provable(chain, null));
}

/** What the guard and these pools say by their own functions. */
async function provable(chain: ChainFacts, pools: PoolState[] | null, recipient?: string): Promise<Provable> {
  const { guard: address, executor, registry } = world.deployment;
  const guard = TradeGuard__factory.connect(address, world.provider);
  const [route] = registry.routes as [(typeof registry.routes)[number]];
  const blockTag = chain.blockNumber;
  const signer = await guard.getFunction("signer")({ blockTag });
  const owner = world.accounts.users[0]!.address;
  return {
    chain,
    token: UNKNOWN_TOKEN,
    guard: {
      address,
      executor,
      signer,
      attestor: signer,
      paused: await guard.paused({ blockTag }),
      routeAllowed: await guard.isRouteAllowed(route.address, route.selector, { blockTag }),
      recipientAllowed: recipient === undefined || (await guard.isRecipientAllowed(recipient, { blockTag })),
      pending: [],
    },
    quote: { route: route.address, selector: route.selector, pools } as Provable["quote"],
    intent: { ownerAddress: owner, recipientAddress: recipient ?? owner } as Provable["intent"],
    trade: {} as Provable["trade"],
  };
}

/** By its factory's word. */
async function place(symbol: string, kind: "uniswap-v2" | "uniswap-v3", fee: number): Promise<string> {
  const pair = [world.token(symbol), world.token("USDL")];
  const [address] =
    kind === "uniswap-v2"
      ? await view(world.chain, world.dex.v2.factory, V2_FACTORY.abi, "getPair", pair)
      : await view(world.chain, world.dex.v3.factory, V3_FACTORY.abi, "getPool", [...pair, fee]);
  return address;
}

async function pair(): Promise<PoolState> {
  const address = await place("AAPLx", "uniswap-v2", 3_000);
  const contract = new Contract(address, V2_PAIR.abi, world.provider);
  const [reserve0, reserve1] = await contract.getFunction("getReserves")();
  const [token0, token1] = await Promise.all(
    ["token0", "token1"].map((name) => contract.getFunction(name)()),
  );
  const reserves = { reserve0: String(reserve0), reserve1: String(reserve1) };
  return { kind: "uniswap-v2", address, token0, token1, feeBps: 30, ...reserves };
}

/** With both ticks of its one position. */
async function pool(): Promise<UniswapV3State> {
  const address = await place("AAPLx", "uniswap-v3", 500);
  const contract = new Contract(address, V3_POOL.abi, world.provider);
  const ask = (name: string, ...args: unknown[]) => contract.getFunction(name)(...args);
  const [slot0, liquidity, spacing, token0, token1, minted] = await Promise.all([
    ask("slot0"),
    ask("liquidity"),
    ask("tickSpacing"),
    ask("token0"),
    ask("token1"),
    contract.queryFilter("Mint"),
  ]);
  const { tickLower, tickUpper } = (minted[0] as any).args;
  const ticks = await Promise.all(
    [tickLower, tickUpper].map(async (tick) => ({
      tick: Number(tick),
      liquidityNet: String((await ask("ticks", tick)).liquidityNet),
    })),
  );
  const indexes = ticks.map(({ tick }) => Math.floor(tick / Number(spacing) / 256));
  const words = await Promise.all(
    [...new Set(indexes)].map(async (word) => ({ word, bitmap: toBeHex(await ask("tickBitmap", word), 32) })),
  );
  return {
    kind: "uniswap-v3",
    address,
    token0,
    token1,
    fee: 500,
    tickSpacing: Number(spacing),
    sqrtPriceX96: String(slot0.sqrtPriceX96),
    tick: Number(slot0.tick),
    liquidity: String(liquidity),
    words,
    ticks,
  };
}

describe("the layout of the guard", () => {
  it("reads the guard's storage by the compiler's layout", () => {
    const layout = compiledLayout("contracts/TradeGuard.sol", "TradeGuard");
    const slot = (name: string) => toBeHex(layout.get(name)!.slot, 32);
    expect(slot("signer")).to.equal(guardSlots.signerAndPaused);
    expect([layout.get("signer")?.offset, layout.get("paused")?.offset]).to.deep.equal([0, 20]);
    expect(slot("paused")).to.equal(guardSlots.signerAndPaused);
    expect([layout.get("isRouteAllowed")?.slot, layout.get("isRecipientAllowed")?.slot]).to.deep.equal([
      "4",
      "5",
    ]);
  });
});

describe("the multiplier of a token", () => {
  it("the multiplier of a token stands where the compiler puts it, a whole word each", () => {
    const compiled = compiledLayout("devnet/contracts/LocalStock.sol", "LocalStock");
    const stocks = world.deployment.registry.assets.filter(({ kind }) => kind === "stock");
    const word = (label: string) => {
      const { slot, type } = compiled.get(label)!;
      expect(type).to.equal("t_uint256");
      return toBeHex(slot, 32);
    };
    for (const { multiplierLayout } of stocks)
      expect(multiplierLayout).to.deep.equal({
        uiMultiplier: word("_multiplier"),
        newUIMultiplier: word("_nextMultiplier"),
        effectiveAt: word("effectiveAt"),
      });
  });

  /** Facts of a trade, with parts of the layout as a registry might have them. */
  const askedWith = (layout: object = {}, warn: (line: string) => void = expect.fail) => {
    const { registry } = world.deployment;
    const assets = registry.assets.map((asset) =>
      asset.kind === "stock"
        ? { ...asset, multiplierLayout: { ...asset.multiplierLayout!, ...layout } }
        : asset,
    );
    const deployment = { ...world.deployment, registry: { ...registry, assets } };
    const chain = chainBehind({ deployment }, provider, warn);
    const intent = { ...purchaseIn(world), recipientAddress: purchaseIn(world).ownerAddress };
    return async () => (await chain.facts(intent, unixSeconds(world.clock))).facts;
  };

  it("the multiplier of a token that changes between two blocks by time alone is proved at each by its own time", async () => {
    const factsNow = askedWith();
    const before = (await factsNow()).token.factor!.value;
    const effectiveAt = unixSeconds(world.clock) + 100;
    await world.scheduleSharesPerToken("AAPLx", parseEther("2"), effectiveAt);
    const announced = await factsNow();
    world.clock.set(effectiveAt * 1_000);
    await world.mine();
    const matured = await factsNow();
    expect(announced.chain.blockTimestamp).to.be.below(effectiveAt);
    expect(matured.chain.blockTimestamp).to.equal(effectiveAt);
    for (const [{ token }, value] of [
      [announced, before],
      [matured, "2"],
    ] as const) {
      expect(token.factor?.value).to.equal(value);
      expect(token.announcement?.change).to.deep.equal({ value: "2", effectiveAt });
      expect(token.layout).to.deep.equal(world.deployment.registry.assets[0]?.multiplierLayout);
    }
    await world.setSharesPerToken("AAPLx", parseEther(before));
  });

  it("the multiplier of a token whose storage says otherwise than the token is observed, with a warning, and the rest stays proved", async () => {
    for (const name of ["uiMultiplier", "newUIMultiplier", "effectiveAt"]) {
      const lines: string[] = [];
      const factsNow = askedWith({ [name]: toBeHex(2, 32) }, (line) => lines.push(line));
      for (const _ of ["a block", "another"]) {
        await world.mine();
        const { token, proofs } = await factsNow();
        // With nothing announced the slot of before the change decides nothing.
        expect([token.layout === null, proofs === null]).to.deep.equal([name !== "uiMultiplier", false]);
      }
      expect(lines.length).to.equal(name === "uiMultiplier" ? 0 : 1);
    }
  });
});

describe("state proofs of a node that gives them", () => {
  it("prove the guard, a pair and a pool as their own functions say, in some kilobytes", async () => {
    const chain = await chainFacts();
    const facts = await provable(chain, [await pair(), await pool()], world.accounts.users[1]!.address);
    const checked = await reader().proofsOf(facts);
    expect(checked?.state.header).to.deep.include({ hash: chain.blockHash, number: chain.blockNumber });
    expect(checked?.proofs.accounts).to.have.length(3);
    // The bound that the documentation names for a trade of the local world.
    expect(JSON.stringify(checked?.proofs).length).to.be.within(2_000, 24_000);
  });

  it("prove what a pool of Uniswap V3 says of every part of its state, and nothing else", async () => {
    const chain = await chainFacts();
    const sound = await pool();
    const holds = async (bent: Partial<UniswapV3State>) =>
      (await reader().proofsOf(await provable(chain, [{ ...sound, ...bent }]))) !== null;
    expect(await holds({})).to.equal(true);
    const [first, ...rest] = sound.ticks as [UniswapV3State["ticks"][number]];
    for (const bent of [
      { sqrtPriceX96: `${sound.sqrtPriceX96}0` },
      { tick: sound.tick + 1 },
      { liquidity: "1" },
      { words: sound.words.map(({ word }) => ({ word, bitmap: toBeHex(1, 32) })) },
      { ticks: [{ ...first, liquidityNet: "1" }, ...rest] },
      { ticks: [{ tick: first.tick + sound.tickSpacing, liquidityNet: "0" }] },
    ])
      expect(await holds(bent), JSON.stringify(bent)).to.equal(false);
    expect(v3Slots.tick(-1)).to.not.equal(v3Slots.tick(1));
  });

  it("state proofs of a node that gives them are asked for once a block, however many ask", async () => {
    const chain = await chainFacts();
    const facts = await provable(chain, [await pair()]);
    const shared = reader();
    node.asked.length = 0;
    const all = await Promise.all(Array.from({ length: 20 }, () => shared.proofsOf(facts)));
    expect(new Set(all.map((checked) => checked?.proofs)).size).to.equal(1);
    expect(node.asked.toSorted()).to.deep.equal(["eth_getBlockByHash", "eth_getProof", "eth_getProof"]);
  });

  it("keeps no state proofs that contradict the facts, are of another block or are cut short", async () => {
    const chain = await chainFacts();
    const facts = await provable(chain, null);
    const lie = { ...facts, guard: { ...facts.guard, paused: !facts.guard.paused } };
    expect(await reader().proofsOf(lie)).to.equal(null);
    const later = { ...chain, blockTimestamp: chain.blockTimestamp + 1 };
    expect(await reader().proofsOf({ ...facts, chain: later })).to.equal(null);
    const short = { accountProof: [], storageProof: [] };
    node.decide = (method) => (method === "eth_getProof" ? { result: short } : null);
    expect(await reader().proofsOf(facts)).to.equal(null);
  });
});

describe("a node that gives no state proofs", () => {
  it("a node that gives no state proofs is asked once, and not at every job", async () => {
    const error = { code: -32601, message: "the method eth_getProof does not exist" };
    node.decide = (method) => (method === "eth_getProof" ? { error } : null);
    const shared = reader();
    expect(await proofsNow(shared)).to.equal(null);
    await world.mine();
    node.asked.length = 0;
    expect(await proofsNow(shared)).to.equal(null);
    expect(node.asked).to.deep.equal([]);
  });

  it("a node that gives no state proofs is asked again at the next block where it forgot the state of one", async () => {
    const error = { code: -32000, message: "missing trie node" };
    node.decide = (method) => (method === "eth_getProof" ? { error } : null);
    const shared = reader();
    expect(await proofsNow(shared)).to.equal(null);
    node.decide = () => null;
    await world.mine();
    expect(await proofsNow(shared)).to.not.equal(null);
  });
});

/** A state trie of our own making, its header and its proofs: what a node would say, without one. */
import { createMerkleProof, createMPT } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import { getBytes, hexlify, id, keccak256, toBeArray } from "ethers";
import type { Facts } from "../../../attestor/evidence/facts.ts";
import { poolAddress } from "../../../attestor/pools/create2.ts";
import type { UniswapV2State } from "../../../attestor/pools/poolState.ts";
import { guardSlots, v2Slots } from "../../../attestor/proofs/layout.ts";
import { type Provable, rowsOf, slotsOf } from "../../../attestor/proofs/rows.ts";
import { assembleProofs, type Proofs, proofsHash } from "../../../attestor/proofs/stateProofs.ts";
import { parseRegistry } from "../../../attestor/registry.ts";
import type { MultiplierLayout } from "../../../attestor/shares.ts";
import {
  addressFor,
  DOLLAR,
  facts,
  GUARD,
  NOW,
  OWNER,
  quote,
  REGISTRY,
  ROUTER,
  SIGNER,
  STOCK,
  SWAP,
} from "../fixtures.ts";

/** Words by slot, by account. */
export type State = Readonly<Record<string, Readonly<Record<string, bigint>>>>;

export interface Made {
  /** RLP. */
  readonly header: string;
  readonly hash: string;
  /** Every node that leads to an account or a slot of the state. */
  readonly nodes: readonly string[];
  /** Of the state trie. */
  readonly root: Uint8Array;
}

/** Accounts and slots beside those asked for, so that tries have branches. */
const CROWD = 40;
const crowd = (name: string) => Array.from({ length: CROWD }, (_, n) => `${name} ${n}`);
const hexes = (nodes: readonly Uint8Array[]) => nodes.map((node) => hexlify(node));

/** A block with that state. @param timestamp unix seconds */
export async function madeState(state: State, blockNumber = 4_200, timestamp = NOW - 2): Promise<Made> {
  const accounts = await createMPT({ useKeyHashing: true });
  const nodes: string[] = [];
  for (const [address, words] of Object.entries(state)) {
    const storage = await createMPT({ useKeyHashing: true });
    for (const name of crowd("slot")) await storage.put(getBytes(id(name)), RLP.encode(1));
    for (const [key, word] of Object.entries(words))
      if (word !== 0n) await storage.put(getBytes(key), RLP.encode(toBeArray(word)));
    for (const key of Object.keys(words))
      nodes.push(...hexes(await createMerkleProof(storage, getBytes(key))));
    await accounts.put(getBytes(address), accountRlp(storage.root()));
  }
  for (const name of crowd("account"))
    await accounts.put(getBytes(addressFor(name)), accountRlp(getBytes(id(name))));
  for (const address of Object.keys(state))
    nodes.push(...hexes(await createMerkleProof(accounts, getBytes(address))));
  const header = headerRlp(accounts.root(), blockNumber, timestamp);
  return { header, hash: keccak256(header), nodes, root: accounts.root() };
}

function accountRlp(storageRoot: Uint8Array): Uint8Array {
  return RLP.encode([1, 0, storageRoot, getBytes(id("code"))]);
}

/** A header as of London: the members that matter, and zeros. */
export function headerRlp(stateRoot: Uint8Array, number: number, timestamp: number): string {
  const zeros = (length: number) => new Uint8Array(length);
  const hashes = [zeros(32), zeros(32), zeros(20), stateRoot, zeros(32), zeros(32), zeros(256)];
  const numbers = [0, number, 30_000_000, 21_000, timestamp].map((value) => toBeArray(value));
  return hexlify(RLP.encode([...hashes, ...numbers, zeros(0), zeros(32), zeros(8), toBeArray(7)]));
}

const RECIPIENT = addressFor("somebody else");
const RESERVES = { stock: 4_000_000_000_000_000_000_000n, dollar: 1_002_000_000_000n };

/** What the pair pays for an amount, as Uniswap's own library says it. */
function amountOut(amountIn: bigint, reserveIn: bigint, reserveOut: bigint): bigint {
  const taken = amountIn * 997n;
  return (taken * reserveOut) / (reserveIn * 1_000n + taken);
}

/** Of a token whose storage is known. */
export const LAYOUT: MultiplierLayout = {
  uiMultiplier: id("multiplier"),
  newUIMultiplier: id("next multiplier"),
  effectiveAt: id("effective at"),
};

/** The registry with what makes its V2 route's pools and its stock's multiplier provable. */
export const STATE_REGISTRY = parseRegistry({
  ...REGISTRY,
  assets: REGISTRY.assets.map((asset) =>
    asset.kind === "stock" ? { ...asset, multiplierLayout: LAYOUT } : asset,
  ),
  routes: REGISTRY.routes.map((route) =>
    route.kind === "uniswap-v2"
      ? {
          ...route,
          pools: {
            deployer: route.factory,
            initCodeHash: id("a pair's code"),
            layout: "uniswap-v2",
            feeBps: 30,
          },
        }
      : route,
  ),
});
export const PAIR = poolAddress(STATE_REGISTRY.routes[0]!, STOCK, DOLLAR, null)!;

/** A quote that follows from the reserves of one pair. */
function pairQuote(): NonNullable<Facts["quote"]> {
  const [amountIn, tinyIn] = [1_000_000_000n, 10_000_000n];
  const isStockFirst = STOCK.toLowerCase() < DOLLAR.toLowerCase();
  const { stock, dollar } = RESERVES;
  const bought = (amount: bigint) => amountOut(amount, dollar, stock).toString();
  return {
    ...quote("buy"),
    amountInRaw: amountIn.toString(),
    amountOutRaw: bought(amountIn),
    referenceAmountInRaw: tinyIn.toString(),
    referenceAmountOutRaw: bought(tinyIn),
    pools: [
      {
        kind: "uniswap-v2",
        address: PAIR,
        token0: isStockFirst ? STOCK : DOLLAR,
        token1: isStockFirst ? DOLLAR : STOCK,
        feeBps: 30,
        reserve0: (isStockFirst ? stock : dollar).toString(),
        reserve1: (isStockFirst ? dollar : stock).toString(),
      },
    ],
  };
}

export interface ProvedFacts {
  readonly facts: Facts;
  readonly proofs: Proofs;
  readonly intent: Pick<Provable["intent"], "ownerAddress" | "recipientAddress">;
  readonly made: Made;
}

const NEAR_DIGITS = 4;

/** A name whose hash begins as that of a key does, so that the two share an extension node in their trie. */
function near(key: string, named: (number: number) => string): string {
  const wanted = keccak256(key).slice(2, 2 + NEAR_DIGITS);
  for (let number = 0; ; number++) {
    const name = named(number);
    if (keccak256(name).slice(2, 2 + NEAR_DIGITS) === wanted) return name;
  }
}

export interface ProvedOptions {
  readonly recipient?: boolean;
  readonly extensions?: boolean;
  /** What the evidence says of a token of `LAYOUT`, and what its slots hold: multiplier, announced one, time. */
  readonly token?: { readonly facts: Facts["token"]; readonly words: readonly [bigint, bigint, bigint] };
}

/** Facts whose guard and pair are in a state trie, with the proofs of it. */
export async function provedFacts(options: ProvedOptions = {}): Promise<ProvedFacts> {
  const intent = { ownerAddress: OWNER, recipientAddress: options.recipient ? RECIPIENT : OWNER };
  const quoted = pairQuote();
  const [pair] = quoted.pools as [UniswapV2State];
  const made = await madeState({
    [GUARD]: {
      [guardSlots.signerAndPaused]: BigInt(SIGNER.address),
      [guardSlots.routeAllowed(ROUTER, SWAP)]: 1n,
      [guardSlots.recipientAllowed(RECIPIENT)]: 1n,
      ...(options.extensions
        ? { [near(guardSlots.signerAndPaused, (number) => id(`near ${number}`))]: 1n }
        : {}),
    },
    ...(options.extensions ? { [near(PAIR, (number) => addressFor(`near ${number}`))]: {} } : {}),
    ...(options.token
      ? {
          [STOCK]: Object.fromEntries(Object.values(LAYOUT).map((key, n) => [key, options.token!.words[n]!])),
        }
      : {}),
    [PAIR]: { [v2Slots.reserves]: (7n << 224n) | (BigInt(pair.reserve1) << 112n) | BigInt(pair.reserve0) },
  });
  const token = options.token && { ...options.token.facts, layout: LAYOUT };
  const plain = facts(token && { token });
  const given: Facts = { ...plain, chain: { ...plain.chain, blockHash: made.hash }, quote: quoted };
  const rows = rowsOf({ ...given, intent: intent as Provable["intent"], trade: {} as Provable["trade"] });
  const proofs = assembleProofs(made.header, slotsOf(rows), made.nodes);
  return {
    facts: { ...given, proofs: { format: "assay.proofs/1", hash: proofsHash(proofs) } },
    proofs,
    intent,
    made,
  };
}

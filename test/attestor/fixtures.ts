/** A sound judgement to bend: one stock token of 1.25 shares against one dollar token, values of our own. */
import { AbiCoder, id, keccak256 } from "ethers";
import { attest, authorize, type Judgement } from "../../attestor/attest.ts";
import { guardDomain } from "../../attestor/certificate/certificate.ts";
import { buildExecution } from "../../attestor/certificate/execution.ts";
import { signerFromPrivateKey } from "../../attestor/certificate/signer.ts";
import type { Facts } from "../../attestor/evidence/facts.ts";
import { executorOf } from "../../attestor/evm/address.ts";
import { type Policy, policyById } from "../../attestor/policies/policy.ts";
import type { Proofs } from "../../attestor/proofs/stateProofs.ts";
import { KNOWN_KEYS, type PublisherKeys } from "../../attestor/publishers/publisherKeys.ts";
import { checkPriceProof } from "../../attestor/publishers/publishers.ts";
import { priceProofOf } from "../../attestor/publishers/pyth/pyth.ts";
import { parseRegistry } from "../../attestor/registry.ts";
import { evaluate, type Report } from "../../attestor/report.ts";
import { addressOf } from "../../attestor/values/primitives.ts";
import type { Verification } from "../../attestor/verify/verification.ts";
import { signedUpdate } from "../../devnet/hermes/update.ts";
import SOUND_REGISTRY from "./registry.json" with { type: "json" };

export type Side = "buy" | "sell";
export const SIDES: readonly Side[] = ["buy", "sell"];

export const CHAIN_ID = 31_337;
/** A moment in a regular session, unix seconds. */
export const NOW = 1_790_000_000;

/** An address made from a name. */
export function addressFor(name: string): string {
  return AbiCoder.defaultAbiCoder().decode(["address"], `0x${"00".repeat(12)}${id(name).slice(26)}`)[0];
}

export const REGISTRY = parseRegistry(SOUND_REGISTRY);
export const [STOCK_KEY, DOLLAR_KEY] = REGISTRY.assets.map(({ assetKey }) => assetKey) as [string, string];
export const [STOCK, DOLLAR] = [addressOf(STOCK_KEY), addressOf(DOLLAR_KEY)];
export const OWNER = addressFor("owner");
export const GUARD = addressFor("guard");
export const ROUTER = REGISTRY.routes[0]!.address;
export const SWAP = "0x38ed1739";

export const DOMAIN = guardDomain(CHAIN_ID, GUARD);
export const PRIVATE_KEY = id("an attestation key for tests");
export const SIGNER = signerFromPrivateKey(PRIVATE_KEY, DOMAIN);

/** A token costs 250.5 USD, a share 200.4; this size costs about 20 bps. */
const QUOTES = {
  buy: {
    path: [DOLLAR, STOCK],
    amountInRaw: "1000000000",
    amountOutRaw: "3984047873317239000",
    referenceAmountInRaw: "10000000",
    referenceAmountOutRaw: "39920159680638722",
  },
  sell: {
    path: [STOCK, DOLLAR],
    amountInRaw: "4000000000000000000",
    amountOutRaw: "1000000000",
    referenceAmountInRaw: "40000000000000000",
    referenceAmountOutRaw: "10020000",
  },
};

/** A quote that the route's own quoter said. */
export function quote(side: Side): NonNullable<Facts["quote"]> {
  const quoted = structuredClone(QUOTES[side]);
  return { routeName: "v2", route: ROUTER, selector: SWAP, fees: [], ...quoted, pools: null };
}

/** A reading of 200 USD, ten seconds old. */
export function reading(overrides: Partial<Facts["references"][number]> = {}): Facts["references"][number] {
  return {
    provider: "pyth",
    source: "test",
    kind: "live",
    symbol: "Equity.US.ACME/USD",
    price: "200",
    confidence: "0.1",
    publishedAt: NOW - 10,
    receivedAt: NOW - 1,
    rawHash: id("raw answer"),
    onChain: null,
    proof: null,
    signer: null,
    ...overrides,
  };
}

const FEED = id("Equity.US.ACME/USD");
/** As evidence names the signers of the local world's prices. */
const LOCAL_SET = "test keys of the local world";

/** That reading as Pyth's, with the signatures of the local world's test keys. */
export function signedReading(
  change: { readonly price?: string; readonly confidence?: string; readonly publishedAt?: number } = {},
  feedId = FEED,
): Facts["references"][number] {
  const said = reading({ provider: "pyth", ...change });
  const raw = (text: string | null) => BigInt(Math.round(Number(text) * 1e5));
  const { publishedAt } = said;
  const [price, confidence] = [raw(said.price), raw(said.confidence)];
  const update = signedUpdate([{ feedId, price, confidence, exponent: -5, publishedAt }], publishedAt);
  return withSigner({ ...said, proof: priceProofOf(update, feedId) });
}

/**
 * The reading with the signer that a service names which has these keys. Where it could not check the proof, it names the
 * signer all the same, as a service that lies would.
 */
export function withSigner<R extends Facts["references"][number]>(
  given: R,
  { keys = KNOWN_KEYS, chainId = CHAIN_ID }: { keys?: PublisherKeys; chainId?: number } = {},
): R {
  if (given.proof === null) return { ...given, signer: null };
  const check = checkPriceProof(given.proof, keys, chainId);
  const price = check.outcome === "broken" ? null : check.price;
  const set = check.outcome === "broken" ? LOCAL_SET : check.by;
  const signer = { set, session: price?.session ?? null, signedAt: price?.signedAt ?? given.receivedAt };
  return { ...given, signer };
}

/** A reading of the second source. */
export const bySecond = (change: Parameters<typeof reading>[0] = {}) =>
  reading({ provider: "finnhub", symbol: "ACME", ...change });

/** Two live sources, of which one is signed, and one last close: enough for every policy. */
export function references(): Facts["references"] {
  return [signedReading(), ...unsignedReferences().slice(1)];
}

/** Nobody signed these: not enough for STRICT_LIVE. */
export function unsignedReferences(): Facts["references"] {
  return [
    reading(),
    bySecond({ price: "200.4", confidence: null, publishedAt: NOW - 5 }),
    bySecond({ kind: "close", price: "199.8", publishedAt: NOW - 60_000 }),
  ];
}

const stated = {
  provider: "erc-8056",
  source: "test",
  blockNumber: 4_200,
  address: STOCK,
  receivedAt: NOW - 1,
  rawHash: id("raw answer"),
};

/** A token of so many shares that nobody halted and of which no change is announced. */
export function token(
  factor: string | null = "1.25",
  change: { value: string | null; effectiveAt: number } | null = null,
): Facts["token"] {
  return {
    factor: factor === null ? null : { ...stated, value: factor },
    announcement: { ...stated, change },
    layout: null,
    halts: [{ ...stated, provider: "tradingHalted", halted: false }],
  };
}

/** A token of which nobody says anything. */
export const UNKNOWN_TOKEN: Facts["token"] = { factor: null, announcement: null, layout: null, halts: [] };

/** Two prices of the dollar token. */
export function dollars(price = "1", publishedAt = NOW - 20): Facts["settlement"] {
  return ["pyth", "finnhub"].map((provider) =>
    reading({ provider, symbol: "USDT / USD", price, confidence: null, publishedAt }),
  );
}

/** Facts that every policy allows, fresh at each call. */
export function facts(overrides: Partial<Facts> = {}, side: Side = "buy"): Facts {
  return {
    chain: {
      chainId: CHAIN_ID,
      blockNumber: 4_200,
      blockHash: id("block 4200"),
      blockTimestamp: NOW - 2,
    },
    quote: quote(side),
    references: references(),
    session: { source: "test", state: "regular" },
    token: token(),
    settlement: dollars(),
    failures: [],
    liquidity: {
      source: "test",
      grade: "A",
      sampleN: 40,
      impact1kBps: "12.5",
      impact10kBps: "48",
      updatedAt: NOW - 600,
      samplesRoot: null,
    },
    proofs: null,
    guard: {
      address: GUARD,
      executor: executorOf(GUARD),
      paused: false,
      signer: SIGNER.address,
      attestor: SIGNER.address,
      routeAllowed: true,
      recipientAllowed: true,
      pending: [],
    },
    ...overrides,
  };
}

/** A judgement that is allowed unless bent. */
export function judgement(overrides: Partial<Judged> & { side?: Side } = {}): Judged {
  const { side = "buy", ...rest } = overrides;
  const policy = rest.policy ?? policyById("STRICT_LIVE");
  const chosen = rest.facts ?? facts({}, side);
  return {
    jobId: "job_9f2c",
    reportVersion: 2,
    capturedAt: NOW,
    intent: {
      ownerAddress: OWNER,
      recipientAddress: OWNER,
      inputAssetKey: side === "buy" ? DOLLAR_KEY : STOCK_KEY,
      outputAssetKey: side === "buy" ? STOCK_KEY : DOLLAR_KEY,
      amountInRaw: chosen.quote?.amountInRaw ?? QUOTES[side].amountInRaw,
      policyId: policy.definition.policyId,
      maxSlippageBps: 50,
    },
    registry: REGISTRY,
    ...rest,
    policy,
    facts: chosen,
  };
}

/** The call of the V2 router for the quoted trade, which pays the executor. */
function routeCallData({ evidence: { quote, figures, guard } }: Report): string {
  const call = [quote?.amountInRaw, figures.minAmountOutRaw, quote?.path, guard.executor, NOW + 300];
  const types = ["uint256", "uint256", "address[]", "address", "uint256"];
  return `${SWAP}${AbiCoder.defaultAbiCoder().encode(types, call).slice(2)}`;
}

/**
 * The answer of prepare-execution on an allowed report, as JSON would bring it, for the guard that its evidence names.
 * @param privateKey what signs the certificate
 * @param routeCall what the route is called with
 */
export async function prepared(
  report: Report,
  policy: Policy = policyById("STRICT_LIVE"),
  privateKey: string = PRIVATE_KEY,
  routeCall: string = routeCallData(report),
) {
  const { chain, guard } = report.evidence;
  const domain = guardDomain(chain.chainId, guard.address);
  const signer = signerFromPrivateKey(privateKey, domain);
  const authorized = authorize(policy, report, {
    callDataHash: keccak256(routeCall),
    nonce: "77",
    deadline: NOW + 300,
  });
  const execution = buildExecution(report, {
    ...authorized,
    signature: await signer.sign(authorized.certificate),
    signer: signer.address,
    routeCallData: routeCall,
    currentAllowance: "0",
  });
  return structuredClone({ jobId: report.jobId, reportVersion: report.version, report, execution });
}

/** As JSON brings it, to bend. */
export const copy = <T>(value: T): any => JSON.parse(JSON.stringify(value));

/** Names of the steps with this outcome. */
export const named = ({ steps }: Pick<Verification, "steps">, outcome: string) =>
  steps.filter((step) => step.outcome === outcome).map(({ name }) => name);

/** What a reader trusts who knows the guard and its key. */
export const TRUST = { guard: { chainId: CHAIN_ID, address: GUARD }, signer: SIGNER.address };

interface Judged extends Judgement {
  /** The proofs that `facts.proofs` names. */
  readonly proofs?: Proofs | null;
}

/** What a service would report. */
export function reportOn({ proofs, ...given }: Judged): Report {
  const report = evaluate(given.policy, attest(given));
  return proofs ? { ...report, proofs } : report;
}

/** A sound report, allowed. */
export function soundReport(side: Side = "buy"): Report {
  return reportOn(judgement({ side }));
}

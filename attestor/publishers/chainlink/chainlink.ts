/** Chainlink Data Streams, schema v11: prices of US stocks around the clock on five days, with the market's status. */
import { toHex } from "../../evm/hash.ts";
import { AttestorError } from "../../values/attestorErrors.ts";
import { EvidenceDecimal } from "../../values/decimal.ts";
import type { MarketSession } from "../../values/market.ts";
import { CLOCK_SKEW_SECONDS } from "../../values/time.ts";
import { ByteReader } from "../byteReader.ts";
import type { ProofCheck, Publisher, SignedPrice } from "../publisher.ts";
import type { Configuration, PublisherKeys } from "../publisherKeys.ts";
import { signerOf } from "../signers.ts";
import { type FullReport, parseFullReport } from "./fullReport.ts";

/** The first two bytes of a feed's id. */
const SCHEMA_V11 = 11;
const WORD = 32;
const DECIMALS = 18;
const NANOSECONDS = 1_000_000_000n;

export const CHAINLINK: Publisher = {
  format: "chainlink-report",
  provider: "chainlink",
  check(bytes, keys) {
    const report = parseFullReport(bytes);
    const schema = schemaOf(report.blob);
    return schema === SCHEMA_V11
      ? signatureCheck(report, parseV11(report.blob), keys)
      : {
          outcome: "unknown",
          reason: `reports of schema v${schema} are not known here`,
          by: `chainlink reports of schema v${schema}`,
          price: null,
        };
  },
  proofsIn(update) {
    parseFullReport(update);
    return [{ format: CHAINLINK.format, data: toHex(update) }];
  },
};

const schemaOf = (blob: Uint8Array): number => new ByteReader(blob).number(2);

interface V11 extends Omit<SignedPrice, "session"> {
  readonly marketStatus: number;
}

/** @throws AttestorError `invalid_proof` also for a price that the evidence has no form for, such as zero */
function parseV11(blob: Uint8Array): V11 {
  const reader = new ByteReader(blob);
  const feedId = toHex(reader.take(WORD));
  reader.take(WORD); // Valid from.
  const signedAt = reader.unsigned(WORD);
  reader.take(3 * WORD); // Two fees, and until when a contract accepts it.
  const mid = reader.signed(WORD);
  const lastSeen = reader.unsigned(WORD) / NANOSECONDS;
  const bid = reader.signed(WORD);
  reader.take(WORD); // Volume at the bid.
  const ask = reader.signed(WORD);
  reader.take(2 * WORD); // Volume at the ask, and the last trade.
  const marketStatus = reader.unsigned(WORD);
  reader.end();
  if (mid <= 0n || signedAt > 253_402_300_799n || marketStatus > 255n)
    throw new AttestorError("invalid_proof", "its price is none that evidence can state");
  if (lastSeen > signedAt + BigInt(CLOCK_SKEW_SECONDS))
    throw new AttestorError("invalid_proof", "its price is of a later time than its report");
  return {
    feedId,
    price: decimal(mid),
    confidence: halfSpread(mid, bid, ask),
    publishedAt: Number(lastSeen < signedAt ? lastSeen : signedAt),
    signedAt: Number(signedAt),
    marketStatus: Number(marketStatus),
  };
}

/** From the middle to the farther of bid and ask; null where the book has not both sides around it. */
function halfSpread(mid: bigint, bid: bigint, ask: bigint): string | null {
  if (bid <= 0n || bid > mid || ask < mid) return null;
  return decimal(ask - mid > mid - bid ? ask - mid : mid - bid);
}

const decimal = (value: bigint): string => new EvidenceDecimal(`${value}e-${DECIMALS}`).toFixed();

/** What the verifier contract demands: exactly f + 1 signatures, of different signers of the configuration. */
function signatureCheck(report: FullReport, statement: V11, keys: PublisherKeys): ProofCheck {
  const by = `chainlink configuration ${report.configDigest}`;
  const configuration = keys.chainlink.find(({ digest }) => digest === report.configDigest);
  const { marketStatus, ...rest } = statement;
  const feed = configuration?.feeds.find(({ feedId }) => feedId === statement.feedId);
  const price = {
    ...rest,
    session: feed === undefined ? null : (SESSIONS[feed.marketStatus][marketStatus] ?? null),
  };
  if (configuration === undefined)
    return { outcome: "unknown", reason: `${by} is not known here`, by, price };
  const { f, signers: members } = configuration;
  if (report.signatures.length !== f + 1)
    return broken(
      `${report.signatures.length} of ${members.length} signers signed, and exactly ${f + 1} are needed`,
    );
  const signers: string[] = [];
  for (const [index, { signature, recovery }] of report.signatures.entries()) {
    const signer = signerOf(signature, recovery, report.digest);
    // The first stranger decides: recovering the other keys would only cost time.
    if (signer === null || !members.includes(signer))
      return broken(`signature ${index} is by nobody of the configuration`);
    signers.push(signer);
  }
  return new Set(signers).size === signers.length
    ? { outcome: "signed", by, signers, price }
    : broken("one signer signed twice");
}

const broken = (reason: string): ProofCheck => ({ outcome: "broken", reason });

type MarketStatus = Configuration["feeds"][number]["marketStatus"];

/**
 * By the number in the report, where somebody says what it means for that stream. An open market of the second kind may be
 * in any session.
 */
const SESSIONS: Readonly<Record<MarketStatus, readonly (MarketSession | null)[]>> = {
  "24/5": [null, "pre-market", "regular", "post-market", "overnight", "closed"],
  "open-closed": [null, "closed", null],
};

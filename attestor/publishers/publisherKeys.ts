/**
 * The keys that sign prices: sets of Pyth's signers and configurations of Chainlink's oracle networks, each with when it
 * counts. `keys.json` has those that this program knows; `docs/spec/verification.md` says where each comes from.
 */
import * as z from "zod";
import { AttestorError } from "../values/attestorErrors.ts";
import { Address, Bytes32, Text, UnixSeconds } from "../values/primitives.ts";
import KNOWN from "./keys.json" with { type: "json" };

/**
 * A set of signers of Pyth's prices. Wormhole's guardians and Pyth's routers number their sets in spaces of their own, so
 * that a number alone names no set.
 */
export const SignerSet = z.strictObject({
  space: z.enum(["wormhole", "pyth"]),
  index: z.int().min(0).max(0xffff_ffff),
  /** The first second at which it may sign. */
  validFrom: UnixSeconds,
  /** The last second at which it counts; null: nobody knows of its end. */
  validUntil: UnixSeconds.nullable(),
  signers: z.array(Address).min(1).max(255),
});
export type SignerSet = z.infer<typeof SignerSet>;

/** An oracle network of Chainlink Data Streams: who signs its reports, and what these say. */
export const Configuration = z.strictObject({
  /** The first word of a report. */
  digest: Bytes32,
  /** So many signers may be faulty: a report has the signatures of one more. */
  f: z.int().min(1).max(30),
  signers: z.array(Address).min(2).max(31),
  /** The streams whose market status is known to mean a session of US stocks. */
  feeds: z
    .array(
      z.strictObject({
        feedId: Bytes32,
        symbol: Text.min(1).max(24),
        /** `24/5`: 1 pre-market, 2 regular, 3 post-market, 4 overnight, 5 closed. `open-closed`: 1 closed, 2 open. */
        marketStatus: z.enum(["24/5", "open-closed"]),
      }),
    )
    .max(2_000),
  /** Where the signers stand for everybody to read. */
  source: Text.min(1).max(200),
});
export type Configuration = z.infer<typeof Configuration>;

export interface PublisherKeys {
  readonly pyth: readonly SignerSet[];
  readonly chainlink: readonly Configuration[];
}

const { local, ...knownPublishers } = z
  .strictObject({ pyth: z.array(SignerSet), chainlink: z.array(Configuration), local: SignerSet })
  .parse(KNOWN);

/** The keys that this program knows by itself. */
export const KNOWN_KEYS: PublisherKeys = knownPublishers;

/**
 * The local world signs its prices itself, by public keys (accounts 17 to 21 of the development mnemonic). They count
 * only for evidence of the local chain.
 */
export const LOCAL_SIGNER_SET: SignerSet = local;
export const LOCAL_CHAIN_ID = 31_337;

/** A reader's own file. */
const KeysFile = z
  .strictObject({
    /** Sets of routers that the reader trusts by their own word. */
    signerSets: z
      .array(SignerSet.omit({ space: true }))
      .max(64)
      .default([]),
    /** Configurations of Chainlink Data Streams that the reader trusts. */
    chainlink: z.array(Configuration).max(64).default([]),
  })
  .refine(({ signerSets, chainlink }) => signerSets.length + chainlink.length > 0, "names no signers");

/**
 * The known keys and those of a reader's file.
 * @param value parsed JSON: `{"signerSets": […], "chainlink": […]}`
 * @throws AttestorError `invalid_publisher_keys` also for what is known here with other signers
 */
export function withPublisherKeys(value: unknown): PublisherKeys {
  const parsed = KeysFile.safeParse(value);
  if (!parsed.success) throw fault(z.prettifyError(parsed.error));
  const { signerSets, chainlink } = parsed.data;
  return {
    pyth: signerSets.reduce(withSet, KNOWN_KEYS.pyth),
    chainlink: chainlink.reduce(withConfiguration, KNOWN_KEYS.chainlink),
  };
}

const fault = (message: string) => new AttestorError("invalid_publisher_keys", message);

/** Of a set that is known here, a reader can state the end of its term, once it was replaced. */
function withSet(sets: readonly SignerSet[], own: Omit<SignerSet, "space">): readonly SignerSet[] {
  const sameSet = [...sets, LOCAL_SIGNER_SET].find(
    ({ space, index }) => space === "pyth" && index === own.index,
  );
  if (sameSet === undefined) return [...sets, { space: "pyth", ...own }];
  if (sameSet.signers.join() !== own.signers.join())
    throw fault(`router set ${own.index} is known here with other keys`);
  if (sameSet.validUntil !== null) return sets;
  return sets.map((set) => (set === sameSet ? { ...set, validUntil: own.validUntil } : set));
}

/** What a reader adds to a configuration that is known here is what its streams mean. */
function withConfiguration(
  configurations: readonly Configuration[],
  own: Configuration,
): readonly Configuration[] {
  const before = configurations.find(({ digest }) => digest === own.digest);
  if (before === undefined) return [...configurations, own];
  if (before.f !== own.f || before.signers.join() !== own.signers.join())
    throw fault(`the configuration ${own.digest} is known here with other signers`);
  const feeds = [...before.feeds, ...own.feeds];
  return configurations.map((one) => (one === before ? { ...before, feeds } : one));
}

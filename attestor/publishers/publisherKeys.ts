/**
 * The keys that sign prices: sets of Pyth's signers and configurations of Chainlink's oracle networks, each with when it
 * counts. `keys.json` has those that this program knows; `docs/spec/verification.md` says where each comes from.
 */
import * as z from "zod";
import { fromHex } from "../evm/hash.ts";
import { AttestorError } from "../values/attestorErrors.ts";
import { Address, Bytes32, Text, UnixSeconds } from "../values/primitives.ts";
import KNOWN from "./keys.json" with { type: "json" };
import { upgradeSignedBy } from "./pyth/setUpgrade.ts";

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
  /**
   * What another reader knows, by the names of keys (`ProofCheck.by`): true, as if these keys had been checked; false, as
   * if they were not known. Likewise, by `sessionBy`, which session is stated. Only for asking what that reader would say.
   */
  readonly suppose?: ReadonlyMap<string, boolean>;
  /** The keys without what is supposed, by which proofs were checked already. */
  readonly basis?: PublisherKeys;
}

/**
 * Names what a reader must know to learn the market's session.
 * @param what the id of a feed, or of unknown formats `ProofCheck.by`
 */
export const sessionBy = (what: string): string => `session by ${what}`;

const { local, ...known } = z
  .strictObject({ pyth: z.array(SignerSet), chainlink: z.array(Configuration), local: SignerSet })
  .parse(KNOWN);

/** The keys that this program knows by itself. */
export const KNOWN_KEYS: PublisherKeys = known;

/**
 * The local world signs its prices itself, by public keys (accounts 17 to 21 of the development mnemonic). They count
 * only for evidence of the local chain.
 */
export const LOCAL_SIGNER_SET: SignerSet = local;
export const LOCAL_CHAIN_ID = 31_337;

/** So long does a set go on counting after its successor took over. */
export const RETIREMENT_SECONDS = 86_400;

const Hexadecimal = z
  .string()
  .max(20_000)
  .regex(/^0x([0-9a-fA-F]{2})+$/, "must be 0x and hexadecimal bytes");
const Upgrade = z.union([
  Hexadecimal.transform((message) => ({ message, validFrom: undefined })),
  z.strictObject({ message: Hexadecimal, validFrom: UnixSeconds.optional() }),
]);

/** A reader's own file. */
const KeysFile = z
  .strictObject({
    /** Sets of routers that the reader trusts by their own word. */
    signerSets: z
      .array(SignerSet.omit({ space: true }))
      .max(64)
      .default([]),
    /** Signed messages by which a set of routers names its successor; a message gives no time itself. */
    upgrades: z.array(Upgrade).max(64).default([]),
    /** Configurations of Chainlink Data Streams that the reader trusts. */
    chainlink: z.array(Configuration).max(64).default([]),
  })
  .refine(
    ({ signerSets, upgrades, chainlink }) => signerSets.length + upgrades.length + chainlink.length > 0,
    "names no signers",
  );

/**
 * The known keys and those of a reader's file.
 * @param value parsed JSON: `{"upgrades": ["0x…"], "signerSets": […], "chainlink": […]}`
 * @throws AttestorError `invalid_publisher_keys` also for what is known here with other signers, and for an upgrade that
 *   its predecessor did not sign
 */
export function withPublisherKeys(value: unknown): PublisherKeys {
  const parsed = KeysFile.safeParse(value);
  if (!parsed.success) throw fault(z.prettifyError(parsed.error));
  const { signerSets, upgrades, chainlink } = parsed.data;
  let pyth = signerSets.reduce(withSet, KNOWN_KEYS.pyth);
  upgrades.forEach(({ message, validFrom }, place) => {
    pyth = withUpgrade(pyth, message, validFrom, `upgrades[${place}]`);
  });
  return { pyth, chainlink: withConfigurations(KNOWN_KEYS.chainlink, chainlink) };
}

const fault = (message: string) => new AttestorError("invalid_publisher_keys", message);

function withSet(sets: readonly SignerSet[], own: Omit<SignerSet, "space">): SignerSet[] {
  const set: SignerSet = { space: "pyth", ...own };
  const known = [...sets, LOCAL_SIGNER_SET].find(
    ({ space, index }) => space === "pyth" && index === set.index,
  );
  if (known === undefined) return [...sets, set];
  if (known.signers.join() !== set.signers.join())
    throw fault(`router set ${set.index} is known here with other keys`);
  return [...sets];
}

/** The predecessor's term ends once it is known when the successor took over. */
function withUpgrade(
  sets: readonly SignerSet[],
  message: string,
  validFrom: number | undefined,
  what: string,
): SignerSet[] {
  const routers = sets.filter(({ space }) => space === "pyth");
  const setOf = (index: number) => routers.find((set) => set.index === index);
  let named: ReturnType<typeof upgradeSignedBy>;
  try {
    named = upgradeSignedBy(fromHex(message), "pyth", (index) => setOf(index)?.signers);
  } catch (error) {
    throw fault(`${what} cannot be used: ${(error as Error).message}`);
  }
  const { index, signers } = named;
  const before = setOf(index - 1)?.validFrom ?? 0;
  const from = validFrom ?? (named.validFrom > 0 ? named.validFrom : null);
  if (setOf(index) !== undefined || from === null)
    return withSet(sets, { index, signers, validFrom: from ?? before, validUntil: null });
  const retired = sets.map((set) =>
    set === setOf(index - 1) && set.validUntil === null
      ? { ...set, validUntil: from + RETIREMENT_SECONDS }
      : set,
  );
  return withSet(retired, { index, signers, validFrom: from, validUntil: null });
}

function withConfigurations(
  known: readonly Configuration[],
  more: readonly Configuration[],
): Configuration[] {
  const all = new Map(known.map((one) => [one.digest, one]));
  for (const one of more) {
    const before = all.get(one.digest);
    if (before !== undefined && `${before.f} ${before.signers}` !== `${one.f} ${one.signers}`)
      throw fault(`the configuration ${one.digest} is known here with other signers`);
    // What a reader adds to a known configuration is what its streams mean.
    all.set(one.digest, before === undefined ? one : { ...before, feeds: [...before.feeds, ...one.feeds] });
  }
  return [...all.values()];
}

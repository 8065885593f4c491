/** Readers of the vectors: each of them has something else. */
import { logSigner } from "../../../api/log/key.ts";
import { vkeyText } from "../../../attestor/log/note.ts";
import { type Policy, policyById, policyOf } from "../../../attestor/policies/policy.ts";
import { parseRegistry } from "../../../attestor/registry.ts";
import type { ChainFindings, Standing } from "../../../attestor/verify/trust.ts";
import {
  addressFor,
  CHAIN_ID,
  copy,
  DOLLAR_KEY,
  GUARD,
  NOW,
  SIGNER,
  TRUST,
} from "../../../test/attestor/fixtures.ts";
import { headerRlp } from "../../../test/attestor/proofs/state.ts";
import { LOG_KEY, ORIGIN, WITNESS } from "../../../test/support/logged.ts";
import type { Trust, TrustedRecord } from "../documentVector.ts";
import { BLOCK, FORGER, onChain, REGISTRY, SAMPLES } from "./service.ts";

/** STRICT_LIVE with other bounds. */
function lax(change: Partial<Policy["definition"]>): Policy {
  const definition = { ...copy(policyById("STRICT_LIVE").definition), maxSlippageBps: 9_999, ...change };
  return policyOf("as strict as can be", definition);
}
const proofPolicy = (quoteProof: "required" | "optional") =>
  lax({ policyId: "PROOFS", maxSlippageBps: 100, evidence: { ...lax({}).definition.evidence, quoteProof } });
export const REDEFINED = lax({});
export const NEXT = lax({ version: 4 });
const OWN = lax({ policyId: "MY_DESK", version: 1, maxSlippageBps: 100 });
export const OTHER_OWN = lax({ policyId: "MY_DESK", version: 1 });
export const REQUIRED = proofPolicy("required");
export const OPTIONAL = proofPolicy("optional");
const definitions = (...policies: Policy[]) => policies.map(({ definition }) => definition);

/** All but the last are a month old. */
export const OLD_SAMPLES = {
  ...SAMPLES,
  samples: SAMPLES.samples.map((sample, index) =>
    index === SAMPLES.samples.length - 1 ? sample : { ...sample, sampledAt: sample.sampledAt - 30 * 86_400 },
  ),
};

export const OTHER_LOG = logSigner(new Uint8Array(32).fill(1));
const [OWN_LOG, OWN_WITNESS] = [vkeyText(LOG_KEY), vkeyText(WITNESS)];
const noLog = { logKeys: undefined, witnessKeys: undefined };

/** What the reader's program knows of the guard by itself. */
const BARE_RECORD: TrustedRecord = {
  chainId: CHAIN_ID,
  address: GUARD,
  record: "deployments/31337.json",
  keys: [{ address: SIGNER.address, endedAt: null }],
};
const RECORD: TrustedRecord = { ...BARE_RECORD, logKeys: [OWN_LOG] };
/** The record of the guard, which knows no log unless it is said. */
const known = (change: Partial<TrustedRecord> = {}): readonly TrustedRecord[] => [
  { ...BARE_RECORD, registry: REGISTRY, ...change },
];
/** The guard's keys, of which the first is this one. @param ends when each of them ended */
const keys = (...ends: (number | null)[]): Partial<TrustedRecord> => ({
  keys: ends.map((endedAt, index) => ({
    address: index % 2 === 0 ? SIGNER.address : addressFor("a key in between"),
    endedAt,
  })),
});

/** What a node says to an honest document. */
const CHAIN: ChainFindings = {
  faults: [],
  trusted: [],
  hasBlock: true,
  standing: { kind: "current" },
  executed: null,
};
function asked(standing: Standing, change: Partial<ChainFindings> = {}): Trust {
  return { chain: { ...CHAIN, standing, ...change } };
}
const former = (executed: boolean) => asked({ kind: "former", executed });
const unsettled = asked({ kind: "unsettled" });
const offline = { chain: undefined, header: undefined };

/** Has every option: the honest answer is VALID, also under `strict`. */
const everything: Trust = {
  ...TRUST,
  records: [RECORD],
  logKeys: [OWN_LOG],
  witnessKeys: [OWN_WITNESS],
  registry: REGISTRY,
  header: BLOCK.header,
  samples: SAMPLES,
  chain: CHAIN,
};
function by(change: Trust): Trust {
  return { ...everything, ...change };
}
/** Trusts nobody. */
const nobody = by({ guard: undefined, signer: undefined, records: [], ...noLog, ...offline });
const byRecord = (change: Partial<TrustedRecord> = {}): Trust => ({ ...nobody, records: known(change) });

const OTHER_REGISTRY = parseRegistry({ ...copy(REGISTRY), version: "other" });
const headerAt = (number: number) => headerRlp(BLOCK.root, number, NOW - 3);
const ELSEWHERE = { chainId: 1, address: GUARD };

export const READERS = {
  everything,
  nothing: nobody,
  "the guard": { ...nobody, guard: TRUST.guard },
  "the key": { ...nobody, signer: TRUST.signer },
  "the key in lower case": by({ signer: SIGNER.address.toLowerCase() }),
  "the guard and the key": { ...nobody, ...TRUST },
  "another key": by({ signer: addressFor("mine") }),
  "the forger's key": by({ signer: FORGER }),
  "a record": byRecord(),
  "a record with a log": by({ ...noLog, records: [RECORD] }),
  "a record without a log": by({ ...noLog, records: known() }),
  "a record, and the guard": { ...byRecord(), guard: TRUST.guard },
  "a record of another chain": byRecord({ chainId: 1 }),
  "a record, and a guard of another chain": { ...byRecord(), guard: ELSEWHERE },
  "a replaced key": byRecord(keys(NOW - 10, null)),
  "a replaced key, and the guard": { ...byRecord(keys(NOW - 10, null)), guard: TRUST.guard },
  "a replaced key, and that key": { ...byRecord(keys(NOW - 10, null)), signer: SIGNER.address },
  "a key that came back": byRecord(keys(NOW - 20, NOW - 10, null)),
  "a replaced key, and a log": by({ records: known(keys(NOW - 10, null)), chain: undefined }),

  "a log alone": { ...nobody, logKeys: [OWN_LOG], witnessKeys: [OWN_WITNESS] },
  "a log, and no registry": { logKeys: [OWN_LOG], witnessKeys: [OWN_WITNESS] },
  "another log": by({ logKeys: [vkeyText(OTHER_LOG.keyOf(ORIGIN))] }),
  "a log without witnesses": by({ witnessKeys: undefined }),
  "another witness": by({ witnessKeys: [OWN_WITNESS, vkeyText(OTHER_LOG.keyOf("witness.example/other"))] }),

  "the service's policies": by({ servicePolicies: definitions(REDEFINED, NEXT, OTHER_OWN) }),
  "its own MY_DESK": by({ policies: definitions(OWN), servicePolicies: definitions(OTHER_OWN) }),
  "that policy": by({ policies: definitions(NEXT, REQUIRED, OPTIONAL) }),

  "chain 56": by({
    guard: { chainId: 56, address: GUARD },
    records: [{ ...BARE_RECORD, chainId: 56 }],
    registry: parseRegistry(onChain(56, REGISTRY)),
    samples: undefined,
    header: undefined,
  }),

  "no samples": by({ samples: undefined }),
  "other samples": by({ samples: { ...SAMPLES, samples: SAMPLES.samples.slice(1) } }),
  "samples of another month": by({ samples: OLD_SAMPLES }),
  "another token's samples": by({ samples: { ...SAMPLES, assetKey: DOLLAR_KEY } }),
  "samples that are an empty object": by({ samples: {} }),
  "samples that are null": by({ samples: null }),
  "samples that are a text": by({ samples: "0x" }),
  "samples with a member more": by({ samples: { ...SAMPLES, more: 1 } }),
  "samples in a list": by({ samples: [SAMPLES] }),

  "no registry": by({ registry: undefined }),
  "another registry": by({ registry: OTHER_REGISTRY }),
  "a registry without it": by({ registry: { ...REGISTRY, routes: REGISTRY.routes.slice(1) } }),
  "the record's registry": by({ registry: undefined, records: known({ logKeys: [OWN_LOG] }) }),
  "a record of another registry": by({ registry: undefined, records: known({ registry: OTHER_REGISTRY }) }),
  "its own registry, unlike the record's": by({ records: known({ registry: OTHER_REGISTRY }) }),
  "the service's registry, and a log": by({
    registry: undefined,
    records: [BARE_RECORD],
    serviceRegistry: REGISTRY,
  }),
  "the service's registry alone": by({
    ...noLog,
    registry: undefined,
    records: [BARE_RECORD],
    serviceRegistry: REGISTRY,
  }),
  "the service's registry and log": by({
    ...noLog,
    registry: undefined,
    records: [{ ...BARE_RECORD, isServices: true, logKeys: [OWN_LOG] }],
    serviceRegistry: REGISTRY,
  }),

  "neither header nor node": by(offline),
  "a header alone": by({ chain: undefined }),
  "another header of that block": by({ header: headerAt(4_200) }),
  "a header of another block": by({ header: headerAt(4_199) }),

  "a node, and a replaced key": by(former(false)),
  "a node, a replaced key, no log": { ...byRecord(), ...TRUST, ...former(false) },
  "a node that shows the execution": { ...byRecord(), ...TRUST, ...former(true) },
  "a node that settles nothing": { ...nobody, guard: TRUST.guard, ...unsettled },
  "a node that settles no replaced key": { ...byRecord(keys(NOW - 10, null)), ...unsettled },
  "a node that knows no guard": by(
    asked({ kind: "current" }, { faults: [{ code: "no_guard", params: { guard: GUARD } }] }),
  ),
} satisfies Readonly<Record<string, Trust>>;

export type ReaderName = keyof typeof READERS;

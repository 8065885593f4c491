/** Readers that trust.json names: each of them knows something else. */

import { readHeader } from "../../../attestor/proofs/header.ts";
import { parseRegistry } from "../../../attestor/registry.ts";
import type { ChainFindings, KnownGuard, Reader, Standing } from "../../../attestor/verify/trust.ts";
import { LOG_KEY, ORIGIN, WITNESS } from "../../support/logged.ts";
import { addressFor, copy, DOLLAR_KEY, GUARD, NOW, SIGNER, TRUST } from "../fixtures.ts";
import { headerRlp } from "../proofs/state.ts";
import {
  MAINNET_REGISTRY,
  NEXT,
  OLD_SAMPLES,
  OPTIONAL,
  OTHER_LOG,
  OTHER_OWN,
  OWN,
  REDEFINED,
  REQUIRED,
} from "./documents.ts";
import { CHAIN, FORGER, READER, RECORD, REGISTRY, SAMPLES, STATE_ROOT } from "./service.ts";

function by(change: Partial<Reader>): Reader {
  return { ...READER, ...change };
}

/** The record of the guard, which knows no log unless it is said. */
const { logKeys: _, ...UNLOGGED } = RECORD;
const { registry: __, ...BARE } = UNLOGGED;
const known = (change: Partial<KnownGuard> = {}): readonly KnownGuard[] => [{ ...UNLOGGED, ...change }];
/** The guard's keys, of which the first is this one. @param ends when each of them ended */
const keys = (...ends: (number | null)[]): Partial<KnownGuard> => ({
  keys: ends.map((endedAt, index) => ({
    address: index % 2 === 0 ? SIGNER.address : addressFor("a key in between"),
    endedAt,
  })),
});

const noLog = { logKeys: undefined, witnessKeys: undefined };
const offline = { chain: undefined, header: undefined };
/** Trusts nobody. */
const nobody = by({ guard: undefined, signer: undefined, known: [], ...noLog, ...offline });
const byRecord = (change: Partial<KnownGuard> = {}): Reader => ({ ...nobody, known: known(change) });

function asked(standing: Standing, change: Partial<ChainFindings> = {}): Partial<Reader> {
  return { chain: { ...CHAIN, standing, ...change } };
}
const former = (executed: boolean) => asked({ kind: "former", executed });
const unsettled = asked({ kind: "unsettled" });

const OTHER_REGISTRY = parseRegistry({ ...copy(REGISTRY), version: "other" });
const headerAt = (number: number) => readHeader(headerRlp(STATE_ROOT, number, NOW - 3))!;
const ELSEWHERE = { chainId: 1, address: GUARD };

export const READERS: Readonly<Record<string, Reader>> = {
  everything: READER,
  nothing: nobody,
  "the guard": { ...nobody, guard: TRUST.guard },
  "the key": { ...nobody, signer: TRUST.signer },
  "the key in lower case": by({ signer: SIGNER.address.toLowerCase() }),
  "the guard and the key": { ...nobody, ...TRUST },
  "another key": by({ signer: addressFor("mine") }),
  "the forger's key": by({ signer: FORGER }),
  "a record": byRecord(),
  "a record with a log": by({ ...noLog, known: [RECORD] }),
  "a record without a log": by({ ...noLog, known: known() }),
  "a record, and the guard": { ...byRecord(), guard: TRUST.guard },
  "a record of another chain": byRecord({ chainId: 1 }),
  "a record, and a guard of another chain": { ...byRecord(), guard: ELSEWHERE },
  "a replaced key": byRecord(keys(NOW - 10, null)),
  "a replaced key, and the guard": { ...byRecord(keys(NOW - 10, null)), guard: TRUST.guard },
  "a replaced key, and that key": { ...byRecord(keys(NOW - 10, null)), signer: SIGNER.address },
  "a key that came back": byRecord(keys(NOW - 20, NOW - 10, null)),
  "a replaced key, and a log": by({ known: known(keys(NOW - 10, null)), chain: undefined }),

  "a log alone": { ...nobody, logKeys: [LOG_KEY], witnessKeys: [WITNESS] },
  "another log": by({ logKeys: [OTHER_LOG.keyOf(ORIGIN)] }),
  "a log without witnesses": by({ witnessKeys: undefined }),
  "another witness": by({ witnessKeys: [WITNESS, OTHER_LOG.keyOf("witness.example/other")] }),

  "the service's policies": by({ servicePolicies: [REDEFINED, NEXT, OTHER_OWN] }),
  "its own MY_DESK": by({ policies: [OWN], servicePolicies: [OTHER_OWN] }),
  "that policy": by({ policies: [NEXT, REQUIRED, OPTIONAL] }),

  "chain 56": {
    ...READER,
    guard: { chainId: 56, address: GUARD },
    known: known({ chainId: 56, registry: MAINNET_REGISTRY }),
    registry: MAINNET_REGISTRY,
    samples: undefined,
    header: undefined,
  },

  "no samples": by({ samples: undefined }),
  "other samples": by({ samples: { ...SAMPLES, samples: SAMPLES.samples.slice(1) } }),
  "samples of another month": by({ samples: OLD_SAMPLES }),
  "another token's samples": by({ samples: { ...SAMPLES, assetKey: DOLLAR_KEY } }),
  ...Object.fromEntries(
    [{}, null, "0x", { ...SAMPLES, more: 1 }, [SAMPLES]].map((samples, index) => [
      `samples that are none (${index + 1})`,
      by({ samples }),
    ]),
  ),

  "no registry": by({ registry: undefined, known: [{ ...BARE, logKeys: RECORD.logKeys! }] }),
  "another registry": by({ registry: OTHER_REGISTRY }),
  "a registry without it": by({ registry: { ...REGISTRY, routes: REGISTRY.routes.slice(1) } }),
  "the record's registry": by({ registry: undefined }),
  "a record of another registry": by({ registry: undefined, known: known({ registry: OTHER_REGISTRY }) }),
  "its own registry, unlike the record's": by({ known: known({ registry: OTHER_REGISTRY }) }),
  "the service's registry, and a log": by({
    registry: undefined,
    known: [BARE],
    serviceRegistry: REGISTRY,
  }),
  "the service's registry alone": by({
    ...noLog,
    registry: undefined,
    known: [BARE],
    serviceRegistry: REGISTRY,
  }),
  "the service's registry and log": by({
    ...noLog,
    registry: undefined,
    known: [{ ...BARE, isServices: true, logKeys: [LOG_KEY] }],
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
};

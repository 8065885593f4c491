/** Vectors of state proofs through tries with every kind of node, and the same with one node or value changed. */
import type { Facts } from "../../attestor/evidence/facts.ts";
import type { Proofs } from "../../attestor/proofs/stateProofs.ts";
import { canonicalHash } from "../../attestor/values/canonical.ts";
import { judgement, NOW, prepared, reportOn, TRUST, token } from "../../test/attestor/fixtures.ts";
import { provedFacts } from "../../test/attestor/proofs/state.ts";
import { type Candidate, candidateOf } from "./candidate.ts";
import { changedDocuments, type Path } from "./changes.ts";

const CHANGED = 8;

/** A token of 1.25 shares that is to be split ten to one in a day. */
const ANNOUNCED = {
  facts: token("1.25", { value: "12.5", effectiveAt: NOW + 86_400 }),
  words: [125n * 10n ** 16n, 125n * 10n ** 17n, BigInt(NOW + 86_400)],
} as const;

type Token = Facts["token"];
/** What the token's state contradicts. */
const LIES: Readonly<Record<string, (token: Token) => void>> = {
  "a factor that no slot has": ({ factor }) => Object.assign(factor!, { value: "1.5" }),
  "the factor of after the change": ({ factor }) => Object.assign(factor!, { value: "12.5" }),
  "another announced factor": ({ announcement }) => Object.assign(announcement!.change!, { value: "2.5" }),
  "another time of the change": ({ announcement }) => {
    announcement!.change!.effectiveAt += 1;
  },
  "an announcement kept back": ({ announcement }) => Object.assign(announcement!, { change: null }),
  "a layout with two slots exchanged": ({ layout }) => {
    const { uiMultiplier, newUIMultiplier } = layout!;
    Object.assign(layout!, { uiMultiplier: newUIMultiplier, newUIMultiplier: uiMultiplier });
  },
  "a layout with a slot that nothing proves": ({ layout }) =>
    Object.assign(layout!, { effectiveAt: `0x${"ff".repeat(32)}` }),
};

export async function trieDocuments(seed: number): Promise<Candidate[]> {
  const given = await provedFacts({ extensions: true, recipient: true, token: ANNOUNCED });
  const intent = { ...judgement().intent, ...given.intent };
  const report = reportOn(judgement({ facts: given.facts, proofs: given.proofs, intent }));
  const sound = JSON.stringify(await prepared(report));
  const isProof = (path: Path) => /^report\.(proofs|evidence\.guard)\b/.test(path.join("."));
  const changed = changedDocuments([sound], { seed, count: CHANGED, within: isProof });
  const forged = (name: string, facts: Facts, proofs: Proofs) =>
    candidateOf(name, reportOn(judgement({ facts, proofs, intent })));
  const bent = bends(given.proofs).map(([name, proofs]) => {
    const named = { format: "assay.proofs/1" as const, hash: canonicalHash(proofs) };
    return forged(name, { ...given.facts, proofs: named }, proofs);
  });
  const lies = Object.entries(LIES).map(([name, lie]) => {
    const token = structuredClone(given.facts.token);
    lie(token);
    return forged(name, { ...given.facts, token }, given.proofs);
  });
  return [
    { name: "proofs through extension nodes", document: sound, trust: TRUST },
    ...bent,
    ...lies,
    ...changed,
  ].map((each) => ({ ...each, name: `tries: ${each.name}` }));
}

function bends(proofs: Proofs): [string, Proofs][] {
  const { nodes, accounts, header } = proofs;
  return [
    ["a node twice", { ...proofs, nodes: [...nodes, nodes[0]!] }],
    ["a node less", { ...proofs, nodes: nodes.slice(0, -1) }],
    ["two nodes in the other order", { ...proofs, nodes: [nodes[1]!, nodes[0]!, ...nodes.slice(2)] }],
    ["accounts in the other order", { ...proofs, accounts: accounts.toReversed() }],
    ["a key more", { ...proofs, accounts: withKey(accounts) }],
    ["a byte behind the header", { ...proofs, header: `${header}00` }],
  ];
}

/** A slot that nothing asks for, and that is not there. */
function withKey(accounts: Proofs["accounts"]): Proofs["accounts"] {
  return accounts.map((account, index) =>
    index === 0 ? { ...account, keys: [...account.keys, `0x${"ff".repeat(32)}`] } : account,
  );
}

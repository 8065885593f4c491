/** Vectors of state proofs through tries with every kind of node, and the same with one node or value changed. */
import type { Proofs } from "../../attestor/proofs/stateProofs.ts";
import { canonicalHash } from "../../attestor/values/canonical.ts";
import { judgement, prepared, reportOn, TRUST } from "../../test/attestor/fixtures.ts";
import { provedFacts } from "../../test/attestor/proofs/state.ts";
import type { Candidate } from "./candidate.ts";
import { changedDocument, type Path } from "./changes.ts";
import { drawFrom } from "./draw.ts";

const CHANGED = 8;

/** @param seed of the changes */
export async function trieDocuments(seed: number): Promise<Candidate[]> {
  const given = await provedFacts({ extensions: true, recipient: true });
  const { intent } = judgement();
  const report = reportOn(
    judgement({ facts: given.facts, proofs: given.proofs, intent: { ...intent, ...given.intent } }),
  );
  const sound = JSON.stringify(await prepared(report));
  const isProof = (path: Path) => /^report\.(proofs|evidence\.guard)\b/.test(path.join("."));
  const changed = Array.from({ length: CHANGED }, (_, number) =>
    changedDocument(drawFrom(seed, "tries", number), [sound], number, { within: isProof }),
  );
  const bent = bends(given.proofs).map(([name, proofs]) => {
    const named = { format: "assay.proofs/1" as const, hash: canonicalHash(proofs) };
    const facts = { ...given.facts, proofs: named };
    const forged = reportOn(judgement({ facts, proofs, intent: { ...intent, ...given.intent } }));
    return { name, document: JSON.stringify(forged), trust: TRUST };
  });
  return [{ name: "proofs through extension nodes", document: sound, trust: TRUST }, ...bent, ...changed].map(
    (each) => ({ ...each, name: `tries: ${each.name}` }),
  );
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

/** Reports as a service answers them that has them in its decision log. */
import { ed25519 } from "@noble/curves/ed25519.js";
import { concatBytes } from "@noble/hashes/utils.js";
import { developmentLogSigner, signing } from "../../api/log/key.ts";
import { entryOf, entryText } from "../../attestor/log/entry.ts";
import { Frontier } from "../../attestor/log/frontier.ts";
import { HASHER } from "../../attestor/log/hasher.ts";
import { cosignedMessage, noteText, parseNote, timeBytes, verifierKey } from "../../attestor/log/note.ts";
import { tlogProofText } from "../../attestor/log/tlogProof.ts";
import type { Report } from "../../attestor/report.ts";
import { utf8 } from "../../attestor/values/bytes.ts";

export const ORIGIN = "assay.example.com/log/2026";
export const SALT = `0x${"5a".repeat(16)}`;
const signer = developmentLogSigner();
/** Of the logs of every year. */
export const LOG_KEY = signer.keyOf("assay.example.com/log");
const witnessSeed = new Uint8Array(32).fill(3);
export const WITNESS = verifierKey("witness.example/w", 4, ed25519.getPublicKey(witnessSeed));

/** The report as a service answers it that has one entry before it in its log. */
export function logged(report: Report, { by = signer, cosigned = false } = {}): Report {
  const before = HASHER.leaf(utf8("before"));
  const leaf = HASHER.leaf(utf8(entryText(entryOf(report, SALT))));
  const tree = new Frontier(0, []);
  tree.append(before);
  tree.append(leaf);
  let checkpoint = by.sign({ origin: ORIGIN, size: 2, root: tree.root() });
  if (cosigned) {
    const note = parseNote(checkpoint);
    const signature = concatBytes(timeBytes(9n), signing(witnessSeed)(cosignedMessage(note.text, 9n)));
    const line = { name: WITNESS.name, keyId: WITNESS.id, signature };
    checkpoint = noteText({ ...note, signatures: [...note.signatures, line] });
  }
  return { ...report, log: { salt: SALT, proof: tlogProofText({ index: 1, path: [before], checkpoint }) } };
}

/** Reports as a service answers them that has them in its decision log. */
import { ed25519 } from "@noble/curves/ed25519.js";
import { concatBytes } from "@noble/hashes/utils.js";
import { developmentLogSigner, signing } from "../../api/log/key.ts";
import { entryOf, entryText } from "../../attestor/log/entry.ts";
import { Frontier } from "../../attestor/log/frontier.ts";
import { HASHER } from "../../attestor/log/hasher.ts";
import { cosignedMessage, noteText, parseNote, timeBytes, verifierKey } from "../../attestor/log/note.ts";
import type { FetchFile } from "../../attestor/log/served.ts";
import { parseTileName, TILE_HEIGHT, TILE_WIDTH } from "../../attestor/log/tiles.ts";
import { tlogProofText } from "../../attestor/log/tlogProof.ts";
import type { Report } from "../../attestor/report.ts";
import { utf8 } from "../../attestor/values/bytes.ts";

export const ORIGIN = "assay.example.com/log";
export const SALT = `0x${"5a".repeat(16)}`;
const signer = developmentLogSigner();
export const LOG_KEY = signer.keyOf(ORIGIN);
const witnessSeed = new Uint8Array(32).fill(3);
export const WITNESS = verifierKey("witness.example/w", 4, ed25519.getPublicKey(witnessSeed));

const BEFORE = HASHER.leaf(utf8("before"));
const leafOf = (report: Report): Uint8Array => HASHER.leaf(utf8(entryText(entryOf(report, SALT))));

function withCosignature(checkpoint: string): string {
  const note = parseNote(checkpoint);
  const signature = concatBytes(timeBytes(9n), signing(witnessSeed)(cosignedMessage(note.text, 9n)));
  const line = { name: WITNESS.name, keyId: WITNESS.id, signature };
  return noteText({ ...note, signatures: [...note.signatures, line] });
}

/** The report as a service answers it that has one entry before it in its log. */
export function logged(report: Report, { by = signer, cosigned = false } = {}): Report {
  const tree = new Frontier(0, []);
  for (const leaf of [BEFORE, leafOf(report)]) tree.append(leaf);
  const signed = by.sign({ origin: ORIGIN, size: 2, root: tree.root() });
  const checkpoint = cosigned ? withCosignature(signed) : signed;
  return { ...report, log: { salt: SALT, proof: tlogProofText({ index: 1, path: [BEFORE], checkpoint }) } };
}

/**
 * The files of a service whose log has this report as its entry 1, where it has it, among made-up ones.
 * @param cosigned size of the tree that a witness cosigned; 0: of none
 */
export function served(report: Report | null, size: number, { by = signer, cosigned = 0 } = {}): FetchFile {
  const hashes: Uint8Array[][] = [];
  const tree = new Frontier(0, []);
  const files = new Map<string, string>();
  for (let n = 0; n < size; n++) {
    const own = [BEFORE, report === null ? undefined : leafOf(report)][n];
    tree.append(own ?? HASHER.leaf(utf8(`entry ${n}`)), ({ level }, hash) => {
      if (level % TILE_HEIGHT !== 0) return;
      hashes[level / TILE_HEIGHT] ??= [];
      hashes[level / TILE_HEIGHT]?.push(hash);
    });
    const note = () => by.sign({ origin: ORIGIN, size: n + 1, root: tree.root() });
    if (n + 1 === cosigned) files.set("cosigned", withCosignature(note()));
    if (n + 1 === size) files.set("checkpoint", note());
  }
  return async (path) => {
    const [, level, name] = /^tile\/([0-9])\/(.*)$/.exec(path) ?? [];
    const { index, width } = parseTileName(name ?? "") ?? { index: 0, width: 0 };
    const bytes =
      level &&
      concatBytes(...(hashes[Number(level)] ?? []).slice(index * TILE_WIDTH, index * TILE_WIDTH + width));
    const text = files.get(path);
    if (!bytes && text === undefined) throw new Error(`${path} answers 404`);
    return bytes || utf8(text ?? "");
  };
}

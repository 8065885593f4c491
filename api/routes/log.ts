/** /log: the decision log as static files (https://c2sp.org/tlog-tiles), for everybody and every CDN. */
import { z } from "zod";
import { parseTileLevel, parseTileName, type Tile } from "../../attestor/log/tiles.ts";
import { Bytes32 } from "../../attestor/values/primitives.ts";
import { finish, replyWith } from "../http/cache.ts";
import { Problem } from "../http/problems.ts";
import type { Reply } from "../http/route.ts";
import { route } from "../route.ts";

const open = {
  tags: ["Decision log"],
  auth: "public",
  // A program that follows the log from its beginning asks for many tiles; behind a CDN few of them come here.
  addressLimit: { bucket: "log", times: 60 },
} as const;
const IMMUTABLE = "public, max-age=31536000, immutable";
const FEW_SECONDS = "public, max-age=2";

/** Express gives a wildcard as the list of its segments. */
const TileName = z
  .preprocess((value) => (Array.isArray(value) ? value.join("/") : value), z.string().max(64))
  .meta({
    description:
      "Index in groups of three digits, all but the last behind an x, such as x001/x234/067; a partial one is followed by .p/<width>",
    override: { type: "string" },
  });
const Level = z.string().max(2).describe("0 to 63");
const Text = z.string();
const OCTETS = { contentType: "application/octet-stream" };
const Bytes = z.string().meta({ format: "binary" });
const Entries = z
  .object({
    entries: z.array(
      z.object({
        origin: z.string().describe("The log's name"),
        index: z.int().min(0).describe("Place of the entry in that log, from 0"),
        entry: z.string().describe("The leaf, canonical JSON"),
        proof: z.string().describe("c2sp.org/tlog-proof@v1"),
      }),
    ),
  })
  .meta({ id: "LogEntries" });

const nothing = () => new Problem("not_found", "the log has nothing at this path");

function tileOf(level: string, name: string): Tile {
  const parsedLevel = parseTileLevel(level);
  const parsedName = parseTileName(name);
  if (parsedLevel === null || parsedName === null) throw nothing();
  return { level: parsedLevel, ...parsedName };
}

function textReply(text: string | null, cacheControl: string): Reply {
  if (text === null) throw nothing();
  return {
    status: 200,
    body: Buffer.from(text),
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": cacheControl },
  };
}

const common = { ...open, errors: ["not_found", "unavailable"] } as const;
const text = (description: string) => ({ 200: { description, contentType: "text/plain", schema: Text } });
const bytes = (description: string) => ({ 200: { description, ...OCTETS, schema: Bytes } });

export const logRoutes = [
  route({
    ...common,
    operationId: "logCheckpoint",
    summary: "Newest signed checkpoint of the running log",
    description: "A signed note (c2sp.org/tlog-checkpoint): name, size and root of the tree.",
    path: "/log/checkpoint",
    responses: text("A signed note: name, size, root"),
    handle: async (_call, { logAnswers }) => textReply(await logAnswers.checkpoint(), FEW_SECONDS),
  }),
  route({
    ...common,
    operationId: "logCosigned",
    summary: "Newest checkpoint of the running log that witnesses signed as well",
    description: "It may be older than the newest of the log's own.",
    path: "/log/cosigned",
    responses: text("A signed note with cosignatures"),
    handle: async (_call, { logAnswers }) => textReply(await logAnswers.cosigned(), FEW_SECONDS),
  }),
  route({
    ...common,
    operationId: "logVkey",
    summary: "Public key of the running log",
    description:
      "A verifier key of signed notes. Compare it with the same key from another source before you trust it.",
    path: "/log/vkey",
    responses: text("<name>+<id>+<key>"),
    handle: async (_call, { logAnswers }) => textReply(await logAnswers.vkey(), "public, max-age=300"),
  }),
  route({
    ...common,
    operationId: "logEntries",
    summary: "Entries of the running log",
    description: "Up to 256 entries, each behind its length in two bytes (c2sp.org/tlog-tiles).",
    path: "/log/tile/entries/*name",
    params: z.object({ name: TileName }),
    responses: {
      ...bytes("Up to 256 entries, each behind its length in two bytes"),
      304: { description: "The client already has it" },
    },
    async handle({ params: { name }, headers }, { logAnswers }) {
      const entries = await logAnswers.entries(tileOf("0", name));
      if (entries === null) throw nothing();
      const type = { "Content-Type": OCTETS.contentType };
      return replyWith(finish(Buffer.from(entries)), headers, IMMUTABLE, type);
    },
  }),
  route({
    ...common,
    operationId: "logTile",
    summary: "Hashes of the tree of the running log",
    description:
      "Up to 256 hashes of one level, 32 bytes each (c2sp.org/tlog-tiles). A full tile never changes.",
    path: "/log/tile/:level/*name",
    params: z.object({ level: Level, name: TileName }),
    responses: bytes("Up to 256 hashes of 32 bytes"),
    async handle({ params: { level, name } }, { logAnswers }) {
      const body = await logAnswers.tile(tileOf(level, name));
      if (body === null) throw nothing();
      const headers = { "Content-Type": OCTETS.contentType, "Cache-Control": IMMUTABLE };
      return { status: 200, body, headers };
    },
  }),
  route({
    ...open,
    errors: ["unavailable"],
    operationId: "logFind",
    summary: "Entries of an evidence hash, with their proofs",
    description: "A convenience: without trusting it, read the entries yourself.",
    path: "/log/find",
    query: z.object({ evidenceHash: Bytes32.describe("Whose entries are looked for") }),
    responses: { 200: { description: "The entries; the list may be empty", schema: Entries } },
    async handle({ query }, { logAnswers }) {
      const entries = await logAnswers.find(query.evidenceHash);
      return { status: 200, body: { entries }, headers: { "Cache-Control": FEW_SECONDS } };
    },
  }),
];

/** /log: the decision log as static files (https://c2sp.org/tlog-tiles), for everybody and every CDN. */
import { z } from "zod";
import { SHARD_NAME } from "../../attestor/log/checkpoint.ts";
import { parseTileLevel, parseTileName, type Tile } from "../../attestor/log/tiles.ts";
import { Bytes32 } from "../../attestor/values/primitives.ts";
import { finish } from "../http/cache.ts";
import { replyWith } from "../http/cacheReply.ts";
import { Problem } from "../http/problems.ts";
import { defineRoute, type Reply, type Route } from "../http/route.ts";
import type { LogAnswers } from "../log/answers.ts";

const tags = ["Decision log"];
/** A program that follows the log from its beginning asks for many tiles; behind a CDN few of them come here. */
const addressLimit = { bucket: "log", times: 60 };
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
const ShardName = z.string().regex(SHARD_NAME).describe("A log's year, such as 2026");
const Text = z.string();
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

interface Named {
  readonly shard?: string;
}

/** What a schema that is put together gives, by who put it together. */
const paramsOf = <P>(schema: z.ZodObject) => schema as unknown as z.ZodType<P>;

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

/** The same routes twice: of the running log, and of each by its name. */
export function logRoutes(log: LogAnswers): Route[] {
  return [...routesUnder(log, "/log", false), ...routesUnder(log, "/log/:shard", true), findRoute(log)];
}

function routesUnder(log: LogAnswers, prefix: string, isNamed: boolean): Route[] {
  const named: z.ZodObject = z.object(isNamed ? { shard: ShardName } : {});
  const suffix = isNamed ? "OfLog" : "";
  const which = isNamed ? "of a log by its year" : "of the running log";
  return [
    ...notes(log, prefix, named, { suffix, which }),
    defineRoute<Named & { level: string; name: string }>({
      method: "get",
      path: `${prefix}/tile/:level/*name`,
      operationId: `logTile${suffix}`,
      summary: `Hashes of the tree ${which}`,
      tags,
      auth: "public",
      addressLimit,
      params: paramsOf(named.extend({ level: Level, name: TileName })),
      responses: {
        200: {
          description: "Up to 256 hashes of 32 bytes",
          contentType: "application/octet-stream",
          schema: Bytes,
        },
      },
      errors: ["not_found"],
      async handle({ params }) {
        const bytes = await log.tile(params.shard, tileOf(params.level, params.name));
        if (bytes === null) throw nothing();
        const headers = { "Content-Type": "application/octet-stream", "Cache-Control": IMMUTABLE };
        return { status: 200, body: bytes, headers };
      },
    }),
  ];
}

function notes(
  log: LogAnswers,
  prefix: string,
  named: z.ZodObject,
  { suffix, which }: { suffix: string; which: string },
): Route[] {
  const common = {
    method: "get",
    tags,
    auth: "public",
    addressLimit,
    params: paramsOf<Named>(named),
    errors: ["not_found"],
  } as const;
  const text = (description: string) => ({ 200: { description, contentType: "text/plain", schema: Text } });
  return [
    defineRoute<Named>({
      ...common,
      path: `${prefix}/checkpoint`,
      operationId: `logCheckpoint${suffix}`,
      summary: `Newest signed checkpoint ${which}`,
      responses: text("A signed note: name, size, root"),
      handle: async ({ params: { shard } }) => textReply(await log.checkpoint(shard), FEW_SECONDS),
    }),
    defineRoute<Named>({
      ...common,
      path: `${prefix}/cosigned`,
      operationId: `logCosigned${suffix}`,
      summary: `Newest checkpoint ${which} that witnesses signed as well`,
      responses: text("A signed note with cosignatures"),
      handle: async ({ params: { shard } }) => textReply(await log.cosigned(shard), FEW_SECONDS),
    }),
    defineRoute<Named>({
      ...common,
      path: `${prefix}/vkey`,
      operationId: `logVkey${suffix}`,
      summary: `Public key ${which}`,
      description:
        "A verifier key of signed notes. Compare it with the same key from another source before you trust it.",
      responses: text("<name>+<id>+<key>"),
      handle: async ({ params: { shard } }) => textReply(await log.vkey(shard), "public, max-age=300"),
    }),
    defineRoute<Named & { name: string }>({
      ...common,
      path: `${prefix}/tile/entries/*name`,
      operationId: `logEntries${suffix}`,
      summary: `Entries ${which}`,
      params: paramsOf<Named & { name: string }>(named.extend({ name: TileName })),
      responses: {
        200: {
          description: "Up to 256 entries, each behind its length in two bytes",
          contentType: "application/octet-stream",
          schema: Bytes,
        },
        304: { description: "The client already has it" },
      },
      async handle({ params: { shard, name }, headers }) {
        const bytes = await log.entries(shard, tileOf("0", name));
        if (bytes === null) throw nothing();
        const type = { "Content-Type": "application/octet-stream" };
        return replyWith(finish(Buffer.from(bytes)), headers, IMMUTABLE, type);
      },
    }),
  ];
}

function findRoute(log: LogAnswers): Route {
  return defineRoute<{ evidenceHash: string }>({
    method: "get",
    path: "/log/find/:evidenceHash",
    operationId: "logFind",
    summary: "Entries of an evidence hash, with their proofs",
    description: "A convenience: whoever does not trust it can read the entries themselves.",
    tags,
    auth: "public",
    addressLimit,
    params: z.object({ evidenceHash: Bytes32 }),
    responses: { 200: { description: "The entries; the list may be empty", schema: Entries } },
    errors: [],
    async handle({ params }) {
      const entries = await log.find(params.evidenceHash);
      return { status: 200, body: { entries }, headers: { "Cache-Control": FEW_SECONDS } };
    },
  });
}

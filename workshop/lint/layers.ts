/**
 * The import rule of ARCHITECTURE.md, whose tables this reads: who imports whom, the layers inside each room, and no cycles.
 * `node workshop/lint/layers.ts` prints every import that breaks it.
 */
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseSync } from "rolldown/utils";
import { trackedFiles } from "./tracked.ts";

const ROOT = join(import.meta.dirname, "../..");
export const PAGE = "ARCHITECTURE.md";

/** A file of ours, by its path from the project's root. */
export interface Source {
  readonly path: string;
  readonly code: string;
}

/** Paths are from the project's root. */
interface Import {
  readonly from: string;
  readonly line: number;
  readonly target: string;
}

const quoted = (text: string) => [...text.matchAll(/`([\w./*-]+)`/g)].map(([, name]) => name as string);

export type Room = ReturnType<typeof readRooms>[number];

/** The rooms and their layers, as the page says them. */
export function readRooms(page: string) {
  const layers = new Map(
    [...page.matchAll(/^### `(\w+)`\n+((?:\d+\. .*\n(?: {2,}.*\n)*)+)/gm)].map(([, name, list]) => [
      name as string,
      (list as string)
        .split(/^\d+\. /m)
        .slice(1)
        .map(quoted),
    ]),
  );
  return [...page.matchAll(/^\| `(\w+)` \| [^|]+ \| `([^`]+)` \| ([^|]+) \|$/gm)].map(
    ([, name, readFirst, rule]) => ({
      name: name as string,
      readFirst: readFirst as string,
      /** Rooms, and single files; null: anything. */
      mayImport: rule === "anything" ? null : quoted(rule as string),
      /** Bottom to top: `folder/`, `file.ts`, or `*.ts` for every other file at the room's root. Empty: it has no layers. */
      layers: layers.get(name as string) ?? [],
    }),
  );
}

/** All that a file imports of ours: types, re-exports, imports at run time and types named in place. */
function importsOf({ path, code }: Source): Import[] {
  const { module, program } = parseSync(path, code);
  const found = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest ?? []),
    ),
    ...module.dynamicImports.map(({ moduleRequest }) => ({
      ...moduleRequest,
      value: code.slice(moduleRequest.start + 1, moduleRequest.end - 1),
    })),
    // The parser lists no types named in place.
    ...((code.match(/\bimport\s*\(/g)?.length ?? 0) > module.dynamicImports.length
      ? typesInPlace(program)
      : []),
  ];
  return found
    .filter(({ value }) => value.startsWith("."))
    .map(({ value, start }) => ({
      from: path,
      line: code.slice(0, start).split("\n").length,
      target: posix.join(posix.dirname(path), value),
    }));
}

function typesInPlace(node: unknown): { value: string; start: number }[] {
  if (typeof node !== "object" || node === null) return [];
  const { type, source } = node as { type?: string; source?: { value: string; start: number } };
  const own = type === "TSImportType" && source ? [source] : [];
  return [...own, ...Object.values(node).flatMap(typesInPlace)];
}

const roomOf = (path: string) => path.split("/")[0] as string;
const list = (names: readonly string[]) =>
  names.length < 2 ? names[0] : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** The place of a file in its room: the folder, or the file at the root; and its layer, -1 where the page names none. */
function placeOf({ name, layers }: Room, path: string) {
  const [first, ...more] = path.slice(name.length + 1).split("/");
  const place = more.length > 0 ? `${first}/` : (first as string);
  const named = layers.findIndex((layer) => layer.includes(place));
  return {
    place,
    layer: named === -1 && more.length === 0 ? layers.findIndex((layer) => layer.includes("*.ts")) : named,
  };
}

const MOUNTING: ReadonlySet<string> = new Set(["api/app.ts", "api/routes.ts"]);

/** What is wrong with an import, in words; null: nothing. */
function faultOf(rooms: ReadonlyMap<string, Room>, { from, target }: Import): string | null {
  if (target === "hardhat.config.ts") return "nothing imports hardhat.config.ts";
  if (target.startsWith("api/routes/") && !MOUNTING.has(from) && roomOf(from) !== "test")
    return from.startsWith("api/routes/")
      ? "a route imports no other route: what two of them share lies in a room of its own"
      : "nothing imports routes but api/app.ts and api/routes.ts";
  const isAtRoot = !from.includes("/");
  if (isAtRoot) return null;
  const room = rooms.get(roomOf(from));
  if (room?.name === roomOf(target)) return faultWithin(room, from, target);
  const isOurs = rooms.has(roomOf(target)) || roomOf(target) === "types";
  if (!isOurs || room?.mayImport === null) return null;
  const allowed = room?.mayImport ?? [];
  if (allowed.includes(roomOf(target)) || allowed.includes(target)) return null;
  return `${roomOf(from)} imports ${allowed.length === 0 ? "nothing of ours" : `${list(allowed)} alone`}`;
}

/** The same of an import within a room. */
function faultWithin(room: Room, from: string, target: string): string | null {
  if (room.layers.length === 0) return null;
  const [importer, imported] = [placeOf(room, from), placeOf(room, target)];
  if (importer.place === imported.place || importer.layer > imported.layer) return null;
  return importer.layer === imported.layer
    ? `${importer.place} and ${imported.place} are in the same layer of ${room.name}, and do not import each other`
    : `${importer.place} is below ${imported.place} in the layers of ${room.name}`;
}

/** Layers that name what is not there, and files that no layer names. */
function misplaced(rooms: readonly Room[], paths: readonly string[]): string[] {
  return rooms
    .filter(({ layers }) => layers.length > 0)
    .flatMap((room) => {
      const places = new Map(
        paths
          .filter((path) => roomOf(path) === room.name)
          .map((path) => [placeOf(room, path).place, { path, layer: placeOf(room, path).layer }]),
      );
      return [
        ...[...places]
          .filter(([, { layer }]) => layer === -1)
          .map(([place, { path }]) => `${path}:1: ${PAGE} names no layer of ${room.name} for ${place}`),
        ...room.layers
          .flat()
          .filter((name) => name !== "*.ts" && !places.has(name))
          .map((name) => `${PAGE}:1: ${room.name}/${name} of its layers is not there`),
      ];
    });
}

/** One line for each circle of files that import each other. */
function cycles(imports: readonly Import[]): string[] {
  const targets = Map.groupBy(imports, ({ from }) => from);
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, way: readonly Import[]): void => {
    const start = way.findIndex(({ from }) => from === file);
    if (start !== -1) {
      const circle = way.slice(start);
      const path = [...circle.map(({ from }) => from), file].join(" -> ");
      found.push(`${circle[0]!.from}:${circle[0]!.line} imports ${circle[0]!.target}: a cycle, ${path}`);
      return;
    }
    if (done.has(file)) return;
    for (const next of targets.get(file) ?? []) visit(next.target, [...way, next]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return found;
}

/** Every fault of these files, as lines `file:line imports target: rule`. */
export function faultsOf(rooms: readonly Room[], sources: readonly Source[]): string[] {
  const byName = new Map(rooms.map((room) => [room.name, room]));
  const imports = sources.flatMap(importsOf);
  return [
    ...imports.flatMap((found) => {
      const fault = faultOf(byName, found);
      return fault === null ? [] : [`${found.from}:${found.line} imports ${found.target}: ${fault}`];
    }),
    ...misplaced(
      rooms,
      sources.map(({ path }) => path),
    ),
    ...cycles(imports),
  ];
}

export function readSources(): Source[] {
  return trackedFiles(ROOT)
    .filter((path) => /\.(tsx?|[mc]?js)$/.test(path) && !path.startsWith("docs/"))
    .map((path) => ({ path, code: readFileSync(join(ROOT, path), "utf8") }));
}

export const readPage = () => readFileSync(join(ROOT, PAGE), "utf8");

if (import.meta.main) {
  const faults = faultsOf(readRooms(readPage()), readSources());
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

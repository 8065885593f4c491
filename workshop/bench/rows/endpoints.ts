/** What is asked of both sides, and what need not be, since no table that grows is read for it. */
import { createHash } from "node:crypto";
import { TILE_WIDTH, tileName } from "../../../attestor/log/tiles.ts";
import { signInFor } from "../../../test/support/signIn.ts";
import type { Asked } from "../../rehearse/load/ask.ts";
import {
  batchesOf,
  firstJudged,
  firstOpen,
  isBought,
  isOfPayer,
  isTraded,
  lastJob,
  reportsOf,
} from "./amounts.ts";
import { evidenceOf, jobIdOf, samplesOf, tokenOf } from "./names.ts";
import { type Bought, boughtIn, challenged, type Side } from "./sides.ts";

export interface Endpoint {
  /** As the OpenAPI document has it; a page by its path. */
  readonly route: string;
  readonly status: number;
  /** A process keeps the answers, or what they are made from: of few rows it would read each once and never again. */
  readonly isKept?: true;
  /** Of a round; what moves money on the chain is asked less often. */
  readonly requests?: number;
  /** The last request alone counts. @param n which of them it is */
  one(side: Side, n: number): Promise<Asked>;
}

const FEW = 40;

/** A number from `from` to `to` that fits, all over them, and the same for the same `n`. */
function somewhere(n: number, from: number, to: number, fits: (found: number) => boolean): number {
  const spread = createHash("sha256").update(String(n)).digest().readUInt32BE();
  let found = from + (spread % (to - from + 1));
  while (!fits(found)) found = found >= to ? from : found + 1;
  return found;
}

const judgedJob = ({ amounts }: Side, n: number, fits: (found: number) => boolean): number =>
  somewhere(n, firstJudged(amounts), lastJob(amounts), fits);
const openJob = ({ amounts }: Side, n: number): number =>
  somewhere(n, firstOpen(amounts), lastJob(amounts), isBought);
const madeByKey = (n: number): boolean => !isBought(n);
const anyJob = (): boolean => true;

const SYMBOLS = ["AAPLx", "TSLAx", "NVDAx"] as const;
const symbol = (n: number): string => SYMBOLS[n % SYMBOLS.length]!;

/** Bought by the bench and not prepared yet, by side. */
const bought = new WeakMap<Side, Bought[]>();
/** Prepared by the bench. */
const prepared = new WeakMap<Side, Bought[]>();
const kept = (of: WeakMap<Side, Bought[]>, side: Side): Bought[] => {
  const list = of.get(side) ?? [];
  of.set(side, list);
  return list;
};

function taken(of: WeakMap<Side, Bought[]>, side: Side): Bought {
  const found = kept(of, side).shift();
  if (found === undefined) throw new Error("the bench has bought too little");
  return found;
}

async function signedIn(side: Side, path: string): Promise<Asked> {
  const challenge = await side.ask(path);
  const { resource } = challenge.body;
  const signIn = await signInFor(challenge, side.buyer.wallet, { said: { uri: resource.url } });
  return side.ask(path, { signIn });
}

const get = (route: string, one: Endpoint["one"]): Endpoint => ({ route: `GET ${route}`, status: 200, one });
const getKept = (route: string, one: Endpoint["one"]): Endpoint => ({ ...get(route, one), isKept: true });
const nothing = (_n: number): string => "";
const getKeyed = (path: string, query = nothing): Endpoint =>
  get(path, ({ ask, local }, n) => ask(path + query(n), { key: local.apiKey }));
const getOpen = (path: string, query = nothing): Endpoint => get(path, ({ ask }, n) => ask(path + query(n)));

/** A full tile of the log, by its name. */
function fullTile({ amounts }: Side, n: number): string {
  const tiles = Math.floor(reportsOf(amounts) / TILE_WIDTH);
  return tileName({ index: somewhere(n, 0, tiles - 1, anyJob), width: TILE_WIDTH });
}

const page = ({ ask }: Side, path: string): Promise<Asked> => ask(path, { accept: "text/html" });

/** The local world's tokens are listed as those of BNB chain. */
const tokenPage = ({ local }: Side, n: number): string =>
  `/tokens/bnb/${local.tokens[symbol(n)]?.address}?days=${1 + (n % 30)}`;

export const ENDPOINTS: readonly Endpoint[] = [
  getOpen("/readyz"),
  getKeyed("/api/v1/assets"),
  getKeyed("/v1/assets"),
  getKeyed("/v1/policies"),
  getKeyed("/api/v1/liquidity-scores"),
  getKeyed("/api/v1/latest"),
  getKeyed("/api/v1/corporate-actions"),
  getKeyed("/api/v1/revisions", (n) => `?symbol=${symbol(n)}&limit=${1 + (n % 100)}`),
  getKeyed("/api/v1/files", (n) => `?limit=${1 + (n % 100)}`),
  getKeyed("/api/v1/premium-history", (n) => `?symbol=${symbol(n)}&days=${1 + (n % 90)}`),
  getOpen("/api/premium/history", (n) => `?symbol=${symbol(n)}&days=${1 + (n % 30)}`),
  getOpen("/api/basis/history", (n) => `?underlying=${symbol(n).slice(0, -1)}&days=${1 + (n % 30)}`),
  getOpen("/api/market-overview", (n) => `?days=${1 + (n % 365)}`),
  {
    route: "POST /a2mcp/verify",
    status: 200,
    requests: FEW,
    async one(side) {
      const answer = await side.ask("/a2mcp/verify", await challenged(side));
      kept(bought, side).push(boughtIn(answer));
      return answer;
    },
  },
  { ...getOpen("/a2mcp/verify"), status: 402 },
  {
    route: "POST /a2mcp/quote",
    status: 200,
    one: (side) => {
      const { policyId: _, ownerAddress: __, ...json } = side.body();
      return side.ask("/a2mcp/quote", { json });
    },
  },
  {
    route: "POST /v1/jobs/{id}/prepare-execution",
    status: 200,
    requests: FEW,
    async one(side) {
      const job = taken(bought, side);
      kept(prepared, side).push(job);
      return side.ask(`/v1/jobs/${job.jobId}/prepare-execution`, { token: job.token, json: {} });
    },
  },
  {
    route: "POST /v1/jobs/{id}/submissions",
    status: 201,
    requests: FEW,
    async one(side, n) {
      const { jobId, token } = taken(prepared, side);
      // Of no transaction that there is: it is taken, and looked for.
      const transactionHash = `0x${createHash("sha256").update(`${jobId} ${n}`).digest("hex")}`;
      return side.ask(`/v1/jobs/${jobId}/submissions`, { token, json: { transactionHash } });
    },
  },
  {
    route: "POST /v1/jobs",
    status: 201,
    one: (side, n) =>
      side.ask("/v1/jobs", {
        key: side.local.apiKey,
        json: { clientRequestId: `measured-${performance.now()}-${n}`, ...side.body() },
      }),
  },
  {
    route: "POST /v1/jobs, sent again",
    status: 200,
    async one(side, n) {
      const json = { clientRequestId: `again-${performance.now()}-${n}`, ...side.body() };
      await side.ask("/v1/jobs", { key: side.local.apiKey, json });
      return side.ask("/v1/jobs", { key: side.local.apiKey, json });
    },
  },
  get("/v1/jobs/{id}", (side, n) =>
    side.ask(`/v1/jobs/${jobIdOf(judgedJob(side, n, madeByKey))}`, { key: side.local.apiKey }),
  ),
  get("/v1/jobs/{id}, by its token", (side, n) => {
    const job = openJob(side, n);
    return side.ask(`/v1/jobs/${jobIdOf(job)}?proofs=omit`, { token: tokenOf(job) });
  }),
  get("/v1/jobs/{id}/report", (side, n) =>
    side.ask(`/v1/jobs/${jobIdOf(judgedJob(side, n, isTraded))}/report?version=${1 + (n % 2)}`, {
      key: side.local.apiKey,
    }),
  ),
  get("/a2mcp/purchases", (side) => signedIn(side, "/a2mcp/purchases")),
  get("/a2mcp/purchases/{id}", (side, n) =>
    signedIn(side, `/a2mcp/purchases/${jobIdOf(judgedJob(side, n, isOfPayer))}`),
  ),
  getKept("/evidence/{hash}", (side, n) =>
    side.ask(`/evidence/${evidenceOf(judgedJob(side, n, isTraded), 2)}`),
  ),
  getKept("/samples/{hash}", (side, n) =>
    side.ask(`/samples/${samplesOf(somewhere(n, 0, batchesOf(side.amounts) - 1, anyJob))}`),
  ),
  getOpen("/log/checkpoint"),
  getKept("/log/tile/{level}/{name}", (side, n) => side.ask(`/log/tile/0/${fullTile(side, n)}`)),
  get("/log/tile/entries/{name}", (side, n) => side.ask(`/log/tile/entries/${fullTile(side, n)}`)),
  get("/log/find", (side, n) =>
    side.ask(`/log/find?evidenceHash=${evidenceOf(judgedJob(side, n, anyJob), 1)}`),
  ),
  {
    route: "POST /api/v1/keys",
    status: 202,
    one: ({ ask }, n) => {
      const from = `127.2.${n % 250}.${1 + (Math.floor(n / 250) % 250)}`;
      return ask("/api/v1/keys", {
        json: { name: "a client", email: "client@example.org", purpose: "the bench" },
        from,
      });
    },
  },
  // Pages, which the document does not name.
  get("/", (side, n) => page(side, `/?n=${n}`)),
  get("/tokens/{chain}/{address}", (side, n) => page(side, tokenPage(side, n))),
  getKept("/reports/{hash}", (side, n) =>
    page(side, `/reports/${evidenceOf(judgedJob(side, n, isTraded), 2)}`),
  ),
];

/** Endpoints that read no table, or none that grows with jobs and samples, and those measured under another name. */
const ASKED_OF_NOBODY = [
  /^GET \/(healthz|openapi\.json|docs|llms\.txt|server\.json|did\.json|verify\.html.*|\.well-known\/.*|a2mcp\/(listing\.md|assets|policies))$/,
  /^GET \/(docs\/\{name\}|api\/v1\/calendar)$/,
  // One row, by its key.
  /^GET \/api\/v1\/files\/\{dataset\}\/\{day\}\/\{file\}$/,
  /^GET \/erc7730\//,
  /^GET \/(registry|policies)\/\{hash\}$/,
  /^GET \/log\/(cosigned|vkey|\{shard\}\/(checkpoint|cosigned|vkey|tile\/.*))$/,
];

/** @param operations such as `GET /v1/jobs/{id}` @returns those that are not measured and should be */
export function forgotten(operations: readonly string[]): string[] {
  const measured = new Set(ENDPOINTS.map(({ route }) => route.split(",")[0]));
  return operations.filter(
    (operation) => !measured.has(operation) && !ASKED_OF_NOBODY.some((pattern) => pattern.test(operation)),
  );
}

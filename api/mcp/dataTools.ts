/** The tools that read market data: for any host, of what the data API's public endpoints answer. */
import type { z } from "zod";
import type { DataBackend } from "./backend.ts";
import { ToolFailure } from "./failure.ts";
import { SERIES_NAMES, seriesLink } from "./resources.ts";
import { History, HistoryInput } from "./schemas.ts";
import { always, defineTool, free, reading, TOOLS, type Tool, told } from "./tools.ts";

export const DATA_TOOLS: readonly Tool[] = [
  defineTool({
    ...told("get_market_history"),
    hints: always(reading),
    input: HistoryInput,
    output: History,
    async run({ data }, input) {
      const { symbol, underlying } = input;
      if (symbol !== undefined)
        return free(await premiums(data, { ...input, symbol }), seriesLink("premium", symbol));
      if (underlying === undefined) throw new Error("the schema asks for one of both");
      return free(await bases(data, { ...input, underlying }), seriesLink("basis", underlying));
    },
  }),
];

/** What a host with a key sees. */
export const ALL_TOOLS: readonly Tool[] = [...TOOLS, ...DATA_TOOLS];

type Input = z.infer<typeof HistoryInput>;
type Told = z.infer<typeof History>;

/** `2026-11-24T08:00Z` */
const hourText = (seconds: number): string => `${new Date(seconds * 1_000).toISOString().slice(0, 16)}Z`;

async function premiums(data: DataBackend, { symbol, chain, days, limit }: Input & { symbol: string }) {
  const { points, attribution, ...token } = await data.premiums({ symbol, chain, days });
  if (token.chain === null) throw unknown("No token is minted under this symbol; letters count as they are.");
  const rows = points
    .slice(-limit)
    .map((point) => [hourText(point.t), point.premium, point.net_edge, point.state, point.session]);
  return answered(
    {
      of: symbol,
      chain: token.chain,
      venue: null,
      hours: points.length,
      columns: ["hour", "premium_bps", "net_edge_bps", "state", "session"],
      ...{ rows, attribution },
    },
    "premium",
  );
}

async function bases(data: DataBackend, { underlying, venue, days, limit }: Input & { underlying: string }) {
  const answer = await data.bases({ underlying, venue, days });
  const { points, venues, attribution } = answer;
  if (venues.length === 0) throw unknown("The service shows no perpetual of this stock at the moment.");
  if (venue !== undefined && !venues.includes(venue)) throw unknown(`The venues are ${venues.join(", ")}.`);
  const rows = points
    .slice(-limit)
    .map((point) => [hourText(point.t), point.basis, point.funding_annual, point.state, point.session]);
  return answered(
    {
      of: underlying,
      chain: null,
      venue: answer.venue,
      hours: points.length,
      columns: ["hour", "basis_bps", "funding_annual_bps", "state", "session"],
      ...{ rows, attribution },
    },
    "basis",
  );
}

const answered = (told: Omit<Told, "next">, kind: keyof typeof SERIES_NAMES): Told => ({
  ...told,
  next: `${told.hours > told.rows.length ? "Earlier hours: raise limit. " : ""}The last 30 days with every figure: the linked resource, ${SERIES_NAMES[kind]}.`,
});

const unknown = (detail: string) =>
  new ToolFailure({
    code: "not_found",
    detail,
    next: "Correct the name, or ask the user which token is meant.",
  });

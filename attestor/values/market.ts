/** What policies, evidence and the data API call sessions of the stock market, and grades of liquidity. */
import * as z from "zod";

/** When US stocks trade, in the order of a day. */
export const SESSIONS = ["overnight", "pre-market", "regular", "post-market", "closed"] as const;
export const MarketSession = z.enum(SESSIONS);
export type MarketSession = z.infer<typeof MarketSession>;

/** Liquidity grades, best first. */
export const GRADES = ["A", "B", "C", "D"] as const;
export const Grade = z.enum(GRADES);
export type Grade = z.infer<typeof Grade>;

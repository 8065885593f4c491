/** The data API's schemas of revisions. pointDescriptions.json describes each member. */
import { z } from "zod";
import { CHAIN_NAMES } from "../../attestor/chains.ts";
import { worded } from "../http/worded.ts";
import { Attribution, DateTime } from "./members.ts";
import WORDS from "./pointDescriptions.json" with { type: "json" };
import { BasisInputs, PremiumInputs } from "./pointSchemas.ts";
import { BasisPoint, PublicPremiumPoint } from "./schemas.ts";

const Revised = z
  .union([
    PublicPremiumPoint.extend({ inputs: PremiumInputs.nullable() }),
    BasisPoint.extend({ inputs: BasisInputs.nullable() }),
  ])
  .nullable();

export const Revision = z
  .object(
    worded(WORDS.Revision, {
      series: z.string(),
      symbol: z.string().nullable(),
      chain: z.enum(CHAIN_NAMES).nullable(),
      address: z.string().nullable(),
      underlying: z.string().nullable(),
      venue: z.string().nullable(),
      ts: DateTime,
      revision: z.int().min(1),
      changed_at: DateTime,
      change: z.enum(["late", "recomputed", "retracted"]),
      before: Revised,
      after: Revised,
    }),
  )
  .meta({ id: "Revision" });

export const RevisionsAnswer = z
  .object({
    attribution: Attribution,
    ...worded(WORDS.Revisions, { revisions: z.array(Revision), next_cursor: z.string().nullable() }),
  })
  .meta({ id: "Revisions" });

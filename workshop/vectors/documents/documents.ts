/** All rows, in the order of a verification's steps. */
import { CERTIFICATE_ROWS } from "./certificate.ts";
import { DOCUMENT_ROWS } from "./document.ts";
import { ISSUER_ROWS } from "./issuer.ts";
import { JUDGEMENT_ROWS } from "./judgement.ts";
import { LOG_ROWS } from "./log.ts";
import { POLICY_ROWS } from "./policy.ts";
import { POOL_ROWS } from "./pools.ts";
import { PRICE_ROWS } from "./prices.ts";
import { REGISTRY_ROWS } from "./registry.ts";
import { ROUTE_CALL_ROWS } from "./routeCalls.ts";
import type { Row } from "./rows.ts";
import { SESSION_ROWS } from "./sessions.ts";
import { STATE_ROWS } from "./state.ts";
import { STILL_TRUSTED_ROWS } from "./stillTrusted.ts";

export const ROWS: readonly Row[] = [
  ...DOCUMENT_ROWS,
  ...POLICY_ROWS,
  ...JUDGEMENT_ROWS,
  ...SESSION_ROWS,
  ...POOL_ROWS,
  ...REGISTRY_ROWS,
  ...PRICE_ROWS,
  ...STATE_ROWS,
  ...CERTIFICATE_ROWS,
  ...ROUTE_CALL_ROWS,
  ...ISSUER_ROWS,
  ...LOG_ROWS,
  ...STILL_TRUSTED_ROWS,
];

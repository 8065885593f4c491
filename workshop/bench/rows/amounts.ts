/** How many rows there are of what, and which job is of which kind. */

export interface Amounts {
  /** Jobs with reports, evidence, proofs, entries in the log, payments and trades: the newest. */
  readonly judged: number;
  /** Jobs without: rows of `jobs` alone, and older. */
  readonly bare: number;
  /** Of impact samples, and as many raw samples. */
  readonly samples: number;
}

export interface Templates {
  /** A job that was bought and judged once. */
  readonly bought: string;
  /** One that was also prepared and carried out on the chain. */
  readonly traded: string;
  /** The key that jobs made by a key belong to. */
  readonly keyId: string;
}

/** What the statements are made from. */
export interface Filling {
  readonly amounts: Amounts;
  readonly templates: Templates;
  /** The payer that must have bought as much as each of the others. */
  readonly payer: string;
  /** Unix seconds. */
  readonly now: number;
}

export const DAY = 86_400;
/** From the first job to the last. */
const SPAN_SECONDS = 60 * DAY;
/** One in so many was made by the key and carried out; as many by the key and not, and the rest was bought. */
const TRADED_EVERY = 4;
/** Judgements of one block rest on the same proofs, of one state of the samples on the same batch. */
export const A_BLOCK = 4;
const A_BATCH = 50;
export const PAYERS = 1_000;

export const isTraded = (n: number): boolean => n % TRADED_EVERY === 0;
export const isBought = (n: number): boolean => n % 2 === 1;
/** Bought by the wallet that the bench has. */
export const isOfPayer = (n: number): boolean => n % PAYERS === 1;
export const batchesOf = ({ judged }: Amounts): number => Math.ceil(judged / A_BATCH);
export const firstJudged = ({ bare }: Amounts): number => bare + 1;
export const lastJob = ({ bare, judged }: Amounts): number => bare + judged;

/** Of job `n`, unix seconds, as SQL. */
export const createdAt = ({ amounts, now }: Filling): string =>
  `${now - 60} - ((${lastJob(amounts)} - n) * ${SPAN_SECONDS}::bigint / ${lastJob(amounts)})`;

/** Jobs from this one on are a day old at most, so that their tokens open them. */
export function firstOpen(amounts: Amounts): number {
  const last = lastJob(amounts);
  return Math.max(firstJudged(amounts), last - Math.floor((last * DAY) / 2 / SPAN_SECONDS));
}

/** Judgements of these jobs. */
export function reportsOf(amounts: Amounts): number {
  const traded = Math.floor(lastJob(amounts) / TRADED_EVERY) - Math.floor(amounts.bare / TRADED_EVERY);
  return amounts.judged + traded;
}

/** The same of job `n` as SQL. */
export const TRADED = `n % ${TRADED_EVERY} = 0`;
export const BOUGHT = "n % 2 = 1";

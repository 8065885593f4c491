/**
 * Of several processes only the lease holder does a task. A lease is a row that expires unless its holder renews it.
 * Each new holder gets a higher epoch, which fences its writes (`fenced.ts`). A holder that was frozen and lost its
 * lease unnoticed can thus write nothing.
 *
 * Clocks decide when a lease moves and never whether two can write. All holders use the database's
 * (`clock.ts`).
 */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import { type Database, engineOf } from "./open.ts";

/** What shows that a holder has a lease: as long as the row says the same. */
export interface Fence {
  readonly name: string;
  readonly holder: string;
  readonly epoch: number;
}

/** A lease was taken by another since: nothing was written. */
export class LeaseLost extends Error {
  readonly code = "lease_lost";

  constructor({ name }: Pick<Fence, "name">) {
    super(`another process has the lease of ${name} now`);
    this.name = "LeaseLost";
  }
}

export interface LeaseDeps {
  readonly db: Database;
  /** Tells this process from the others, and from those that ran before it. */
  readonly holder: string;
  /** How long a lease outlives its last renewal. */
  readonly ttlMs: number;
  /** Unix milliseconds by the clock that all holders share. */
  now(): number;
  /** Whether a holder surely runs no more: its lease need not expire. */
  isDead?(holder: string): boolean;
}

/** How long PostgreSQL lets a holder that was frozen within a transaction keep others waiting. */
const FROZEN_MS = 3_000;
const NOBODY = "";

/**
 * Takes a lease where it is free: never had, given back, expired, or of a process that is dead.
 * @returns null where another has it, or was first
 * @throws DatabaseUnavailable
 */
export async function takeLease(deps: LeaseDeps, name: string): Promise<Fence | null> {
  const [fence] = await takeLeases(deps, [name]);
  return fence ?? null;
}

/**
 * As `takeLease`, of several with one look.
 * @param faultOf why this process could not do the work; its lease is not taken then, and says why nobody has it
 * @returns those that were taken
 */
export async function takeLeases(
  deps: LeaseDeps,
  names: readonly string[],
  faultOf: (name: string) => string | null = () => null,
): Promise<Fence[]> {
  const { db, holder, ttlMs } = deps;
  if (names.length === 0) return [];
  const rows = await db.selectFrom("leases").selectAll().where("name", "in", names).execute();
  const seen = new Map(rows.map((row) => [row.name, row]));
  const taken: Fence[] = [];
  for (const name of names) {
    const at = deps.now();
    const row = seen.get(name);
    const fault = faultOf(name);
    if (row !== undefined && !isFree(deps, row)) continue;
    if (fault !== null && row?.holder === NOBODY && row.fault === fault) continue;
    const term =
      fault === null
        ? { holder, expires_at_ms: at + ttlMs, renewed_at_ms: at, fault }
        : { holder: NOBODY, expires_at_ms: 0, renewed_at_ms: row?.renewed_at_ms ?? 0, fault };
    const won =
      row === undefined
        ? await db
            .insertInto("leases")
            .values({ name, epoch: 1, ...term })
            .onConflict((conflict) => conflict.doNothing())
            .returning("epoch")
            .executeTakeFirst()
        : await db
            .updateTable("leases")
            .set((eb) => ({ ...term, epoch: eb("epoch", "+", 1) }))
            .where((eb) => eb.and({ name, epoch: row.epoch }))
            // A renewal or another's taking came first.
            .where((eb) => eb.and({ holder: row.holder, expires_at_ms: row.expires_at_ms }))
            .returning("epoch")
            .executeTakeFirst();
    if (won !== undefined && fault === null) taken.push({ name, holder, epoch: won.epoch });
  }
  return taken;
}

function isFree(
  { now, isDead }: LeaseDeps,
  { holder, expires_at_ms }: { readonly holder: string; readonly expires_at_ms: number },
): boolean {
  return holder === NOBODY || expires_at_ms <= now() || (isDead?.(holder) ?? false);
}

/**
 * Renews leases, with one statement.
 * @returns those that this holder still has
 * @throws DatabaseUnavailable
 */
export async function renewLeases(
  { db, holder, ttlMs, now }: LeaseDeps,
  fences: readonly Fence[],
): Promise<Fence[]> {
  if (fences.length === 0) return [];
  const at = now();
  const names = fences.map(({ name }) => name);
  const rows = await db
    .updateTable("leases")
    .set({ expires_at_ms: at + ttlMs, renewed_at_ms: at })
    .where("holder", "=", holder)
    .where("name", "in", names)
    .returning(["name", "epoch"])
    .execute();
  return fences.filter(({ name, epoch }) => rows.some((row) => row.name === name && row.epoch === epoch));
}

/** Gives a lease back, if this holder has it. @throws DatabaseUnavailable */
export async function releaseLease(db: Database, { name, holder, epoch }: Fence): Promise<void> {
  await db
    .updateTable("leases")
    .set({ holder: NOBODY, expires_at_ms: 0 })
    .where((eb) => eb.and({ name, holder, epoch }))
    .execute();
}

/** Why nobody has a lease; null: somebody has it, or no process said why. @throws DatabaseUnavailable */
export async function leaseFault(db: Database, name: string): Promise<string | null> {
  const row = await db
    .selectFrom("leases")
    .select("fault")
    .where((eb) => eb.and({ name, holder: NOBODY }))
    .executeTakeFirst();
  return row?.fault ?? null;
}

/**
 * In a transaction, before anything is written: the lease cannot move until the transaction ends. One whose process
 * freezes within is ended by PostgreSQL after three seconds.
 * @throws LeaseLost
 */
export async function assertLease(trx: Database, fence: Fence): Promise<void> {
  const held =
    engineOf(trx) === "postgres"
      ? await sql`select set_config('idle_in_transaction_session_timeout', ${String(FROZEN_MS)}, true)
          from leases where name = ${fence.name} and holder = ${fence.holder} and epoch = ${fence.epoch}
          for key share`.execute(trx)
      : await sql`select 1 from leases
          where name = ${fence.name} and holder = ${fence.holder} and epoch = ${fence.epoch}`.execute(trx);
  if (held.rows.length === 0) throw new LeaseLost(fence);
}

/** For one statement that is to change nothing once the lease has moved: a condition of it. */
export function whileHeld({ name, holder, epoch }: Fence): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (select 1 from leases as fence
    where fence.name = ${name} and fence.holder = ${holder} and fence.epoch = ${epoch})`;
}

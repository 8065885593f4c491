/** Every migration by name, in order, and the releases. Once something is released, add migrations and never change one. */
import * as baseline from "./0001_baseline.ts";
import type { OurMigration } from "./migration.ts";

/** What a program knows of its database. */
export interface Edition {
  /** By name, in order. The first one makes the tables; a database without it is of another program. */
  readonly migrations: Readonly<Record<string, OurMigration>>;
  /** Which migration each release ended with. A release adds its line, once. */
  readonly releases: readonly { readonly version: string; readonly migration: string }[];
}

export const EDITION: Edition = { migrations: { "0001_baseline": baseline }, releases: [] };

/** What the steps of one deployment share. */
import type { AdminAccount } from "../act/accounts.ts";
import type { Connection } from "../connect.ts";
import type { Records } from "../records/records.ts";
import type { AdminWorld } from "../world.ts";
import type { Build } from "./build.ts";
import type { Roles } from "./checks.ts";

export interface Deploying {
  readonly world: AdminWorld;
  readonly connection: Connection;
  readonly records: Records;
  readonly build: Build;
  readonly roles: Roles;
  readonly account: AdminAccount;
  /** Of the journal. */
  readonly dir: string;
}

/** What the steps of one deployment share. */
import type { AdminAccount } from "../accounts/accounts.ts";
import type { Records } from "../records/records.ts";
import type { Connection } from "../session/connect.ts";
import type { AdminContext } from "../session/context.ts";
import type { Build } from "./build.ts";
import type { Roles } from "./checks.ts";

export interface Deploying {
  readonly world: AdminContext;
  readonly connection: Connection;
  readonly records: Records;
  readonly build: Build;
  readonly roles: Roles;
  readonly account: AdminAccount;
  /** Of the journal. */
  readonly dir: string;
}

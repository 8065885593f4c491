/** What tasks hand over, by the names of their options, in the form that the commands take. */

import { addressFrom } from "../session/session.ts";
import type { ActOptions } from "./carryOut.ts";

/** The options of a changing task as Hardhat parses them. */
export interface ActArguments {
  readonly execute?: boolean;
  readonly safe?: string | undefined;
  readonly print?: boolean;
  readonly yes?: boolean;
  readonly reason?: string | undefined;
  readonly from?: string | undefined;
}

/** @throws AdminError `usage` */
export function actOptions(args: ActArguments): ActOptions {
  return {
    execute: args.execute ?? false,
    safe: args.safe,
    print: args.print ?? false,
    yes: args.yes ?? false,
    reason: args.reason,
    from: args.from === undefined ? undefined : addressFrom(args.from, "--from"),
  };
}

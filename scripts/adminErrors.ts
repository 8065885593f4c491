/** What can go wrong for an admin, each with one clear line, and how a command says how it ended. */

/** The exit codes of every command; docs/run/guard.md names them too. */
export const EXIT = {
  /** Done, shown, or nothing to do. */
  ok: 0,
  /** Refused or failed; with `--check`: the chain is not as desired. Nothing is left under way. */
  failed: 1,
  /** The command line is invalid. */
  usage: 2,
  /** A transaction was sent and its outcome is not known yet: run the command again. */
  pending: 3,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export type AdminErrorCode =
  /** No network was named, or one that these commands cannot work on. */
  | "wrong_network"
  /** The RPC serves another chain than the network's configuration says. */
  | "wrong_chain"
  /** Nobody knows where the guard is, or there is none where it should be. */
  | "no_guard"
  /** The account may not do this; the message says which role may and who holds it. */
  | "no_permission"
  /** No account of this network's configuration is there to sign. */
  | "no_account"
  /** A file cannot be read, or does not hold what it should. */
  | "unreadable_file"
  /** The route is no contract, a token, one of our own contracts, or not on the list. */
  | "unknown_route"
  /** The chain would refuse it; the message carries the decoded error. */
  | "reverted"
  /** An earlier transaction has no outcome yet. */
  | "pending_transaction"
  /** What was read back is not what was sent. */
  | "not_as_sent"
  /** The admin said no, or there was nobody to ask. */
  | "not_confirmed"
  /** What was asked for must not be done. */
  | "refused"
  /** The command line is invalid. */
  | "usage";

/** One line for the person, a code for tests and callers. Never carries a key, a URL or another party's words. */
export class AdminError extends Error {
  readonly code: AdminErrorCode;

  constructor(code: AdminErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AdminError";
    this.code = code;
  }

  get exitCode(): ExitCode {
    if (this.code === "usage") return EXIT.usage;
    return this.code === "pending_transaction" ? EXIT.pending : EXIT.failed;
  }
}

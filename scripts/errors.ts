/** What can go wrong in a command, each with one clear line, and how a command says how it ended. */

/** The exit codes of every command; `assay help` prints them. */
export const EXIT = {
  ok: 0,
  failed: 1,
  unusable: 2,
  pending: 3,
  denied: 4,
  unpaid: 5,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_WORDS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: "done, shown, or nothing to do; verify: VALID",
  failed: "refused, failed, or not as it should be, and nothing is under way; verify: INVALID",
  unusable:
    "the command line is invalid, or a file or service that it needs cannot be used; verify: UNVERIFIABLE",
  pending: "a transaction was sent and its outcome is not known: run the command again",
  denied: "agent: the trade was denied",
  unpaid: "agent: the report costs something and was not bought",
};

export type CommandErrorCode =
  /** The command line is invalid. */
  | "usage"
  /** A file, a prompt or a service outside cannot be used, and the message says why. */
  | "unusable"
  /** No network was named, or one that these commands cannot work on. */
  | "wrong_network"
  /** The RPC serves another chain than the network's row says. */
  | "wrong_chain"
  /** Nobody knows where the guard is, or there is none where it should be. */
  | "no_guard"
  /** The account may not do this; the message says which role may and who holds it. */
  | "no_permission"
  /** No account of this network is there to sign. */
  | "no_account"
  /** A file cannot be read, or does not hold what it should. */
  | "unreadable_file"
  /** The route is no contract, a token, one of our own contracts, or not on the list. */
  | "unknown_route"
  /** The chain would refuse it; the message carries the decoded error. */
  | "reverted"
  /** A transaction has no outcome yet. */
  | "pending_transaction"
  /** What was read back is not what was sent. */
  | "not_as_sent"
  /** The admin said no, or there was nobody to ask. */
  | "not_confirmed"
  /** What was asked for must not be done. */
  | "refused";

const EXIT_OF: Partial<Record<CommandErrorCode, ExitCode>> = {
  usage: EXIT.unusable,
  unusable: EXIT.unusable,
  unreadable_file: EXIT.unusable,
  pending_transaction: EXIT.pending,
};

/** One line for the person, a code for tests and callers. Never carries a key, a URL or another party's words. */
export class CommandError extends Error {
  readonly code: CommandErrorCode;

  constructor(code: CommandErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CommandError";
    this.code = code;
  }

  get exitCode(): ExitCode {
    return EXIT_OF[this.code] ?? EXIT.failed;
  }
}

/** Invalid arguments. */
export class UsageError extends CommandError {
  constructor(message: string) {
    super("usage", message);
  }
}

/** An external failure that the user can understand and fix. */
export class PlainError extends CommandError {
  constructor(message: string) {
    super("unusable", message);
  }
}

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

/** One line for the person. Never carries a key, a URL or another party's words. */
export abstract class CommandError extends Error {
  abstract readonly exitCode: ExitCode;
}

/** The command line is invalid. */
export class UsageError extends CommandError {
  readonly exitCode = EXIT.unusable;
}

/** A file, a prompt or a service outside cannot be used, and the message says why. */
export class Unusable extends CommandError {
  readonly exitCode = EXIT.unusable;
}

/** What was asked for must not or cannot be done, or was done and is not as it should be. */
export class Refused extends CommandError {
  readonly exitCode = EXIT.failed;
}

/** The chain would refuse it, or did; the message carries the decoded error. */
export class Reverted extends Refused {}

/** A transaction has no outcome yet. */
export class UnderWay extends CommandError {
  readonly exitCode = EXIT.pending;
}

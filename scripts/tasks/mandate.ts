/** `guard mandate …`, for an owner and not for the guard's admin. */
import { emptyTask, task } from "hardhat/config";
import type { NewTaskDefinitionBuilder, TaskArguments, TaskDefinition } from "hardhat/types/tasks";
import { action, EXECUTE, text, withDir, withSending, YES } from "./options.ts";

const named = (name: string, description: string) => task(["guard", "mandate", name], description);

const SAFE = text("safeAddress", "The Safe that grants");
const AGENT = text("agent", "The agent's address");

/** What a mandate says; the names are those of `TermArguments`. */
const withTerms = <T extends TaskArguments>(builder: NewTaskDefinitionBuilder<T>) =>
  builder
    .addOption(AGENT)
    .addOption(text("token", "Symbol of the settlement token; the only one by default"))
    .addOption(text("stocks", "Symbols, each with the units that can be sold in all: AAPLx,TSLAx:2.5"))
    .addOption(text("perDay", "The most within 24 hours, in units of the settlement token"))
    .addOption(text("perTrade", "The most of a trade; by default that of a day"))
    .addOption(text("budget", "The most in all; by default that of all days until it ends"))
    .addOption(text("policies", "Names or hashes of policies; STRICT_LIVE by default"))
    .addOption(text("expires", "30d, 12h or a date, UTC; 30d by default"))
    .addOption(text("revoker", "An address that may revoke it and nothing else"));

export const MANDATE_TASKS: TaskDefinition[] = [
  emptyTask(["guard", "mandate"], "Give agents trading budgets by a Safe, and take them back").build(),
  withDir(named("deploy", "Deploy the guard's mandate module and its setup, where they are not yet"))
    .addFlag(EXECUTE)
    .addFlag({ name: "print", description: "Print target and call data instead of sending" })
    .addFlag(YES)
    .addOption(text("from", "The account that pays; the first by default"))
    .setAction(action(async () => (await import("../mandate.ts")).deployMandates))
    .build(),
  withTerms(
    withSending(named("create", "Make a Safe with a mandate in one transaction; a dry run by default")),
  )
    .addOption(text("owner", "The Safe's owner"))
    .addOption(text("salt", "A number, to make another Safe of the same"))
    .setAction(action(async () => (await import("../mandate.ts")).createMandate))
    .build(),
  withTerms(withSending(named("grant", "Grant a mandate by a Safe, in place of the agent's until now")))
    .addOption(SAFE)
    .setAction(action(async () => (await import("../mandate.ts")).grantMandate))
    .build(),
  withDir(named("list", "Show what the agents of a Safe can still do"))
    .addOption(SAFE)
    .addOption(text("agent", "One agent; by default all that the module's events name"))
    .setAction(action(async () => (await import("../mandate.ts")).listMandates))
    .build(),
  withSending(named("revoke", "End an agent's mandate at once"))
    .addOption(SAFE)
    .addOption(AGENT)
    .setAction(action(async () => (await import("../mandate.ts")).revokeMandate))
    .build(),
];

import type { NewTaskActionFunction } from "hardhat/types/tasks";
import { keysMain } from "../keys.ts";

/** The arguments as `npm run keys` takes them. */
const run = async (...args: string[]): Promise<void> => {
  process.exitCode = await keysMain(args);
};

interface Application {
  readonly name?: string;
  readonly email?: string;
  readonly purpose?: string;
}

const given = (application: Application): string[] =>
  (["name", "email", "purpose"] as const).flatMap((option) => {
    const value = application[option];
    // One word with the value: a value may begin with dashes.
    return value === undefined ? [] : [`--${option}=${value}`];
  });

export const listAction: NewTaskActionFunction = () => run("list");
export const applyAction: NewTaskActionFunction<Application> = (args) => run("apply", ...given(args));
export const createAction: NewTaskActionFunction<Application> = (args) => run("create", ...given(args));
export const limitAction: NewTaskActionFunction<{ id: string; requests: string }> = ({ id, requests }) =>
  run("limit", id, requests);

export const historyAction: NewTaskActionFunction<{ id: string }> = ({ id }) =>
  id === "all" ? run("history") : run("history", id);

export function idAction(command: "approve" | "revoke"): NewTaskActionFunction<{ id: string }> {
  return ({ id }) => run(command, id);
}

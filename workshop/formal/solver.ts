/** Z3, compiled to WebAssembly, from npm: the same solver for everyone, without anything to install. */
import { init } from "z3-solver";

/** Whether a formula can be true, and for which values; `unknown` when the time is over. */
export interface Answer {
  readonly result: "sat" | "unsat" | "unknown";
  /** One `name -> value` a line, for `sat`. */
  readonly model: string;
}

const RESULTS: Record<number, Answer["result"]> = { [-1]: "unsat", 0: "unknown", 1: "sat" };

export type Solver = Awaited<ReturnType<typeof createSolver>>;

/** @param timeoutMs milliseconds for one formula; its answer is `unknown` then */
export async function createSolver(timeoutMs: number) {
  const { Z3, em } = await init();
  return {
    /** @throws Error when the formula is not one */
    async solve(formula: string) {
      const config = Z3.mk_config();
      const context = Z3.mk_context(config);
      try {
        const solver = Z3.mk_solver(context);
        Z3.solver_inc_ref(context, solver);
        const params = Z3.mk_params(context);
        Z3.params_inc_ref(context, params);
        Z3.params_set_uint(context, params, Z3.mk_string_symbol(context, "timeout"), timeoutMs);
        Z3.solver_set_params(context, solver, params);
        // Not eval_smtlib2_string: that one is read by another thread after its text is gone.
        Z3.solver_from_string(context, solver, formula);
        const code = Z3.get_error_code(context);
        if (code !== 0) throw new Error(`Z3: ${Z3.get_error_msg(context, code)}`);
        const result = RESULTS[await Z3.solver_check(context, solver)] ?? "unknown";
        if (result !== "sat") return { result, model: "" };
        return { result, model: Z3.model_to_string(context, Z3.solver_get_model(context, solver)) };
      } finally {
        Z3.del_context(context);
        Z3.del_config(config);
      }
    },
    close: () => em.PThread.terminateAllThreads(),
  };
}

/** One thing that was looked at in a market's file. */
export interface Line {
  /** `fault`: the file must not be used; `note`: it can be, and this is what it cannot do. */
  readonly outcome: "ok" | "fault" | "note";
  readonly text: string;
}

export const ok = (text: string): Line => ({ outcome: "ok", text });
export const fault = (text: string): Line => ({ outcome: "fault", text });
export const note = (text: string): Line => ({ outcome: "note", text });

/** A line that is a fault where anything is missing. */
export function judgedLine(what: string, faults: readonly string[], fine: string): Line {
  return faults.length === 0 ? ok(`${what}: ${fine}`) : fault(`${what}: ${faults.join("; ")}`);
}

/** The process's environment: read here and nowhere else. */

export type Environment = Readonly<Record<string, string | undefined>>;

/** The process's environment, as a copy that may be changed and handed on. */
export function environment(): Record<string, string | undefined> {
  return { ...process.env };
}

/** Sets a variable for a library in this process that looks there itself. What is set already stays. */
export function presetVariable(name: string, value: string): void {
  process.env[name] ??= value;
}

/** A key in a PKCS#11 token, by a process of its own that is ended when it does not answer. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { sameBytes } from "../../../attestor/values/bytes.ts";
import { withinTime } from "../../http/deadline.ts";
import type { Pkcs11Setting } from "../../settings/signers.ts";
import { assertPublicKey, assertSignature, type Curve, type OpenKey } from "../backend.ts";
import { BackendFault, tooSlow } from "../fault.ts";
import { type Asked, Told } from "./messages.ts";

/** For a process to start and a token to be opened. */
const OPEN_MS = 15_000;
const END_MS = 1_000;
/** What an operator reads of a key that its token would give away. */
const EXTRACTABLE = "the private key can be read out of the token";
const CHILD = new URL("./child.ts", import.meta.url);
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "hex"));

export interface TokenKey extends OpenKey {
  /** Of the process that holds the token now; null: none does. */
  readonly pid: number | null;
}

interface Waiting {
  done(signature: Uint8Array): void;
  failed(fault: BackendFault): void;
}

/** One process with its token open. */
interface Holder {
  readonly publicKey: Uint8Array;
  readonly extractable: boolean;
  readonly pid: number | null;
  sign(input: Uint8Array, timeoutMs: number): Promise<Uint8Array>;
  /** Whether it can still be asked. */
  isAlive(): boolean;
  end(): Promise<void>;
}

/**
 * @param timeoutMs for one signature, with opening the token again where that is needed
 * @throws BackendFault when the token cannot be opened, or has no such key
 */
export async function openTokenKey(
  setting: Pkcs11Setting,
  curve: Curve,
  timeoutMs: number,
): Promise<TokenKey> {
  let holder = await startHolder(setting, curve);
  const { publicKey, extractable } = holder;
  let opening: Promise<Holder> | null = null;
  /** A PIN that the token refused is not tried again: it would be locked. */
  let locked: BackendFault | null = null;
  let stopped = false;

  async function reopened(): Promise<Holder> {
    if (holder.isAlive()) return holder;
    if (stopped) throw new BackendFault("refused", "it was stopped");
    if (locked !== null) throw locked;
    opening ??= again().finally(() => {
      opening = null;
    });
    return await opening;
  }

  async function again(): Promise<Holder> {
    try {
      const next = await startHolder(setting, curve);
      if (!sameBytes(next.publicKey, publicKey)) {
        await next.end();
        throw new BackendFault("wrong", "the token now has another key of that name");
      }
      if (stopped) await next.end();
      holder = next;
      return next;
    } catch (error) {
      throw noted(error);
    }
  }

  function noted(error: unknown): unknown {
    if (error instanceof BackendFault && error.kind === "pin") locked = error;
    return error;
  }

  return {
    publicKey,
    warning: extractable ? EXTRACTABLE : null,
    get pid() {
      return holder.isAlive() ? holder.pid : null;
    },
    async sign(input) {
      const open = reopened();
      open.catch(() => {});
      const ready = await withinTime(open, timeoutMs, () => null);
      if (ready === null) throw tooSlow(timeoutMs);
      try {
        return assertSignature(await ready.sign(input, timeoutMs));
      } catch (error) {
        throw noted(error);
      }
    },
    async stop() {
      stopped = true;
      await opening?.catch(() => {});
      await holder.end();
    },
  };
}

/** @throws BackendFault */
async function startHolder(setting: Pkcs11Setting, curve: Curve): Promise<Holder> {
  const child = fork(CHILD, [], { execArgv: [], stdio: ["ignore", "ignore", "ignore", "ipc"] });
  // Its channel holds the program open instead, while something is waited for.
  child.unref();
  // Told of by who waits for its first word.
  child.on("error", () => {});
  const { backend: _, pin, ...named } = setting;
  const opened = firstWord(child);
  send(child, { ask: "open", setting: { ...named, pin: pin.reveal(), curve } });
  try {
    const told = await withinTime(opened, OPEN_MS, () => null);
    if (told === null) throw tooSlow(OPEN_MS);
    if (told.tell === "closed") throw new BackendFault(told.fault.kind, told.fault.message);
    if (told.tell !== "open")
      throw new BackendFault("refused", "the process that holds the token lost its way");
    const publicKey = assertPublicKey(bytes(told.publicKey), curve);
    return holderOf(child, { publicKey, extractable: told.extractable });
  } catch (error) {
    await ended(child, "SIGKILL");
    throw error;
  }
}

/** Resolves when the process is over; it is killed where it does not end by itself. */
async function ended(child: ChildProcess, signal?: "SIGKILL"): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const exit = once(child, "exit");
  if (signal !== undefined) child.kill(signal);
  else if (child.connected) child.disconnect();
  if ((await withinTime(exit, END_MS, () => null)) !== null) return;
  child.kill("SIGKILL");
  await exit;
}

async function firstWord(child: ChildProcess): Promise<Told> {
  const ending = new AbortController();
  const { signal } = ending;
  try {
    return await Promise.race([
      once(child, "message", { signal }).then(([message]) => Told.parse(message)),
      once(child, "exit", { signal }).then(() => {
        throw new BackendFault("refused", "the process that opens the token ended");
      }),
    ]);
  } finally {
    ending.abort();
  }
}

const send = (child: ChildProcess, asked: Asked): void => {
  // The exit event reports a process that just ended.
  if (child.connected) child.send(asked, () => {});
};

function holderOf(child: ChildProcess, key: Pick<Holder, "publicKey" | "extractable">): Holder {
  const waiting = new Map<number, Waiting>();
  let asked = 0;
  let answered = 0;
  let alive = true;

  function gone(): void {
    alive = false;
    for (const each of waiting.values())
      each.failed(new BackendFault("refused", "the process that holds the token ended"));
    waiting.clear();
  }
  /** With nobody waiting for it the process keeps no program from ending. */
  function forget(id: number): void {
    waiting.delete(id);
    if (waiting.size === 0) child.channel?.unref();
  }
  child.on("exit", gone);
  child.on("disconnect", () => {
    alive = false;
  });
  child.channel?.unref();
  child.on("message", (message) => {
    const { data: told } = Told.safeParse(message);
    if (told?.tell !== "signed" && told?.tell !== "failed") return;
    answered++;
    const each = waiting.get(told.id);
    forget(told.id);
    if (told.tell === "signed") each?.done(bytes(told.signature));
    else each?.failed(new BackendFault(told.fault.kind, told.fault.message));
  });

  return {
    ...key,
    pid: child.pid ?? null,
    isAlive: () => alive,
    async sign(input, timeoutMs) {
      const id = asked++;
      const before = answered;
      const answer = new Promise<Uint8Array>((done, failed) => waiting.set(id, { done, failed }));
      child.channel?.ref();
      send(child, { ask: "sign", id, input: hex(input) });
      if (!alive) gone();
      const signature = await withinTime(answer, timeoutMs, () => null);
      if (signature !== null) return signature;
      forget(id);
      // Nothing came in all that time: it hangs, and with it all who wait.
      if (answered === before && alive) {
        alive = false;
        child.kill("SIGKILL");
      }
      throw tooSlow(timeoutMs);
    },
    async end() {
      alive = false;
      await ended(child);
    },
  };
}

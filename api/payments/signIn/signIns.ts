/**
 * Read this first: payers return with a signature of the same wallet (x402 extension `sign-in-with-x`).
 *
 * - `declare.ts`: what a wallet must sign
 * - `message.ts`: what came back: for this service, this resource, this purpose, now
 * - `bought.ts`: which jobs that payer's settled payments have bought; each signature once
 *
 * A sign-in opens only what its payer has bought, and is used up by opening something.
 */
import { hashMessage } from "ethers";
import type { Database } from "../../../database/open.ts";
import { Problem } from "../../http/problems.ts";
import { findPurchase } from "../bodyPurchases.ts";
import type { ChainReader } from "../chainReader.ts";
import type { StoredPayment } from "../rows.ts";
import type { Payer } from "../signature.ts";
import { type After, findBought, listBought, useOnce } from "./bought.ts";
import { type DeclareDeps, declareSignIn, signInRequired } from "./declare.ts";
import { readSignIn, type SignInMessage } from "./message.ts";
import { invalidSignIn, type SignInRefusal, SignInRefused } from "./refusals.ts";

export interface SignInDeps extends DeclareDeps {
  readonly db: Database;
  /** As of payments; each of `networks` has one. */
  readonly readerOf: (network: string) => Pick<ChainReader, "signerKindOf"> | null;
  /** Told how each sign-in ended. */
  readonly onSignIn?: (outcome: SignInOutcome) => void;
}

/** `opened`; `nothing_bought`: rightly signed by somebody who bought nothing of it; or why it is not taken. */
export type SignInOutcome = "opened" | "nothing_bought" | SignInRefusal;

export type SignIns = ReturnType<typeof createSignIns>;

interface SignedIn {
  readonly message: SignInMessage;
  readonly payer: Payer;
}

/** @throws SignInRefused */
async function signedIn(deps: SignInDeps, header: string, path: string): Promise<SignedIn> {
  const message = await readSignIn(header, {
    publicUrl: deps.publicUrl(),
    path,
    networks: deps.networks,
    now: deps.clock(),
  });
  const { address, network, text, signature } = message;
  const signed = { address, digest: hashMessage(text), signature };
  const signedBy = (await deps.readerOf(network)?.signerKindOf(signed)) ?? null;
  if (signedBy === null) throw new SignInRefused("wrong_signature");
  return { message, payer: { address, network, signedBy } };
}

/** Looks for what was bought, and uses the sign-in up where there is something. @throws SignInRefused */
async function opened<T>(
  deps: SignInDeps,
  header: string,
  path: string,
  look: (payer: Payer) => Promise<T>,
): Promise<T> {
  const tell = (outcome: SignInOutcome) => deps.onSignIn?.(outcome);
  try {
    const { message, payer } = await signedIn(deps, header, path);
    const found = await look(payer);
    if (found === null || (Array.isArray(found) && found.length === 0)) {
      tell("nothing_bought");
      return found;
    }
    await useOnce(deps.db, message);
    tell("opened");
    return found;
  } catch (error) {
    if (error instanceof SignInRefused) tell(error.refusal);
    throw error;
  }
}

/** @throws Problem `sign_in_required` without a header, `invalid_sign_in`, and what `work` throws */
async function orProblem<T>(
  deps: SignInDeps,
  header: string | undefined,
  path: string,
  work: (header: string) => Promise<T>,
): Promise<T> {
  if (header === undefined)
    throw signInRequired(deps, path, "What one wallet has bought here, for that wallet");
  return work(header).catch((error: unknown) => {
    throw error instanceof SignInRefused ? invalidSignIn(error) : error;
  });
}

/** What the payer bought of a body a moment ago; null: nothing, or nothing that this signature opens. */
async function boughtBody(
  { db, clock }: SignInDeps,
  payer: Payer,
  intentHash: string,
): Promise<StoredPayment | null> {
  const asked = { payer, intentHash, identifier: null };
  const found = await findPurchase(db, asked, Math.floor(clock() / 1_000));
  return found?.state === "settled" ? found : null;
}

/**
 * `given` and `header` are what came as SIGN-IN-WITH-X, `path` that of the request. Every function throws
 * UpstreamUnavailable when it may be a contract wallet's signature and its chain cannot be asked, and DatabaseUnavailable.
 */
export function createSignIns(deps: SignInDeps) {
  return {
    /** What a challenge for a path declares. */
    declared: (path: string): Record<string, unknown> => declareSignIn(deps, path),
    /**
     * A job that the wallet has paid for.
     * @throws Problem `sign_in_required` without a header, `invalid_sign_in`, `not_found` for every other job
     */
    open: (given: string | undefined, path: string, jobId: string) =>
      orProblem(deps, given, path, async (header) => {
        const payment = await opened(deps, header, path, (payer) => findBought(deps.db, payer, jobId));
        if (payment === null) throw new Problem("not_found", "This wallet has paid for no such job.");
        return payment;
      }),
    /**
     * What the wallet has bought, the latest first; one more than `limit` where there is more.
     * @throws Problem `sign_in_required` without a header, `invalid_sign_in`
     */
    list: (given: string | undefined, path: string, after: After, limit: number) =>
      orProblem(deps, given, path, (header) =>
        opened(deps, header, path, (payer) => listBought(deps.db, payer, after, limit)),
      ),
    /**
     * The purchase of the same body that would answer for another payment of the wallet's at the moment.
     * @returns null: none, so it is to be paid for; why the sign-in is not taken
     */
    async boughtBody(
      header: string,
      path: string,
      intentHash: string,
    ): Promise<StoredPayment | SignInRefusal | null> {
      try {
        return await opened(deps, header, path, (payer) => boughtBody(deps, payer, intentHash));
      } catch (error) {
        if (error instanceof SignInRefused) return error.refusal;
        throw error;
      }
    },
  };
}

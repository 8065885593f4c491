/**
 * A route in one piece: what it takes, what it answers, the words for both, and the function between. Validation, the
 * wiring into Express (`express.ts`), the OpenAPI document (`docs/openapi.ts`) and /llms.txt all follow from it.
 */
import type { z } from "zod";
import type { ProblemCode } from "./problems.ts";

export type Caller =
  | { readonly kind: "key"; readonly keyId: string; readonly limitPerMinute: number }
  | ({ readonly kind: "jobToken" } & OpenedByToken)
  | { readonly kind: "public" };

/** What a token opens. */
export interface OpenedByToken {
  readonly jobId: string;
  /** A sign token opens this prepared version of the job and nothing else of it. */
  readonly version?: number;
  /** The version can no longer be executed: the token only follows a transaction that was sent before. */
  readonly isOver?: boolean;
}

export interface Reply {
  readonly status: number;
  /** Becomes JSON; bytes go out as they are (set `Content-Type`); undefined: no body. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Told when the whole answer was handed to the client's connection. */
  readonly onSent?: () => void;
}

/** One request, parsed. */
export interface Call<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly caller: Caller;
  /** The client's address, behind trusted proxies the one that they saw. */
  readonly address: string;
  readonly requestId: string;
  /** By lower-case name; a header sent several times is joined as HTTP says. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** @returns what is aborted when the client has left before its answer */
  readonly gone: () => AbortSignal;
}

export interface AnswerDoc {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** `application/json` by default; several where what is asked for decides. */
  readonly contentType?: string | readonly string[];
  /** Other forms of it, by content type. */
  readonly also?: Readonly<Record<string, z.ZodType>>;
  readonly headers?: Readonly<Record<string, { readonly description: string }>>;
}

interface AddressLimit {
  readonly bucket: string;
  readonly perMinute?: number;
  readonly times?: number;
}

/** For texts, files of pages and other cheap public content. */
export const TEXTS: AddressLimit = { bucket: "texts", times: 15 };

/** @template S what its handler works on */
export interface RouteSpec<S, P, Q, B> {
  /** `get` where a route says nothing. */
  readonly method: "get" | "post";
  /** Express form: `/v1/jobs/:id`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  /**
   * `keyOrJobToken` also accepts a job token, `keyOrAnyToken` a prepared version's sign token too. The route itself
   * compares the token's job and version with the requested ones.
   */
  readonly auth: "key" | "keyOrJobToken" | "keyOrAnyToken" | "public";
  /**
   * For answers that are cached for a while anyway: a key that was recognized within the last second is not looked up
   * again. Its revocation may be that much late; everywhere else it counts with the next request.
   */
  readonly recentKeyWillDo?: true;
  /**
   * Public routes alone: requests a minute per address, counted together with routes of the same bucket. So
   * many, or so many times the service's setting; `TEXTS` where nothing is said. `none` is for probes.
   */
  readonly addressLimit?: AddressLimit | "none";
  /** Path parameters that do not fit name nothing that exists: 404. */
  readonly params?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  /** The query's schema accepts any input: the document then has no `invalid_request` of it. */
  readonly lenientQuery?: true;
  readonly body?: z.ZodType<B>;
  /**
   * `required` (default): no body is 400. `optional`: no body is validated as `{}`.
   * `unvalidated`: `body` is for the document alone; the handler receives the parsed JSON as `unknown`,
   * `undefined` when there was no body. Malformed JSON is 400 in all three.
   */
  readonly bodyMode?: "required" | "optional" | "unvalidated";
  /** In the paid phase it asks for payment, and takes it in the header PAYMENT-SIGNATURE. */
  readonly takesPayment?: true;
  /** Answers that are no problems, by status. */
  readonly responses: Readonly<Record<number, AnswerDoc>>;
  /**
   * Problems of the route's own. Those of authentication, limits, body reading and `internal` need no
   * mention: the document adds them where they apply. None where a route says nothing.
   */
  readonly errors: readonly ProblemCode[];
  handle(call: Call<P, Q, B>, service: S): Promise<Reply>;
}

/** A route whose types have done their work. */
export type Route<S = unknown> = RouteSpec<S, unknown, unknown, unknown>;

type Nothing = Record<string, never>;
type Common = "method" | "errors";
type Given<S, P, Q, B> = Omit<RouteSpec<S, P, Q, B>, Common> & Partial<Pick<RouteSpec<S, P, Q, B>, Common>>;

/**
 * @returns ties the types of a route's schemas to those of its handler. Without a schema, `params` and `query` are empty; a
 *   route that looks at its body itself (`bodyMode: "unvalidated"`) names its type `unknown`
 */
export const routesOf =
  <S>() =>
  <P = Nothing, Q = Nothing, B = undefined>(spec: Given<S, P, Q, B>): Route<S> =>
    // Sound, since express.ts hands over only what the schemas of this very spec have parsed.
    ({ method: "get", errors: [], ...spec }) as unknown as Route<S>;

/** For a route whose handler needs nothing beside its input. */
export const defineRoute = routesOf<unknown>();

/** From the headers of a request to its caller. @throws Problem where nobody is let in with them */
export type Authenticate = (
  auth: Route["auth"],
  headers: Call<unknown, unknown, unknown>["headers"],
  /** Whose attempts with keys and job tokens are counted. */
  address: string,
  /** Whether to skip the lookup of a key that was recognized within the last second. */
  recentKeyWillDo?: boolean,
) => Promise<Caller>;

/** One prepared trade that a link names: from the link to what the reader's wallet may be asked for. */
import * as z from "zod";
import { hashIntent, VerificationCertificate } from "../../attestor/certificate/certificate.ts";
import { executeCallData } from "../../attestor/certificate/guardCall.ts";
import { allowanceOf, isNonceUsed, isPaused, signerOf } from "../../attestor/evm/reads.ts";
import { TradeIntent } from "../../attestor/intent.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import { Address } from "../../attestor/values/primitives.ts";
import { parseDocument } from "../../attestor/verify/document.ts";
import type { ReportView } from "../../attestor/view/reportView.ts";
import { after, send } from "../browser.ts";
import type { Judge } from "../report/judge.ts";
import { SignFault } from "./faults.ts";
import { accountOf, checkPlace, read, type Wallet } from "./wallet.ts";

export interface TradeLink {
  readonly token: string;
  readonly jobId: string;
  readonly version: number;
  readonly chainId: number;
  readonly guard: string;
}

const LINK =
  /^#trade=(st_[A-Za-z0-9_-]{43}):([A-Za-z0-9_-]{1,64}):([1-9][0-9]{0,8}):([1-9][0-9]{0,14}):(0x[0-9a-fA-F]{40})$/;

/** @param hash the fragment of the page's address; null: it names no trade */
export function linkIn(hash: string): TradeLink | null {
  const decoded = orElse(() => decodeURIComponent(hash), "");
  const [, token = "", jobId = "", version, chainId, address] = LINK.exec(decoded) ?? [];
  const guard = Address.safeParse(address).data;
  if (guard === undefined) return null;
  return { token, jobId, version: Number(version), chainId: Number(chainId), guard };
}

const bearer = ({ token }: TradeLink) => ({
  accept: "application/json",
  authorization: `Bearer ${token}`,
});

/** The document as the service has it. @throws SignFault */
export async function fetchTrade(link: TradeLink): Promise<string> {
  const path = `/v1/jobs/${link.jobId}/report?version=${link.version}`;
  const answer = await send(path, { method: "GET", headers: bearer(link) }).catch(() => null);
  if (answer?.status === 200) return answer.text;
  if (answer?.status === 410) throw new SignFault("tradeOver");
  if (answer !== null && [401, 403, 404].includes(answer.status)) throw new SignFault("linkUnknown");
  throw new SignFault("serviceAway");
}

const HexData = z.string().regex(/^0x([0-9a-fA-F]{2})*$/);
const Signed = z.object({
  execution: z.object({
    tradeIntent: z.object({ message: TradeIntent }),
    certificate: z.object({ message: VerificationCertificate, signature: HexData }),
    guardCall: z.object({ args: z.object({ routeCallData: HexData }) }),
  }),
});

/** What calls are made of. */
export interface SignedTrade {
  readonly intent: TradeIntent;
  readonly certificate: VerificationCertificate;
  readonly signature: string;
  readonly routeCallData: string;
  /** Unix seconds until which the guard takes it. */
  readonly endsAt: number;
}

/** null: the document has nothing to sign. Nothing of it counts before the judge has spoken. */
function signedIn(text: string): SignedTrade | null {
  const { data } = Signed.safeParse(orElse(() => parseDocument(text), null));
  if (data === undefined) return null;
  const { tradeIntent, certificate, guardCall } = data.execution;
  return {
    intent: tradeIntent.message,
    certificate: certificate.message,
    signature: certificate.signature,
    routeCallData: guardCall.args.routeCallData,
    endsAt: Math.min(Number(tradeIntent.message.deadline), Number(certificate.message.expiresAt)),
  };
}

export interface Ruling {
  readonly view: ReportView;
  readonly signed: SignedTrade | null;
  /** By which it was judged; null: no wallet has told the guard's signer yet. */
  readonly signer: string | null;
  /** The wallet may be asked for this trade, and by nothing else is it ever asked. */
  readonly mayBeSigned: boolean;
}

/**
 * Judged by the link's guard, and by the signer that this guard names on the wallet's chain: nothing is the service's word.
 * @returns null: a newer question came
 * @throws SignFault `notJudged`
 */
export async function rulingOn(
  judge: Judge,
  text: string,
  link: TradeLink,
  signer: string | null,
): Promise<Ruling | null> {
  const reader = { guard: `${link.chainId}:${link.guard}`, signer: signer ?? undefined };
  const nothing = { known: [], servicePolicies: [], serviceRegistry: null, serviceSamples: null };
  const answer = await judge.ask({ input: text, reader, ...nothing });
  if (answer === null) return null;
  if (answer.kind !== "judged") throw new SignFault("notJudged");
  const { view } = answer;
  const signed = signedIn(text);
  const { judged } = view;
  const mayBeSigned =
    signer !== null &&
    view.verdict === "VALID" &&
    judged?.decision === "ALLOW" &&
    judged.jobId === link.jobId &&
    judged.version === link.version &&
    signed !== null &&
    // What calls are made of is what was judged.
    judged.event.intentHash === hashIntent(signed.intent);
  return { view, signed, signer, mayBeSigned };
}

/** A wallet, the account that the reader chose in it, and the signer that the guard names on its chain. */
export interface Signer {
  readonly wallet: Wallet;
  readonly account: string;
  readonly signer: string;
}

/** @returns the guard's signer @throws SignFault */
async function guardSigner(wallet: Wallet, { chainId, guard }: TradeLink): Promise<string> {
  await checkPlace(wallet, chainId, guard);
  if (await read(wallet, isPaused(guard))) throw new SignFault("paused");
  return read(wallet, signerOf(guard));
}

/** @param owner whose account is taken where the wallet offers it @throws SignFault */
export async function connectFor(wallet: Wallet, link: TradeLink, owner?: string): Promise<Signer> {
  const signer = await guardSigner(wallet, link);
  return { wallet, signer, account: await accountOf(wallet, owner) };
}

/** Whether chain and guard are still what the trade was judged by. @throws SignFault */
export async function checkGuard({ wallet, signer }: Signer, link: TradeLink): Promise<void> {
  if ((await guardSigner(wallet, link)) !== signer) throw new SignFault("otherSigner");
}

/** @returns raw units that the guard may take of the input token @throws SignFault for a trade that was carried out */
export async function allowanceNow({ wallet }: Signer, { guard }: TradeLink, { intent }: SignedTrade) {
  if (await read(wallet, isNonceUsed(guard, intent.owner, intent.nonce))) throw new SignFault("nonceUsed");
  return read(wallet, allowanceOf(intent.inputToken, intent.owner, guard));
}

export function executeCall({ guard }: TradeLink, { signature, ...trade }: SignedTrade) {
  const args = { ...trade, certificateSignature: signature, ownerSignature: "0x" };
  return { to: guard, data: executeCallData(args) };
}

const Followed = z.object({ state: z.enum(["submitted", "confirmed", "reverted", "mismatched", "dropped"]) });
export type TradeState = z.infer<typeof Followed>["state"] | "unknown";

const POLL_MS = 3_000;
const MOST_POLLS = 300;

/** Tells the service of the transaction, and the reader what the service says of it, until that is final. */
export async function follow(
  link: TradeLink,
  transactionHash: string,
  onState: (state: TradeState) => void,
): Promise<void> {
  const headers = { ...bearer(link), "content-type": "application/json" };
  const body = JSON.stringify({ transactionHash });
  const path = `/v1/jobs/${link.jobId}/submissions`;
  for (let poll = 0; poll < MOST_POLLS; poll++) {
    const answer = await send(path, { method: "POST", headers, body }).catch(() => null);
    const { data } = Followed.safeParse(orElse(() => JSON.parse(answer?.text ?? ""), null));
    onState(data?.state ?? "unknown");
    if (data !== undefined && data.state !== "submitted") return;
    await new Promise<void>((resolve) => after(POLL_MS, resolve));
  }
}

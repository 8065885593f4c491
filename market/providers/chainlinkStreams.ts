/**
 * Chainlink Data Streams: reports of a stock's price and its market's session, each signed by a quorum of oracles. What a
 * report says, and whether its signatures hold, is read by `attestor/publishers/`.
 */
import { createHash, createHmac } from "node:crypto";
import { z } from "zod";
import { fromHex, toHex } from "../../attestor/evm/hash.ts";
import { parseFullReport } from "../../attestor/publishers/chainlink/fullReport.ts";
import type { SignedReport } from "../statement.ts";
import { ProviderFault } from "./fault.ts";
import { KEY_AND_SECRET, keyAndSecret, provider, SECOND_MS } from "./provider.ts";

const NAME = "chainlink-streams";

const FeedId = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .toLowerCase();
const FullReport = z
  .string()
  .max(20_000)
  .regex(/^0x([0-9a-fA-F]{2})+$/)
  .toLowerCase();
const Feeds = z.looseObject({ feeds: z.array(z.looseObject({ feedID: FeedId })) });
/** The envelope's times are left alone: those that count are signed, inside the report. */
const latestOf = (feedId: string) =>
  z.looseObject({
    report: z.looseObject({
      feedID: FeedId.refine((id) => id === feedId),
      fullReport: FullReport.refine((report) => feedIn(report) === feedId),
    }),
  });

export const CHAINLINK_STREAMS = provider({
  name: NAME,
  setting: "CHAINLINK_STREAMS",
  baseUrl: "https://api.dataengine.chain.link",
  // Of each endpoint.
  rate: { requests: 10, perMs: SECOND_MS, collectors: 0 },
  key: {
    required: true,
    lack: "no reference price is signed together with its market's session",
    form: KEY_AND_SECRET,
  },
  keyHeaders: (key) => ({ authorization: keyAndSecret(key)[0] }),
  sign(keys) {
    const [key, secret] = keyAndSecret(keys);
    return ({ method, path, body, atMs }) => {
      const bodyHash = createHash("sha256").update(body).digest("hex");
      const signed = `${method} ${path} ${bodyHash} ${key} ${atMs}`;
      return {
        "x-authorization-timestamp": String(atMs),
        "x-authorization-signature-sha256": createHmac("sha256", secret).update(signed).digest("hex"),
      };
    };
  },
  open: (http) => ({
    /**
     * The newest report of a stream, not verified here: 0x and lower-case hexadecimal of context, signed blob and signatures,
     * as their verifier on chain takes them. A stream that is unknown, or not in the key's subscription, is a fault
     * with status 401, as is a wrong signature.
     * @param feedId 0x and 64 hexadecimal digits
     * @throws ProviderFault
     */
    async latest(feedId: string): Promise<SignedReport> {
      const asked = feedId.toLowerCase();
      const path = `/api/v1/reports/latest?feedID=${asked}`;
      const { data, rawHash } = await http.getJson(path, latestOf(asked));
      const stated = { subject: asked, source: NAME, origin: NAME, at: null, rawHash };
      return { ...stated, of: "report", figure: data.report.fullReport };
    },
    /** Ids of the streams that the key may read. @throws ProviderFault */
    async feedIds(): Promise<readonly string[]> {
      const { data } = await http.getJson("/api/v1/feeds", Feeds);
      return data.feeds.map(({ feedID }) => feedID);
    },
  }),
  async tryOut(api) {
    if ((await api.feedIds()).length === 0) throw new ProviderFault(NAME, "status", { status: 401 });
  },
});

/** The stream that the signed blob names; null where the bytes are no report. */
function feedIn(fullReport: string): string | null {
  try {
    return toHex(parseFullReport(fromHex(fullReport)).blob.subarray(0, 32));
  } catch {
    return null;
  }
}

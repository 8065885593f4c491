/** The decision log's settings: its name, its key, where it keeps its last word, and who witnesses it. */
import { z } from "zod";
import { LogError } from "../../attestor/log/logError.ts";
import { isKeyName, parseVkey, type VerifierKey } from "../../attestor/log/note.ts";

export interface WitnessSetting {
  readonly key: VerifierKey;
  /** Where it takes checkpoints, without a slash at its end. */
  readonly url: string;
}

/** Where there is neither a name nor a public URL. */
export const LOCAL_ORIGIN = "assay.localhost/log";

/** `<vkey> <url>`, several with commas between. */
export const WitnessList = z.string().transform((text, context): WitnessSetting[] =>
  text.split(",").flatMap((pair) => {
    const [vkey = "", url = "", ...more] = pair.trim().split(/\s+/);
    const fault = (message: string) => {
      context.addIssue({ code: "custom", message });
      return [];
    };
    if (more.length > 0 || !/^https?:\/\//i.test(url) || !URL.canParse(url))
      return fault("must be <vkey> <url>, several separated by commas");
    try {
      const key = parseVkey(vkey);
      return key.kind === 4
        ? [{ key, url: url.replace(/\/+$/, "") }]
        : fault("must name keys of witnesses (of kind 4)");
    } catch (error) {
      return fault(error instanceof LogError ? error.message : "must name keys of witnesses");
    }
  }),
);

export const OriginSetting = z
  .string()
  .refine(
    (text) => isKeyName(text) && !/^https?:|\/$/i.test(text),
    "must be a name such as assay.example.com/log: no scheme, no spaces, no +, no slash at its end",
  );

/** The URL of the log without its scheme. */
export function originOf(publicUrl: string): string {
  return `${publicUrl.replace(/^https?:\/\//i, "")}/log`;
}

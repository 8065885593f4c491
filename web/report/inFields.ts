/** The method's sentences name the options of `assay verify`; a page has fields in their place. */
import type { ReaderTexts } from "../../attestor/verify/reader.ts";
import words from "../words/report.json" with { type: "json" };

const OPTIONS = "guard|signer|log-key|witness|registry|policies|guardian-sets|samples|header";
const OPTION = new RegExp(
  `(\\bwith )?--(${OPTIONS})(?![\\w-])(?: <chainId>:<address>| CHAIN:0x…| 0x…| FILE| KEY)?`,
  "g",
);
/** No page asks a node, or the service of another page. */
const COMMAND = /(?<!assay verify )--(rpc|service)(?: URL)?/g;
const ANY = new RegExp(`(?<!assay verify )--(?:${OPTIONS}|rpc|service)(?![\\w-])`, "g");

/** @param sentence of a step, or the verdict's */
export function inFields(sentence: string): string {
  const fields: Readonly<Record<keyof ReaderTexts, string>> = words.fields;
  return sentence
    .replace(OPTION, (_, preposition: string | undefined, option: string) => {
      const field = option.replace(/-(.)/, (_, letter: string) => letter.toUpperCase());
      const label = fields[field as keyof ReaderTexts];
      return `${preposition === undefined ? "" : "in "}the field “${label}”`;
    })
    .replace(COMMAND, "assay verify $&");
}

/** For a page without those fields. @param sentence as above */
export const inCommand = (sentence: string): string => sentence.replace(ANY, "assay verify $&");

/** What a rule can check of English: the length of sentences, words that no one writes, one spelling each. */
import STYLE from "../docs/style.json" with { type: "json" };

const MOST_WORDS = 30;

/** A code span, a link's address and a number are no prose; each span counts as one word. */
export const plain = (text: string) =>
  text
    .replace(/`[^`]*`/g, "CODE")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}/g, "");

const sentencesOf = (block: string) => block.trim().split(/(?<=[.!?:])\s+(?=[A-Z(“"0-9])/);
const wordsIn = (sentence: string) =>
  sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/**
 * @param block plain text that no sentence reaches beyond
 * @returns what is wrong with it, each with the place
 */
export function faultsOf(block: string): string[] {
  const faults: string[] = [];
  for (const sentence of sentencesOf(block)) {
    const words = wordsIn(sentence);
    if (words > MOST_WORDS) faults.push(`${words} words: ${sentence}`);
    const opening = STYLE.openings.find((word) => sentence.startsWith(`${word} `));
    if (opening !== undefined && !sentence.endsWith("?")) faults.push(`begins with ${opening}: ${sentence}`);
  }
  for (const [pattern, instead] of Object.entries({ ...STYLE.banned, ...STYLE.spelling })) {
    const found = new RegExp(pattern, "i").exec(block);
    if (found !== null) faults.push(`"${found[0]}" (${instead}): ${block}`);
  }
  return faults;
}

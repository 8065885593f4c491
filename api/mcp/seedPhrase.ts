/** BIP-39 seed phrases, in every language that has a word list. */
import { wordlists } from "ethers";

/** Phrases have 12, 15, 18, 21 or 24 words: a shorter one than the first is none, a longer text may hold one. */
const FEWEST_WORDS = 12;
const WORDS_IN_LIST = 2_048;
const LETTERS = /[\p{L}\p{M}]+/gu;

let languages: readonly ReadonlySet<string>[] | undefined;

function wordSets(): readonly ReadonlySet<string>[] {
  languages ??= Object.values(wordlists).map(
    (list) => new Set(Array.from({ length: WORDS_IN_LIST }, (_, index) => normal(list.getWord(index)))),
  );
  return languages;
}

const normal = (text: string) => text.normalize("NFKD").toLowerCase();

/**
 * Whether twelve words of one list follow on each other, whatever stands between them (spaces, commas, numbers).
 * Chinese prose is not cut into characters: most of its characters are in the list.
 * The checksum is not asked for: a phrase with a slip in it is still a secret.
 */
export function seedPhraseIn(text: string): boolean {
  const words = normal(text).match(LETTERS) ?? [];
  if (words.length < FEWEST_WORDS) return false;
  return wordSets().some((set) => {
    let run = 0;
    for (const word of words) {
      run = set.has(word) ? run + 1 : 0;
      if (run >= FEWEST_WORDS) return true;
    }
    return false;
  });
}

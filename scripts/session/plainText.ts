/** Text for a terminal. */

/**
 * Names come from files and contracts that others wrote: what would move the cursor, clear the screen or turn the
 * direction of reading is shown as its code point. Line ends stay.
 */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    character === "\n"
      ? character
      : `<U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}>`,
  );
}

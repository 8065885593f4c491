/** US dollars as the islands print them. */

/** US dollars of a decimal text: `$1,234.50`. */
export function dollarText(text: string | null): string | null {
  const dollars = { style: "currency", currency: "USD", maximumFractionDigits: 4 } as const;
  return text === null ? null : new Intl.NumberFormat("en-US", dollars).format(Number(text));
}

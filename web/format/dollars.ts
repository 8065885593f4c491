/** US dollars as the islands print them. */

/** US dollars of a decimal text: `$1,234.50`. @param places at most so many behind the point */
export function dollarText(text: string | null, places = 4): string | null {
  const dollars = { style: "currency", currency: "USD", maximumFractionDigits: places } as const;
  return text === null ? null : new Intl.NumberFormat("en-US", dollars).format(Number(text));
}

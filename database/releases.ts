/** Which migration each release ended with. A release adds its line, once. */
export const RELEASES: readonly { readonly version: string; readonly migration: string }[] = [
  { version: "0.1.0", migration: "0019_refunds" },
];

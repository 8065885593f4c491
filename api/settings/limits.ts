/** What a setting or an admin may allow a caller at most. */

export const MAX_LIMIT_PER_MINUTE = 1_000_000;

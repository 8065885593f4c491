/** Moments by their unit, so that a name says what a number counts. */

/** Seconds since 1970-01-01T00:00:00Z, leap seconds not counted; whole ones. */
export type UnixSeconds = number;

/** Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted. */
export type UnixMs = number;

/** Moments by their unit, so that a name says what a number counts. */

/** How far two honest clocks may be apart. */
export const CLOCK_SKEW_SECONDS = 5;

/** Seconds since 1970-01-01T00:00:00Z, leap seconds not counted; whole ones. */
export type UnixSeconds = number;

/** Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted. */
export type UnixMs = number;

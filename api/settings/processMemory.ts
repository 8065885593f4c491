/**
 * How a process of the service starts so that it needs half the memory. V8 and the C library
 * read it before any code runs, so each start repeats it: package.json, Containerfile, systemd unit.
 */

/** New objects get 16 MB, not 128. The heap grows by 30 percent over what lives, not to several times. */
export const NODE_FLAGS = ["--max-semi-space-size=8", "--heap-growing-percent=30"] as const;

/** One arena of malloc for all threads, not one for each; large blocks go back to the system when they are freed. */
export const MALLOC_SETTINGS = { MALLOC_ARENA_MAX: "1", MALLOC_TRIM_THRESHOLD_: "131072" } as const;

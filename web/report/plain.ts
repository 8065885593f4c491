/**
 * To be imported before all else that uses zod: it then makes no code from text, which the pages' policy forbids. Nothing
 * would break, but the browser would note a violation of the policy each time.
 */
import * as z from "zod";

z.config({ jitless: true });

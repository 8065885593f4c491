/** The verifier as one file: it needs nothing but itself, and asks nobody. */
import { servesAsWorker, singleJudge } from "../report/singleJudge.ts";
import { startVerifier } from "./start.tsx";

if (!servesAsWorker()) startVerifier(singleJudge());

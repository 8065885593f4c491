/** The worker of the pages; its response forbids it all loading, so that a report in it can reach nobody. */
import { serveJudge } from "./judging.ts";

serveJudge(self);

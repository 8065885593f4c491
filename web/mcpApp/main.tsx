/** The report view of an MCP host: what a tool answered, judged again in the host's frame. */
import "../report/plain.ts";
import { servesAsWorker, singleJudge } from "../report/singleJudge.ts";
import { startApp } from "./start.tsx";

if (!servesAsWorker()) startApp(singleJudge());

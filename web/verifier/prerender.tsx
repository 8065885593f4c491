/** The verifier's page as it stands in its file before its script runs, or where none may. */
import { renderToString } from "preact-render-to-string";
import type { KnownText } from "../report/judging.ts";
import { VerifierPage } from "./Page.tsx";

export const prerender = (known: readonly KnownText[], version: string): string =>
  renderToString(<VerifierPage judge={null} known={known} save={() => {}} version={version} />);

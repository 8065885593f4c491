/** Lighthouse on a page of ours, in a browser that a test opened. */
import lighthouse from "lighthouse";
import { nonSimulatedSettingsOverrides as quiet } from "lighthouse/core/config/constants.js";
import { DESKTOP, PHONE } from "./browser.ts";

// Where nothing is throttled, Lighthouse would wait four times for five seconds of silence. A second is its usual.
for (const name of [
  "pauseAfterFcpMs",
  "pauseAfterLoadMs",
  "networkQuietThresholdMs",
  "cpuQuietThresholdMs",
] as const)
  quiet[name] = 1_000;

export const FORMS = ["desktop", "mobile"] as const;
/** The tests' service speaks HTTP: operators put TLS in front of it. */
const NEED_TLS = ["is-on-https", "redirects-http"];
/** robots.txt keeps crawlers from searches on purpose. */
const isMeant = (id: string, url: string) =>
  NEED_TLS.includes(id) || (id === "is-crawlable" && new URL(url).pathname === "/search");

/** What Lighthouse finds on a page: audits that fail, or whose work failed. @param port of the browser's protocol */
export async function lighthouseFaults(url: string, formFactor: (typeof FORMS)[number], port: number) {
  const isPhone = formFactor === "mobile";
  const result = await lighthouse(url, {
    port,
    formFactor,
    screenEmulation: {
      ...(isPhone ? PHONE : DESKTOP),
      mobile: isPhone,
      deviceScaleFactor: 1,
      disabled: false,
    },
    // How fast this machine is says nothing of a page.
    throttlingMethod: "provided",
    // Accessibility is axe's, which is asked of every page by itself.
    onlyCategories: ["best-practices", "seo"],
    onlyAudits: ["cumulative-layout-shift", "total-byte-weight", "render-blocking-insight"],
    disableFullPageScreenshot: true,
    logLevel: "silent",
  });
  if (result === undefined) throw new Error(`Lighthouse says nothing of ${url}`);
  return Object.values(result.lhr.audits)
    .filter(
      ({ id, score, scoreDisplayMode }) =>
        !isMeant(id, url) && (scoreDisplayMode === "error" || (score !== null && score < 1)),
    )
    .map(
      ({ id, title, displayValue = "", errorMessage = "", details }) =>
        `${url} ${formFactor}: ${id}, ${title} ${displayValue} ${errorMessage} ${JSON.stringify(details ?? null).slice(0, 600)}`,
    );
}

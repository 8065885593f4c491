/** `npm run dashboard`: writes the Grafana dashboard that follows from the list of metrics. */
import { writeFileSync } from "node:fs";
import { dashboardText } from "./dashboard/dashboard.ts";

export const DASHBOARD_FILE = new URL("../deploy/grafana/assay.dashboard.json", import.meta.url);

if (import.meta.main) writeFileSync(DASHBOARD_FILE, dashboardText());

/** The script of every page. */
import { showLocalTimes } from "../localTimes.ts";

showLocalTimes();

/** A token's page: its charts. */
import { Chart } from "../charts/Chart.tsx";
import { drawPlot } from "../charts/plot.ts";
import { bringToLife } from "../island.tsx";

bringToLife("token", Chart, { draw: drawPlot });

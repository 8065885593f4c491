/** /reports/<evidenceHash>: a published report, judged in the page. */
import { askText, saveFile } from "../browser.ts";
import { bringToLife } from "../island.tsx";
import { browserJudge } from "../report/browserJudge.ts";
import { Published } from "../report/Checked.tsx";

bringToLife("report", Published, { judge: browserJudge(), get: askText, save: saveFile });

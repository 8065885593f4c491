/** /sign: a trade by the reader's wallet. */
import "../report/plain.ts";
import { bringToLife } from "../island.tsx";
import { browserJudge } from "../report/browserJudge.ts";
import { SignPage } from "../sign/SignPage.tsx";

bringToLife("sign", SignPage, { openJudge: browserJudge, now: Date.now });

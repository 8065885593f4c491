/** /sign: a trade by the reader's wallet. */
import "../report/plain.ts";
import { bringToLife } from "../island.tsx";
import { SignPage } from "../pages/Sign.tsx";
import { browserJudge } from "../report/browserJudge.ts";

bringToLife("sign", SignPage, { openJudge: browserJudge, now: Date.now });

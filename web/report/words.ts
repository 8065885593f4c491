/** Words of the place where a report is given and judged, in both languages. */
import type { Language, Same } from "../../attestor/view/language.ts";

const EN = {
  checking: "Checking…",
  validByService:
    "Everything that could be checked here holds, if you take this service's own word for who it is.",
  trusting: "Trusting this service for",
  trusts: {
    guard: "its guard",
    keys: "its attestation key",
    logKeys: "the key of its decision log",
    registry: "the registry",
    policies: "the policy",
    samples: "the liquidity samples",
  },
  trustingHint:
    "These came from the service that this page came from. Who does not trust it turns this off and gives what they have from elsewhere.",
  offlineNote: "Offline: checked with what is in the file, in this program, and what you gave.",
  serviceSwitch: "Also ask this service for its guard, keys, registry and log key",
  serviceFailed: "This service did not answer, so nothing of it was used.",
  drop: "Drop a report here, or choose a file",
  dropHint:
    "A report, the answer of prepare-execution, or a job with its report. It is checked in this browser and sent nowhere.",
  choose: "Choose a file",
  paste: "…or paste its text",
  check: "Check",
  pasted: "Pasted text",
  another: "Another report",
  tooLong: "That text is longer than 4 MiB; a report has some kilobytes. It was not taken.",
  trust: "What you trust, and have from elsewhere",
  trustHint:
    "Without a reason to trust its issuer, a report is UNVERIFIABLE at best. Take none of these from the document itself.",
  fields: {
    guard: "The guard that you use",
    signer: "The attestation key that you trust",
    logKey: "Keys of the decision log, a line each",
    witness: "Witnesses that must have signed, a line each",
    registry: "Registry, or a deployment file with it",
    policies: "More policies",
    guardianSets: "More guardian sets of Pyth",
    samples: "The samples behind the liquidity grade",
    header: "The header of the evidence's block, as you have it from the chain",
  },
  fault: (field: string, why: string) => `${field}: ${why}.`,
  fileGiven: (name: string) => `given: ${name}`,
  remove: "remove",
  lost: {
    slow: "This took more than a minute and was ended. A report takes less than a second.",
    failed: "The check could not be carried out in this browser.",
  },
  fileFailed: "The file could not be read.",
  reportFailed: "The report could not be fetched from this service. Reload the page to try again.",
  noResult: "The host has not given a report yet.",
  verifierTitle: "Assay verifier",
  verifierLead:
    "This file checks reports by itself: it loads nothing, asks nobody, and works from your disk without a network.",
  languages: "Language",
  knows: "Guards that this file knows by itself",
  knowsNone: "This file knows no guard by itself: name the one that you use, or its key.",
} as const;

export type PlaceWords = Same<typeof EN>;

const ZH: PlaceWords = {
  checking: "正在检查…",
  validByService: "此处能检查的内容全部成立，前提是您相信本服务对自身的说明。",
  trusting: "信任本服务提供的",
  trusts: {
    guard: "守卫合约",
    keys: "证明密钥",
    logKeys: "决定日志的密钥",
    registry: "注册表",
    policies: "策略",
    samples: "流动性样本",
  },
  trustingHint: "这些内容来自提供本页的服务。若不信任它，请关闭此项并给出您从别处取得的内容。",
  offlineNote: "离线：仅用文件内容、本程序以及您给出的内容检查。",
  serviceSwitch: "同时向本服务询问其守卫合约、密钥、注册表与日志密钥",
  serviceFailed: "本服务没有应答，因此没有使用它的任何内容。",
  drop: "将报告拖放到此处，或选择文件",
  dropHint: "报告、prepare-execution 的应答，或带报告的任务。仅在此浏览器中检查，不会发送到任何地方。",
  choose: "选择文件",
  paste: "……或粘贴其文本",
  check: "检查",
  pasted: "粘贴的文本",
  another: "另一份报告",
  tooLong: "该文本超过 4 MiB；报告只有几千字节。未予采用。",
  trust: "您信任的、从别处取得的内容",
  trustHint: "没有理由信任签发者时，报告至多为 UNVERIFIABLE。请勿从文件本身取用这些内容。",
  fields: {
    guard: "您所用的守卫合约",
    signer: "您信任的证明密钥",
    logKey: "决定日志的密钥，每行一个",
    witness: "必须签名的见证人，每行一个",
    registry: "注册表，或含有它的部署文件",
    policies: "更多策略",
    guardianSets: "更多 Pyth 守护者集合",
    samples: "流动性等级背后的样本",
    header: "您从链上取得的证据区块头",
  },
  fault: (field, why) => `${field}：${why}。`,
  fileGiven: (name) => `已给出：${name}`,
  remove: "移除",
  lost: {
    slow: "用时超过一分钟，已终止。检查一份报告用不了一秒。",
    failed: "无法在此浏览器中进行检查。",
  },
  fileFailed: "无法读取该文件。",
  reportFailed: "无法从本服务取得报告。请重新加载页面再试。",
  noResult: "宿主程序尚未给出报告。",
  verifierTitle: "Assay 验证器",
  verifierLead: "本文件独立检查报告：不加载任何内容，不询问任何人，可从您的磁盘离线使用。",
  languages: "语言",
  knows: "本文件自带的守卫合约",
  knowsNone: "本文件不自带任何守卫合约：请指明您所用的守卫合约或其密钥。",
};

export const PLACE_WORDS: Readonly<Record<Language, PlaceWords>> = { en: EN, zh: ZH };

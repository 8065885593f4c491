/** Words of /verify and of /reports/<evidenceHash> beside those of a report itself. */
import { translated } from "./language.ts";

export const REPORT_PAGE_WORDS = translated(
  {
    title: "Report",
    verifyTitle: "Verify a report",
    verifyLead:
      "Give a report and see for yourself what holds: its hashes are computed and its evidence is judged again in this page, by the same program as the service's own.",
    checked: "Not checked yet",
    checkedHint: "This page judges the report again in your browser.",
    byScript:
      "Checking needs JavaScript. What follows is the report as this service stored it; nothing here has checked it.",
    elsewhere: "Without this page",
    file: "A program in one file, which checks reports offline from your disk:",
    hash: "SHA-256 of the file that this service gives:",
    noFile: "This service was started without that file.",
    command: "With the command line, which can also ask your own node:",
    document: "The report itself, as a file",
    missing: "No report is published under this hash",
    missingHint:
      "A report is published once the guard has executed its trade and the block is final. Other reports belong to those who asked for them; whoever has one can check it.",
    here: "Verify a report that you have",
    guard: "Guard",
    signer: "Attestation key",
    logKey: "Key of the decision log",
    serviceSays: "What this service says about itself",
    serviceHint:
      "Compare it with what you have from elsewhere: nobody should trust a service on its own word.",
  },
  {
    title: "报告",
    verifyTitle: "验证报告",
    verifyLead:
      "给出一份报告，亲自查看哪些内容成立：本页会计算其哈希并重新判定其证据，所用程序与服务本身相同。",
    checked: "尚未检查",
    checkedHint: "本页会在您的浏览器中重新判定该报告。",
    byScript: "检查需要 JavaScript。以下是本服务存储的报告，此处无人检查过。",
    elsewhere: "不使用本页",
    file: "单个文件的程序，可从您的磁盘离线检查报告：",
    hash: "本服务所提供文件的 SHA-256：",
    noFile: "本服务启动时没有该文件。",
    command: "使用命令行，还可询问您自己的节点：",
    document: "报告文件",
    missing: "此哈希下没有已公布的报告",
    missingHint: "守卫合约执行交易且区块最终确定后，报告才会公布。其他报告属于请求者：持有者可自行检查。",
    here: "验证您持有的报告",
    guard: "守卫合约",
    signer: "证明密钥",
    logKey: "决定日志的密钥",
    serviceSays: "本服务对自身的说明",
    serviceHint: "请与您从别处取得的内容核对：不应仅凭服务自己的话就信任它。",
  },
);

/** The words of /search. */
import { translated } from "./language.ts";

export const SEARCH_WORDS = translated(
  {
    title: "Search",
    lead: "A token by its symbol, its stock or its address; evidence, a registry, a policy or samples by their hash; a trade by its transaction.",
    several: (count: number) => `${count} tokens`,
    more: (count: string) => `and ${count} more: type more of the name`,
    evidence: "This transaction carried out several trades. Their evidence:",
    nothing: "Nothing public is known by this name or hash.",
    hashHelp:
      "Evidence is public once its trade was executed and the block is final. A report of your own can be judged on the Verify page, whether it is public or not.",
    addressHelp:
      "This service lists no token at that address. A symbol does not identify a token: compare addresses.",
    symbolHelp: "No listed token, stock or name contains it.",
    secret:
      "That is a secret and was not looked up. If it was in the address of this page, revoke it: browser history and logs may keep addresses.",
    jobTitle: "A job",
    job: "A job opens with its token (jt_…), which came with its report, or with the API key.",
    jobScript: "This needs JavaScript: without it, the token would end up in an address.",
    tooLong: "That is longer than anything that can be found here.",
  },
  {
    title: "搜索",
    lead: "按代码、股票或地址查找代币；按哈希查找证据、注册表、策略或样本；按交易哈希查找交易。",
    several: (count: number) => `${count} 个代币`,
    more: (count: string) => `另有 ${count} 个：请输入更完整的名称`,
    evidence: "此交易执行了多笔买卖，其证据：",
    nothing: "没有与此对应的公开内容。",
    hashHelp:
      "交易执行且区块最终确定后，证据才会公开。您自己持有的报告无论是否公开，都可在“验证”页重新评判。",
    addressHelp: "本服务未收录该地址的代币。代码不能证明代币的真伪：请核对地址。",
    symbolHelp: "没有代币、股票或名称包含此内容。",
    secret: "这是机密信息，未进行查找。地址与日志会留存它：若它曾出现在本页地址中，请将其作废。",
    jobTitle: "任务",
    job: "任务可用其令牌（jt_…，随报告提供）或 API 密钥打开。",
    jobScript: "此功能需要脚本：否则令牌会出现在地址中。",
    tooLong: "这里没有这么长的内容。",
  },
);

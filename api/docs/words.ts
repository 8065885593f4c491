/** The words of the reference page; what it describes is in the document's own language, English. */
import { translated } from "../pages/language.ts";

export const DOCS_WORDS = translated(
  {
    title: "API reference",
    version: "version",
    machine: "The machine-readable form of this page:",
    parts: "Parts of the API",
    schemas: "Schemas",
    parameters: "Parameters",
    body: "Body",
    answers: "Answers",
    example: "Example",
    english: "",
    tryAbout:
      "“Try it” sends a request from this page to this service. A key that you enter at the top of the page is sent in its header; the tab keeps it only in memory.",
  },
  {
    title: "接口参考",
    version: "版本",
    machine: "本页的机器可读形式：",
    parts: "接口各部分",
    schemas: "数据结构",
    parameters: "参数",
    body: "请求正文",
    answers: "响应",
    example: "示例",
    english: "以下参考内容为英文。",
    tryAbout:
      "“试一试”会从本页向本服务发送请求。在页面顶部输入的密钥会随请求头发送，且只保存在本标签页的内存中。",
  },
);

export type DocsWords = (typeof DOCS_WORDS)["en"];

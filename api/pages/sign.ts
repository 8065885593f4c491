/** /sign: single trades that the reader's own wallet signs. Which trade, the address says in its fragment alone. */
import type { Deployment } from "../../chain/deployment.ts";
import type { PageSpec } from "./page.ts";

export function signPage({
  guard,
  registry,
}: Pick<Deployment, "guard" | "registry">): PageSpec<unknown, unknown> {
  return {
    path: "/sign",
    name: "sign",
    key: () => "",
    content: async () => ({ page: { name: "sign", chainId: registry.chainId, guard } }),
  };
}

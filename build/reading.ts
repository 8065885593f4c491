import type { Plugin } from "vite";

/** Collects what the bundler reads. */
export function reading(modules: Set<string>): Plugin {
  return {
    name: "assay-modules",
    buildEnd() {
      for (const id of this.getModuleIds()) modules.add(id);
    },
  };
}

import type { Plugin } from "vite";

/** Collects what the bundler reads. */
export function reading(modules: Set<string>): Plugin {
  return {
    name: "assay-modules",
    enforce: "pre",
    load(id) {
      modules.add(id);
      return null;
    },
  };
}

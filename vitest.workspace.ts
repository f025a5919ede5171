import { existsSync, readdirSync } from "node:fs";
import { defineConfig } from "vitest/config";

declare module "vitest" {
  export interface ProvidedContext {
    /** Number of trials of a deep test: few in `pnpm test`, many in `pnpm test:all`. */
    trials: "few" | "many";
  }
}

const conditions = ["@troupe/source"];
const foreign = ["**/node_modules/**", "**/dist/**"];

/** Settings that all projects share: sources are tested as they are, without a build. */
function project(name: string, root: string, test: { include?: string[]; exclude?: string[] }) {
  return {
    extends: true as const,
    root,
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    test: {
      name,
      environment: "node" as const,
      // Files share their worker: our modules hold no state, and a test that changes a global restores it.
      isolate: false,
      // Long enough for a busy machine; a test that hangs is found all the same.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      provide: { trials: "few" as const },
      ...test,
    },
  };
}

const workspaces = ["packages", "apps", "internal"].flatMap((top) =>
  (existsSync(top) ? readdirSync(top) : [])
    .map((name) => `${top}/${name}`)
    .filter((folder) => existsSync(`${folder}/package.json`)),
);

/** Tests that need more than sources: servers, packed tarballs, keys, processes of their own, or a machine to themselves. */
const special = ["integration", "packed", "live", "processes", "timing"].map((kind) => `**/*.${kind}.test.ts`);

/** A project of all tests of one kind. */
function kindOf(kind: string, name = kind) {
  const include = [`{packages,apps,internal,tools,tests,bench}/**/*.${kind}.test.ts`];
  return project(name, ".", { include, exclude: foreign });
}

const [deep, timing, packed] = [kindOf("deep"), kindOf("timing"), kindOf("packed")];

/** The packages are built, packed and installed once; what is then measured has the machine to itself. */
const packedSettings = {
  globalSetup: "tests/packed/install-packages.ts",
  fileParallelism: false,
};

// File of a JSON report, beside the printed one.
const report = process.env["TROUPE_TEST_RESULTS"];

export default defineConfig({
  test: {
    // The default leaves a core free, which on a small machine is half of it.
    maxWorkers: "100%",
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
    projects: [
      ...workspaces.map((folder) => project(folder, folder, { exclude: [...foreign, ...special] })),
      project("house", ".", {
        include: ["{tools,tests,bench}/**/*.test.ts"],
        exclude: [...foreign, ...special],
      }),
      { ...deep, test: { ...deep.test, provide: { trials: "many" as const }, testTimeout: 600_000 } },
      kindOf("processes"),
      // Measurements run one at a time, when everything else is done.
      { ...timing, test: { ...timing.test, fileParallelism: false, sequence: { groupOrder: 1 } } },
      kindOf("live"),
      kindOf("integration", "services"),
      { ...packed, test: { ...packed.test, ...packedSettings } },
    ],
    coverage: { provider: "v8", include: ["packages/*/src/**"], reporter: ["text-summary", "json-summary"] },
  },
});

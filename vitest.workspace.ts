import { existsSync, readdirSync } from "node:fs";
import { defineConfig } from "vitest/config";

const conditions = ["@troupe/source"];
const everywhere = ["**/node_modules/**", "**/dist/**"];

/** What every project shares: sources are tested as they stand, without a build. */
function project(name: string, root: string, test: { include?: string[]; exclude?: string[] }) {
  return {
    extends: true as const,
    root,
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    // Files share their worker: our modules hold no state, and a test that changes what is global puts it back.
    // Long enough for a property test on a busy machine; what hangs is found all the same.
    test: { name, environment: "node" as const, isolate: false, testTimeout: 20_000, ...test },
  };
}

const workspaces = ["packages", "apps", "internal"].flatMap((top) =>
  (existsSync(top) ? readdirSync(top) : [])
    .map((name) => `${top}/${name}`)
    .filter((folder) => existsSync(`${folder}/package.json`)),
);

/** Tests that need more than sources: servers of their own, packed tarballs, a machine to themselves, much time, or keys. */
const special = ["integration", "packed", "timing", "deep", "live"].map((kind) => `**/*.${kind}.test.ts`);
const fromRoot = (kind: string) => [`{packages,apps,internal,tools,tests,bench}/**/*.${kind}.test.ts`];

const packed = project("packed", ".", { include: fromRoot("packed"), exclude: everywhere });

/** The packages are built, packed and installed once; what is then measured has the machine to itself. */
const packedSettings = {
  globalSetup: "tests/packed/install-packages.ts",
  fileParallelism: false,
  testTimeout: 60_000,
};

const timing = project("timing", ".", { include: fromRoot("timing"), exclude: everywhere });

// Names the file for a report that programs read, beside the one for people.
const report = process.env["TROUPE_TEST_RESULTS"];

export default defineConfig({
  test: {
    // The default leaves a core free, which on a small machine is half of it.
    maxWorkers: "100%",
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
    projects: [
      ...workspaces.map((folder) => project(folder, folder, { exclude: [...everywhere, ...special] })),
      project("house", ".", {
        include: ["{tools,tests,bench}/**/*.test.ts"],
        exclude: [...everywhere, ...special],
      }),
      project("deep", ".", { include: fromRoot("deep"), exclude: everywhere }),
      // Measurements run one at a time, when everything else is done.
      { ...timing, test: { ...timing.test, fileParallelism: false, sequence: { groupOrder: 1 } } },
      // Real vendors, for whoever has a key.
      project("live", ".", { include: fromRoot("live"), exclude: everywhere }),
      project("services", ".", { include: fromRoot("integration"), exclude: everywhere }),
      { ...packed, test: { ...packed.test, ...packedSettings } },
    ],
    coverage: { provider: "v8", include: ["packages/*/src/**"], reporter: ["text-summary", "json-summary"] },
  },
});

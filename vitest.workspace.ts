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
    test: { name, environment: "node" as const, ...test },
  };
}

const workspaces = ["packages", "apps", "internal"].flatMap((top) =>
  (existsSync(top) ? readdirSync(top) : [])
    .map((name) => `${top}/${name}`)
    .filter((folder) => existsSync(`${folder}/package.json`)),
);

/** Tests that need more than sources: servers of their own, packed tarballs, or a machine to themselves. */
const special = ["**/*.integration.test.ts", "**/*.packed.test.ts", "**/*.timing.test.ts"];
const fromRoot = (kind: string) => [`{packages,apps,internal,tools,tests,bench}/**/*.${kind}.test.ts`];

const timing = project("timing", ".", { include: fromRoot("timing"), exclude: everywhere });

export default defineConfig({
  test: {
    projects: [
      ...workspaces.map((folder) => project(folder, folder, { exclude: [...everywhere, ...special] })),
      project("house", ".", {
        include: ["{tools,tests,bench}/**/*.test.ts"],
        exclude: [...everywhere, ...special],
      }),
      // Measurements run one at a time, when everything else is done.
      { ...timing, test: { ...timing.test, fileParallelism: false, sequence: { groupOrder: 1 } } },
      project("services", ".", { include: fromRoot("integration"), exclude: everywhere }),
      project("packed", ".", { include: fromRoot("packed"), exclude: everywhere }),
    ],
    coverage: { provider: "v8", include: ["packages/*/src/**"], reporter: ["text-summary", "json-summary"] },
  },
});

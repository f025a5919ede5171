import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import type { UserWorkspaceConfig } from "vitest/config";
import type { HostName } from "@troupe-internal/web-servers";

declare module "vitest" {
  export interface ProvidedContext {
    /** Number of trials of a deep test: few in `pnpm test`, many in `pnpm test:all`. */
    trials: "few" | "many";
    /** Milliseconds after which a quick test counts as hanging. @default 20,000 */
    hangsAfterMs?: number;
    /** The server of a service under test of `@troupe/http`: Express 5, the bare web handler, that of `serve`, or another. */
    httpServer: HostName | "serve";
  }
}

const conditions = ["@troupe/source"];
// The tests of templates run in the projects that are made of them.
const foreign = ["**/node_modules/**", "**/dist/**", "packages/create-troupe/{templates,.cache}/**"];

const setup = (...files: readonly string[]) => files.map((file) => join(import.meta.dirname, "tests/setup", file));

type Settings = NonNullable<UserWorkspaceConfig["test"]>;

/** Settings that all projects share: sources are tested as they are, without a build. */
function project(name: string, root: string, settings: Settings) {
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
      setupFiles: setup("own-timers.ts", "globals.ts", "patience.ts", "names.ts", "grammars.ts"),
      // Long enough for a busy machine; a test that hangs is found all the same.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      expect: { poll: { timeout: 30_000 } },
      provide: { trials: "few" as const, httpServer: "node" as const },
      ...settings,
    },
  };
}

/** Tests that need more than sources: servers, packed tarballs, keys, processes of their own, a machine to themselves, or many seconds. */
const special = ["integration", "packed", "live", "processes", "slow", "timing"].map((kind) => `**/*.${kind}.test.ts`);

const everywhere = ["{packages,apps,internal,tools,tests}/**/*.test.ts"];

/** Settings of tests that take a moment each: one that does not end is named long before its timeout. */
const quick = {
  setupFiles: setup("own-timers.ts", "globals.ts", "patience.ts", "names.ts", "grammars.ts", "hangs.ts"),
};

/** A project of all tests of one kind, which may take their time. */
function kindOf(kind: string, settings: Settings = {}) {
  const include = [`{packages,apps,internal,tools,tests}/**/*.${kind}.test.ts`];
  return project(kind, ".", { include, exclude: foreign, testTimeout: 600_000, ...settings });
}

/** Returns the tests of a folder that serve by the helper of the HTTP tests: for others the server makes no difference. */
function filesThatServe(folder: string): string[] {
  return globSync(`${folder}/**/*.test.ts`, { cwd: import.meta.dirname }).filter((file) =>
    /test\/serve\.ts"/.test(readFileSync(join(import.meta.dirname, file), "utf8")),
  );
}

/** The servers of others that are served on by name alone. */
const foreignServers: readonly HostName[] = [
  "express-4",
  "connect",
  "fastify",
  "fastify-middie",
  "hono",
  "hono-node-server",
  "hono-app-node-server",
  "srvx",
];

// File of a JSON report, beside the printed one.
const report = process.env["TROUPE_TEST_RESULTS"];

export default defineConfig({
  test: {
    // One more than there are cores: a file waits now and then, and each worker loads all modules anew.
    maxWorkers: availableParallelism() + 1,
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
    projects: [
      // All packages in one project: its workers load core once, and not once for each package.
      project("quick", ".", {
        ...quick,
        include: everywhere,
        exclude: [...foreign, ...special],
      }),
      // The quick tests beside "deep", whose many trials are those of "quick" and more.
      project("shallow", ".", {
        ...quick,
        include: everywhere,
        exclude: [...foreign, ...special, "**/*.deep.test.ts"],
      }),
      // The tests of the HTTP services once more, with web-standard requests.
      project("fetch", ".", {
        ...quick,
        include: ["packages/{http,use-chat,openai-api}/src/**/*.test.ts"],
        // The transcripts have the headers of a connection, which only a server sends.
        exclude: [...foreign, ...special, "**/*.deep.test.ts", "packages/openai-api/src/transcripts.test.ts"],
        provide: { trials: "few", httpServer: "fetch" },
      }),
      // Those that serve, once more on Node's own server.
      project("serve", ".", {
        ...quick,
        include: filesThatServe("packages/http/src"),
        exclude: [...foreign, ...special, "**/*.deep.test.ts"],
        provide: { trials: "few", httpServer: "serve" },
      }),
      // Both once more on each server of others, which `pnpm test:servers` installs.
      ...foreignServers.map((httpServer) =>
        project(httpServer, ".", {
          ...quick,
          include: ["packages/{http,use-chat}/src/**/*.test.ts"],
          exclude: [...foreign, ...special, "**/*.deep.test.ts"],
          provide: { trials: "few", httpServer },
        }),
      ),
      kindOf("deep", { provide: { trials: "many", httpServer: "node" } }),
      kindOf("processes"),
      kindOf("slow"),
      // Measurements run one at a time, when everything else is done.
      kindOf("timing", { fileParallelism: false, sequence: { groupOrder: 1 } }),
      kindOf("live"),
      kindOf("integration", { name: "services" }),
      // The packages are built, packed and installed once.
      kindOf("packed", {
        globalSetup: "tests/packed/install-packages.ts",
        fileParallelism: false,
        sequence: { groupOrder: 2 },
      }),
    ],
    coverage: { provider: "v8", include: ["packages/*/src/**"], reporter: ["text-summary", "json-summary"] },
  },
});

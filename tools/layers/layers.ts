/**
 * The architecture as data. The import check is generated from it: `pnpm layers`.
 */

/** The architecture, part by part as described below. */
export interface Layers {
  readonly folderLayers: Readonly<Record<string, readonly (readonly string[])[]>>;
  readonly testKit: string;
  readonly coreEntryPoints: Readonly<Record<string, string>>;
  readonly packageEdges: Readonly<Record<string, readonly string[]>>;
  readonly internalUsers: Readonly<Record<string, readonly string[]>>;
  readonly testEntryPoints: { readonly names: readonly string[]; readonly users: readonly string[] };
  readonly sharedTestTools: readonly string[];
  readonly environmentReaders: readonly string[];
  readonly ownerModules: readonly string[];
}

/**
 * The folders of each package by layer, the lowest first, and for core the folders in each of its ten rooms. A folder imports
 * from layers below its own; folders on one layer do not know each other. A file beside the folders counts as a folder of its
 * name, or as one of `"."` if its name is not listed; entry points stand above all layers.
 */
export const folderLayers: Layers["folderLayers"] = {
  "packages/core/src": [
    ["base"],
    ["schema"],
    ["model"],
    ["provider", "sessions"],
    ["agents"],
    ["knowledge", "runs"],
    ["transport"],
    ["testing"],
  ],
  "packages/core/src/base": [["util"], ["errors", "message"], ["async", "events", "log"], ["retry"]],
  "packages/core/src/schema": [
    ["."],
    ["pattern"],
    ["check"],
    ["create-validator"],
    ["compile-schema"],
    ["parse-structured"],
  ],
  "packages/core/src/model": [["keys"], ["."]],
  "packages/core/src/provider": [["wire"], ["."]],
  "packages/core/src/sessions": [["storage"], ["history", "lock"], ["session"]],
  "packages/core/src/agents": [
    ["journal"],
    ["run"],
    ["guardrail", "tool"],
    ["memory"],
    ["agent"],
    ["team", "workflow"],
  ],
  "packages/core/src/knowledge": [["vector"], ["."]],
  "packages/core/src/runs": [["run-store"], ["run-events"], ["attempts"], ["durable"]],
  "packages/core/src/testing": [["."], ["conformance"]],
  "packages/http/src": [
    ["exchange"],
    ["log"],
    ["errors", "sessions", "shutdown"],
    ["uploads"],
    ["settings"],
    ["request"],
    ["answer"],
    ["ui"],
    ["routes"],
    ["openapi"],
    ["docs"],
    ["create-agent-router"],
  ],
  "packages/a2a/src": [
    ["card"],
    ["wire"],
    ["agent"],
    ["client"],
    ["tasks"],
    ["push"],
    ["server"],
    ["rest"],
    ["create-a2a-server"],
  ],
  "packages/mcp/src": [["client"], ["server"]],
  "packages/mcp/src/server": [
    ["."],
    ["tasks"],
    ["make-server"],
    ["serve-stdio", "sessions"],
    ["http-side"],
    ["create-mcp-server"],
  ],
  "packages/page/src": [["inspector"], ["."]],
  "packages/page/client": [
    ["place", "settings", "ui"],
    ["api", "keys", "markdown"],
    ["chat", "inspector"],
    ["sessions"],
    ["services"],
    ["views"],
    ["app"],
    ["main"],
  ],
  "packages/providers-openai/src": [["."], ["chat", "responses"], ["openai-model"]],
  "packages/toolkits-gmail/src": [["gmail-options", "mime"], ["oauth"], ["."]],
};

/** A layer of core that every test of core may use, whatever layer the test is on. */
export const testKit: Layers["testKit"] = "packages/core/src/testing";

/** The entry points of core by the name they are imported by. Every other package has one: `src/index.ts`. */
export const coreEntryPoints: Layers["coreEntryPoints"] = {
  "@troupe/core": "packages/core/src/index.ts",
  "@troupe/core/runs": "packages/core/src/runs.ts",
  "@troupe/core/kit": "packages/core/src/kit.ts",
  "@troupe/core/provider": "packages/core/src/provider.ts",
  "@troupe/core/storage": "packages/core/src/storage.ts",
  "@troupe/core/vector": "packages/core/src/vector.ts",
  "@troupe/core/transport": "packages/core/src/transport.ts",
  "@troupe/core/testing": "packages/core/src/testing.ts",
};

/** Packages that a workspace may import, by its folder or the folder it is in. The nearer entry counts; a workspace without one imports none. */
export const packageEdges: Layers["packageEdges"] = {
  "packages/core": [],
  packages: ["@troupe/core"],
  internal: ["@troupe/core"],
  apps: ["@troupe/*"],
  bench: ["@troupe/*"],
  tests: ["@troupe/*"],
  examples: ["@troupe/*"],
  tools: ["@troupe/*"],
};

/** Private packages and the packages that may import each. The build bundles them into what is published. */
export const internalUsers: Layers["internalUsers"] = {
  "@troupe-internal/gemini": ["@troupe/providers-google", "@troupe/providers-vertex"],
  "@troupe-internal/offline-model": ["@troupe/demo-server"],
  "@troupe-internal/mongodb": ["@troupe/storage-mongodb", "@troupe/vector-mongodb"],
  "@troupe-internal/postgres": ["@troupe/storage-postgres", "@troupe/vector-pgvector"],
  "@troupe-internal/sqlite": ["@troupe/storage-sqlite", "@troupe/vector-sqlite"],
  "@troupe-internal/sql-storage": ["@troupe/storage-sqlite", "@troupe/storage-postgres"],
  "@troupe-internal/toolkit": [
    "@troupe-internal/toolkit-fakes",
    "@troupe/toolkits-duckduckgo",
    "@troupe/toolkits-hackernews",
    "@troupe/toolkits-web-search",
    "@troupe/toolkits-gmail",
    "@troupe/toolkits-whatsapp",
  ],
  "@troupe-internal/toolkit-fakes": [
    "troupe",
    "@troupe/demo-server",
    "@troupe/toolkits-duckduckgo",
    "@troupe/toolkits-hackernews",
    "@troupe/toolkits-web-search",
    "@troupe/toolkits-gmail",
    "@troupe/toolkits-whatsapp",
  ],
  "@troupe-internal/vendor-fakes": [
    "troupe",
    "@troupe-internal/toolkit-fakes",
    "@troupe-internal/bench",
    "@troupe-internal/run-checker",
    "@troupe/providers-openai",
    "@troupe/providers-anthropic",
    "@troupe/providers-google",
    "@troupe/providers-vertex",
    "@troupe/providers-ollama",
    "@troupe/demo-server",
  ],
  "@troupe-internal/fault-tools": [
    "troupe",
    "@troupe-internal/bench",
    "@troupe-internal/run-checker",
    "@troupe-internal/vendor-fakes",
    "@troupe/providers-anthropic",
    "@troupe/providers-google",
    "@troupe/providers-ollama",
    "@troupe/storage-sqlite",
    "@troupe/storage-postgres",
    "@troupe/storage-mongodb",
    "@troupe/vector-sqlite",
    "@troupe/vector-pgvector",
    "@troupe/vector-qdrant",
    "@troupe/vector-mongodb",
    "@troupe/engine-bullmq",
    "@troupe/a2a",
    "@troupe/http",
    "@troupe/mcp",
    "@troupe/socket",
    "@troupe/demo-server",
  ],
  "@troupe-internal/run-checker": ["troupe", "@troupe/providers-openai", "@troupe/http"],
  "@troupe-internal/interleavings": [
    "@troupe/core",
    "@troupe/storage-mongodb",
    "@troupe/storage-postgres",
    "@troupe/a2a",
    "@troupe/http",
    "@troupe/mcp",
    "@troupe/socket",
  ],
  "@troupe-internal/stream-grammars": ["troupe", "@troupe/http", "@troupe/socket", "@troupe/mcp"],
};

/** Entry points for tests and examples, and the folders that may import them anywhere: they show or measure with a scripted model. */
export const testEntryPoints: Layers["testEntryPoints"] = {
  names: [
    "@troupe/core/testing",
    "@troupe-internal/vendor-fakes",
    "@troupe-internal/fault-tools",
    "@troupe-internal/interleavings",
    "@troupe-internal/run-checker",
    "@troupe-internal/stream-grammars",
    "@troupe-internal/toolkit-fakes",
  ],
  users: [
    "apps",
    "bench",
    "internal/vendor-fakes",
    "internal/fault-tools",
    "internal/interleavings",
    "internal/run-checker",
    "internal/stream-grammars",
    "internal/toolkit-fakes",
  ],
};

/** Packages that tests of any workspace may import although only the root declares them. */
export const sharedTestTools: Layers["sharedTestTools"] = ["vitest"];

/** Folders and files that may read the environment. Tests may always. */
export const environmentReaders: Layers["environmentReaders"] = [
  "apps",
  "bench",
  "examples",
  "internal/vendor-fakes/src/suite",
  "internal/toolkit-fakes/src/credential-cases.ts",
  "packages/core/src/model/keys/read-environment.ts",
];

/** The modules that look at the user and the tenant of an owner apart. All others compare and store its `OwnerKey`. */
export const ownerModules: Layers["ownerModules"] = [
  "packages/core/src/sessions/storage/owner-key.ts",
  "packages/core/src/sessions/storage/session-owner.ts",
];

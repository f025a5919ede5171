/**
 * The architecture as data. The import check is generated from it: `pnpm layers`.
 */

export { internalUsers } from "./internal-users.ts";

/** The architecture, part by part as described below. */
export interface Layers {
  readonly folderLayers: Readonly<Record<string, readonly (readonly string[])[]>>;
  readonly testKit: string;
  readonly entryPoints: Readonly<Record<string, string>>;
  readonly packageEdges: Readonly<Record<string, readonly string[]>>;
  readonly internalUsers: Readonly<Record<string, readonly string[]>>;
  readonly testEntryPoints: { readonly names: readonly string[]; readonly users: readonly string[] };
  readonly sharedTestTools: readonly string[];
  readonly environmentReaders: readonly string[];
  readonly ownerModules: readonly string[];
}

/**
 * The folders of each package by layer, lowest first; for core, the folders in each of its ten rooms. A folder may
 * import from lower layers; folders on the same layer are independent. A file beside the folders counts as a folder
 * with its name, or as `"."` if its name is not listed. Entry points are above all layers.
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
  "packages/core/src/base": [["util"], ["errors", "message"], ["async", "events", "log"], ["retry", "telemetry"]],
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
    ["run"],
    ["journal"],
    ["guardrail", "tool"],
    ["memory"],
    ["agent"],
    ["team", "workflow"],
  ],
  "packages/core/src/knowledge": [["vector"], ["."]],
  "packages/core/src/runs": [
    ["record"],
    ["readers"],
    ["webhooks"],
    ["processes"],
    ["performer", "schedules"],
    ["service"],
  ],
  "packages/core/src/transport": [
    ["request"],
    ["public"],
    ["exchange"],
    ["routes", "runs", "sessions"],
    ["shutdown"],
    ["service"],
    ["server"],
  ],
  "packages/core/src/testing": [["."], ["conformance"]],
  "packages/http/src": [
    ["log"],
    ["errors", "sessions"],
    ["uploads"],
    ["settings"],
    ["request"],
    ["answer"],
    ["routes"],
    ["openapi"],
    ["docs"],
    ["http"],
    ["create-agent-router"],
    ["shutdown"],
  ],
  "packages/use-chat/src": [["message", "openapi", "request"], ["."]],
  "packages/openai-api/src": [
    ["wire"],
    ["identity", "models", "request"],
    ["settings"],
    ["openapi", "run"],
    ["chat", "responses"],
    ["."],
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
    ["a2a"],
    ["create-a2a-server"],
  ],
  "packages/mcp/src": [["client"], ["server"]],
  "packages/mcp/src/server": [
    ["."],
    ["tasks"],
    ["make-server"],
    ["serve-stdio", "sessions"],
    ["http-side"],
    ["mcp"],
    ["create-mcp-server"],
  ],
  "packages/page/src": [["inspector"], ["shares"], ["."]],
  "packages/page/client": [
    ["strings"],
    ["place", "settings", "ui"],
    ["api", "charts", "keys", "markdown"],
    ["inspector"],
    ["chat"],
    ["sessions"],
    ["inbox", "shares"],
    ["services"],
    ["palette", "schedules", "views"],
    ["app"],
    ["main"],
  ],
  "packages/providers-openai/src": [["."], ["chat", "responses"], ["openai-model"], ["presets"]],
  "packages/providers-ai-sdk/src": [["."], ["to-ai-sdk"]],
  "packages/toolkits-gmail/src": [["gmail-options", "mime"], ["oauth"], ["."]],
};

/** A layer of core that every test of core may use, on any layer. */
export const testKit: Layers["testKit"] = "packages/core/src/testing";

/** Entry points by the name under which they are imported. Every package but core also has `src/index.ts`. */
export const entryPoints: Layers["entryPoints"] = {
  "@troupe/core": "packages/core/src/index.ts",
  "@troupe/core/runs": "packages/core/src/runs.ts",
  "@troupe/core/kit": "packages/core/src/kit.ts",
  "@troupe/core/provider": "packages/core/src/provider.ts",
  "@troupe/core/storage": "packages/core/src/storage.ts",
  "@troupe/core/vector": "packages/core/src/vector.ts",
  "@troupe/core/service": "packages/core/src/service.ts",
  "@troupe/core/transport": "packages/core/src/transport.ts",
  "@troupe/core/testing": "packages/core/src/testing.ts",
  "@troupe/client/react": "packages/client/src/react.ts",
  "@troupe/providers-openai/presets": "packages/providers-openai/src/presets.ts",
};

/**
 * Packages that a workspace may import, by its folder or a parent folder. The nearest entry counts; a workspace without
 * an entry imports none.
 */
export const packageEdges: Layers["packageEdges"] = {
  "packages/core": [],
  packages: ["@troupe/core"],
  // It writes the names of packages, and imports none. Its tests look up what they export.
  "packages/create-troupe": ["@troupe/*"],
  // Its tests and its example serve chats beside HTTP. Its source cannot: HTTP is no dependency of it.
  "packages/use-chat": ["@troupe/core", "@troupe/http"],
  "packages/openai-api": ["@troupe/core", "@troupe/http"],
  // Its tests read the description that HTTP serves. Its source cannot.
  "packages/ag-ui": ["@troupe/core", "@troupe/http"],
  // Its tests record services of all transports, calls of a vendor, and runs that outlive their process. Its source knows
  // none of these packages.
  "packages/otel": [
    "@troupe/a2a",
    "@troupe/core",
    "@troupe/http",
    "@troupe/mcp",
    "@troupe/providers-openai",
    "@troupe/socket",
    "@troupe/storage-sqlite",
  ],
  // Its tests start services, and its example too. Its source knows no package of the service.
  "packages/client": ["@troupe/core", "@troupe/http"],
  internal: ["@troupe/core"],
  apps: ["@troupe/*"],
  tests: ["@troupe/*"],
  "tests/support": ["@troupe/core"],
  examples: ["@troupe/*"],
  tools: ["@troupe/*"],
};

/**
 * Entry points for tests and examples, and the folders that may import them anywhere because they use a scripted model.
 */
export const testEntryPoints: Layers["testEntryPoints"] = {
  names: [
    "@troupe/core/testing",
    "@troupe-internal/vendor-fakes",
    "@troupe-internal/fake-responses",
    "@troupe-internal/fault-tools",
    "@troupe-internal/interleavings",
    "@troupe-internal/web-servers",
    "@troupe-internal/run-checker",
    "@troupe-internal/stream-grammars",
    "@troupe-internal/toolkit-fakes",
  ],
  users: [
    "apps",
    "tests/bench",
    "tests/support/vendor-fakes",
    "tests/support/fake-responses",
    "tests/support/fault-tools",
    "tests/support/interleavings",
    "tests/support/page-blocks",
    "tests/support/run-checker",
    "tests/support/stream-grammars",
    "tests/support/toolkit-fakes",
  ],
};

/** Packages that tests of any workspace may import although only the root declares them. */
export const sharedTestTools: Layers["sharedTestTools"] = ["vitest"];

/** Folders and files that may read the environment. Tests always may. */
export const environmentReaders: Layers["environmentReaders"] = [
  "apps",
  "tests/bench",
  "examples",
  "tests/support/page-blocks",
  "tests/support/vendor-fakes/src/suite",
  "tests/support/toolkit-fakes/src/credential-cases.ts",
  "packages/core/src/model/keys/read-environment.ts",
  // A command, which learns there which package manager has started it.
  "packages/create-troupe/src/main.ts",
];

/** The modules that use the user and the tenant of an owner separately. All others compare and store its `OwnerKey`. */
export const ownerModules: Layers["ownerModules"] = [
  "packages/core/src/sessions/storage/owner-key.ts",
  "packages/core/src/sessions/storage/session-owner.ts",
];

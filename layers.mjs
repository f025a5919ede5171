/**
 * The architecture as data. The import check is generated from it: `pnpm layers`.
 */

/** The floors of core, ground floor first. A folder imports from floors below its own; folders on one floor do not know each other. */
export const coreFloors = [
  ["util"],
  ["errors", "message"],
  ["events", "keys", "log", "retry", "schema", "storage", "vector", "wire"],
  ["model", "session"],
  ["run"],
  ["guardrail", "tool"],
  ["knowledge", "memory"],
  ["agent"],
  ["team", "workflow"],
  ["testing"],
];

/** The folder of core that every test of core may use, whatever floor the test is on. */
export const testKit = "testing";

/** The doors of core: the only files that may list exports of others, and the only ways in from outside. */
export const coreDoors = {
  "@troupe/core": "index",
  "@troupe/core/adapter": "adapter",
  "@troupe/core/testing": "testing",
};

/** Which packages a workspace may import, by its folder or the folder it is in; the nearer entry counts, and what has none imports nobody. */
export const packageEdges = {
  "packages/core": [],
  packages: ["@troupe/core"],
  internal: ["@troupe/core"],
  apps: ["@troupe/*"],
  bench: ["@troupe/*"],
  tests: ["@troupe/*"],
  tools: ["@troupe/*"],
};

/** Private packages and who may import each; the build bundles them into what is published. */
export const internalUsers = {
  "@troupe-internal/gemini": ["@troupe/providers-google", "@troupe/providers-vertex"],
  "@troupe-internal/sql-storage": ["@troupe/storage-sqlite", "@troupe/storage-postgres"],
  "@troupe-internal/testkit": [
    "troupe",
    "@troupe-internal/bench",
    "@troupe/providers-openai",
    "@troupe/providers-anthropic",
    "@troupe/providers-google",
    "@troupe/providers-vertex",
    "@troupe/providers-ollama",
    "@troupe/storage-sqlite",
    "@troupe/storage-postgres",
    "@troupe/storage-mongodb",
    "@troupe/http",
    "@troupe/demo-server",
  ],
};

/** What only tests and examples may import, and the folders that may do so anywhere: they show or measure with a scripted model. */
export const testDoors = {
  names: ["@troupe/core/testing", "@troupe-internal/testkit"],
  users: ["apps", "bench", "internal/testkit"],
};

/** What tests of any workspace may import though only the root declares it. */
export const sharedTestTools = ["vitest"];

/** Who reads the environment: apps and measurements, and in packages the key resolver alone. Tests are free. */
export const environmentReaders = ["apps", "bench", "packages/core/src/keys/resolve-key.ts"];

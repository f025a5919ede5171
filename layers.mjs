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

/** The doors of core: the only files that may list exports of others, and the only ways in from outside. */
export const coreDoors = { "@troupe/core": "index", "@troupe/core/adapter": "adapter", "@troupe/core/testing": "testing" };

/** Private packages that the build bundles, and who may import each. */
export const internalUsers = {
  "@troupe-internal/gemini": ["@troupe/providers-google", "@troupe/providers-vertex"],
  "@troupe-internal/sql-storage": ["@troupe/storage-sqlite", "@troupe/storage-postgres"],
};

import { expect, it } from "vitest";
import { resolveRunOpts } from "./resolve-run-opts.ts";
import type { RunOpts } from "./run-options.ts";
import { ownerOf } from "./run-options.ts";
import { attemptOpts } from "./test/attempt-opts.ts";

it.each<[opts: RunOpts, owner: object]>([
  [
    { userId: "ada", tenantId: "acme", sessionId: "s" },
    { userId: "ada", tenantId: "acme", verified: true },
  ],
  [attemptOpts({ userId: "ada", verified: false }), { userId: "ada", tenantId: undefined, verified: false }],
  [{ tenantId: "acme" }, { userId: undefined, tenantId: "acme", verified: true }],
  [{}, { userId: undefined, tenantId: undefined, verified: true }],
])("the owner of what a run with %j has is its user, its tenant, and if the user is verified", (opts, owner) => {
  expect(ownerOf(resolveRunOpts(opts))).toStrictEqual(owner);
});

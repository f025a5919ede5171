import { expect, it } from "vitest";
import { factOwnerId } from "./agent-user-memory.ts";
import type { AgentUserMemory } from "./agent-user-memory.ts";
import type { UserMemoryScope } from "./memory-options.ts";

const plain: AgentUserMemory = {
  getContextString: () => "",
  extractAndStore: () => undefined,
  clear: () => undefined,
};
const bound: AgentUserMemory = { ...plain, bindStorage: () => undefined };

it.each<[scope: UserMemoryScope, id: string]>([
  [{}, "a/b"],
  [{ verified: true }, "a/b"],
  [{ verified: undefined, tenantId: undefined }, "a/b"],
  [{ verified: false }, "-/~a%2Fb"],
  [{ tenantId: "t" }, "t/a%2Fb"],
  [{ tenantId: "t", verified: true }, "t/a%2Fb"],
  [{ tenantId: "t", verified: false }, "t/~a%2Fb"],
  [{ tenantId: "-" }, "%2D/a%2Fb"],
])("a memory without a storage knows the user a/b of %j as %s, another one by the user's id", (scope, id) => {
  expect(factOwnerId(plain, "a/b", scope)).toBe(id);
  expect(factOwnerId(bound, "a/b", scope)).toBe("a/b");
});

it.each([plain, bound])("AgentUserMemory refuses a user or tenant that is none", (memory) => {
  for (const [userId, scope] of [
    ["", {}],
    ["u", { tenantId: "" }],
  ] as const) {
    expect(() => factOwnerId(memory, userId, scope)).toThrow(expect.objectContaining({ code: "invalid_request" }));
  }
});

import { expect, it } from "vitest";
import { failureOf } from "./install.ts";
import { packageManagers } from "./package-manager.ts";

it.each([
  ["npm error code ENOTFOUND\nnpm error network request to https://registry.npmjs.org/zod failed", "npm"],
  ["npm error code ENOTCACHED", "npm"],
  ["ERR_PNPM_META_FETCH_FAIL  GET https://registry.npmjs.org/zod: connect ECONNREFUSED 127.0.0.1:4873", "pnpm"],
  ["Error: connect ECONNREFUSED 127.0.0.1:4873", "yarn"],
  ["➤ YN0001: │ RequestError: connect ECONNREFUSED 127.0.0.1:4873", "yarn-berry"],
  ["error: ConnectionRefused downloading package manifest zod", "bun"],
] as const)("%j is told as a registry that cannot be reached", (printed, packageManager) => {
  const { program } = packageManagers[packageManager];
  expect(failureOf(packageManager, 1, printed)).toBe(
    `The dependencies are not installed, because ${program} could not reach its registry. The project is complete: run ${program} install in it later.`,
  );
});

it("another failure is told with the exit code", () => {
  expect(failureOf("npm", 7, "npm error code ERESOLVE")).toContain("npm install ended with 7.");
});

it("a missing package manager is told as such", () => {
  expect(failureOf("bun", "ENOENT", "")).toContain("bun is not installed, or not on the PATH.");
});

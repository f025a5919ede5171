import { expect, it } from "vitest";
import { detectPackageManager } from "./package-manager.ts";

it.each([
  ["npm/11.19.1 node/v24.21.0 linux x64 workspaces/false", "npm"],
  ["pnpm/12.21.0 npm/? node/v24.21.0 linux x64", "pnpm"],
  ["yarn/1.22.22 npm/? node/v22.23.3 darwin arm64", "yarn"],
  ["yarn/2.4.3 npm/? node/v22.23.3 darwin arm64", "yarn-berry"],
  ["yarn/4.18.1 npm/? node/v22.23.3 darwin arm64", "yarn-berry"],
  ["yarn/10.0.0", "yarn-berry"],
  ["yarn", "yarn"],
  ["bun/1.4.5 npm/? node/v24.3.0 linux x64", "bun"],
  ["cnpm/9.0.0", "npm"],
  ["toString/1", "npm"],
  ["", "npm"],
  [undefined, "npm"],
])("the user agent %j is that of %s", (userAgent, name) => {
  expect(detectPackageManager(userAgent)).toBe(name);
});

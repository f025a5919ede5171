import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../test/temporary-folder.ts";
import { findParentWorkspace } from "./parent-workspace.ts";

/** Looks for the workspace around `path`, in a folder with one file. */
function look(file: string, text: string, path: string) {
  const root = temporaryFolder();
  writeFileSync(join(root, file), text);
  mkdirSync(join(root, "packages"), { recursive: true });
  const found = findParentWorkspace(join(root, ...path.split("/")));
  return found && { ...found, file: found.file.slice(root.length + 1) };
}

const yaml = (...patterns: string[]) =>
  `# Ours\npackages:\n${patterns.map((each) => `  - ${each}\n`).join("")}\ncatalog:\n  - x: 1\n`;

describe("findParentWorkspace", () => {
  it.each<[patterns: string[], path: string, isMember: boolean]>([
    [["packages/*"], "packages/agents", true],
    [["packages/*"], "packages/deep/agents", false],
    [["packages/*"], "agents", false],
    [["packages/**"], "packages/deep/agents", true],
    [['"agents"'], "agents", true],
    [["'agents' # ours"], "agents", true],
    [["agent?"], "agents", false],
    [["*", "'!agents'"], "agents", false],
    [["./packages/*/"], "packages/agents", true],
    [["(packages|x)/*"], "packages/agents", false],
  ])("pnpm's patterns %j name %s: %s", (patterns, path, isMember) => {
    const found = look("pnpm-workspace.yaml", yaml(...patterns), path);

    expect(found).toEqual({ file: "pnpm-workspace.yaml", isMember });
  });

  it.each<[workspaces: unknown, isMember: boolean]>([
    [["packages/*"], true],
    [{ packages: ["packages/*"] }, true],
    [["apps/*"], false],
    [[], false],
  ])("the workspaces %j of a package.json name packages/agents: %s", (workspaces, isMember) => {
    const found = look("package.json", JSON.stringify({ workspaces }), "packages/agents");

    expect(found).toEqual({ file: "package.json", isMember });
  });

  it.each(["{}", '{ "workspaces": 1 }', "not JSON"])("a package.json with %s is no workspace", (text) => {
    const found = look("package.json", text, "packages/agents");

    expect(found?.file).not.toBe("package.json");
  });
});

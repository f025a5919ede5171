import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runPnpm } from "./run-pnpm.ts";

const root = join(import.meta.dirname, "../..");

/** Build settings that all packages share. The real files are used, so that the tests check them. */
const shared = ["tsup.config.ts", "tsconfig.base.json", "tsconfig.build.json", "LICENSE"];

/**
 * Creates a workspace with these files outside of the repository, with the repository's build settings, and builds it.
 */
export async function buildThrowAwayWorkspace(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-workspace-"));
  for (const file of shared) cpSync(join(root, file), join(folder, file));
  const tools = Object.fromEntries(["tsup", "typescript", "@types/node"].map((name) => [name, linkTo(name)]));
  const manifest = { name: "throw-away", private: true, type: "module", devDependencies: tools };
  const all = {
    "package.json": JSON.stringify(manifest),
    "pnpm-workspace.yaml": "packages:\n  - packages/*\n  - internal/*\n",
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  await runPnpm(["install", "--offline"], folder);
  await runPnpm(["--recursive", "run", "build"], folder);
  return folder;
}

function linkTo(name: string): string {
  return `link:${join(root, "node_modules", name)}`;
}

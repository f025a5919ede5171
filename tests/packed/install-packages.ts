import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { buildPackages, packPackages } from "../../tools/packages/pack-packages.ts";
import type { PackedPackage } from "../../tools/packages/pack-packages.ts";
import { mustRun } from "../../tools/packages/run-command.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Every published package, as a registry would get it. */
    packed: PackedPackage[];
    /** A project outside the workspace that has installed them all. */
    strangerFolder: string;
  }
}

const root = join(import.meta.dirname, "../..");

/** Before the tests of packed packages: builds and packs them all, and installs them as somebody would who has nothing else. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildPackages(root);
  const folder = await mkdtemp(join(tmpdir(), "troupe-stranger-"));
  const tearDown = async () => await rm(folder, { recursive: true });
  try {
    const packed = await packPackages(root, join(folder, "tarballs"));
    project.provide("packed", packed);
    project.provide("strangerFolder", await install(packed, join(folder, "project")));
  } catch (error) {
    await tearDown();
    throw error;
  }
  return tearDown;
}

async function install(packed: readonly PackedPackage[], folder: string): Promise<string> {
  await cp(join(import.meta.dirname, "__fixtures__/consumer"), folder, { recursive: true });
  await copyExamples(folder);
  const options = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  await mustRun("npm", ["install", ...options, ...packed.map(({ tarball }) => tarball)], { cwd: folder });
  return folder;
}

/** The programs of the READMEs are what a stranger tries first. */
async function copyExamples(strangerFolder: string): Promise<void> {
  await cp(join(root, "examples"), join(strangerFolder, "examples", "root"), { recursive: true });
  for (const name of await readdir(join(root, "packages"))) {
    const examples = join(root, "packages", name, "examples");
    await cp(examples, join(strangerFolder, "examples", name), { recursive: true }).catch(ignoreMissing);
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

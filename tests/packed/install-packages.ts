import { cp, glob, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { buildPackages, packPackages } from "../../tools/packages/pack-packages.ts";
import type { PackedPackage } from "../../tools/packages/pack-packages.ts";
import { installTarballs } from "../../tools/packages/install-tarballs.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Every published package, as a registry would receive it. */
    packed: PackedPackage[];
    /** A project outside the workspace with all of them installed. */
    consumerFolder: string;
  }
}

const root = join(import.meta.dirname, "../..");

/** Builds, packs and installs all packages in a project outside the workspace, before the tests of packed packages. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildPackages(root);
  const folder = await mkdtemp(join(tmpdir(), "troupe consumer ü-"));
  const tearDown = async () => await rm(folder, { recursive: true });
  try {
    const packed = await packPackages(root, join(folder, "tarballs"));
    project.provide("packed", packed);
    project.provide("consumerFolder", await install(packed, join(folder, "project")));
  } catch (error) {
    await tearDown();
    throw error;
  }
  return tearDown;
}

async function install(packed: readonly PackedPackage[], folder: string): Promise<string> {
  await cp(join(import.meta.dirname, "__fixtures__/consumer"), folder, { recursive: true });
  await copyExamples(folder);
  return await installTarballs(
    folder,
    packed.map(({ tarball }) => tarball),
  );
}

/** Copies the programs of the READMEs, which a user tries first. */
async function copyExamples(consumerFolder: string): Promise<void> {
  // The recipes use further libraries, which the workspace has: they run there.
  const filter = (path: string): boolean => !path.endsWith("/recipes");
  await cp(join(root, "examples"), join(consumerFolder, "examples", "root"), { recursive: true, filter });
  for (const name of await readdir(join(root, "packages"))) {
    const examples = join(root, "packages", name, "examples");
    await cp(examples, join(consumerFolder, "examples", name), { recursive: true }).catch(ignoreMissing);
  }
  // examples/ask-the-docs.ts reads the pages beside its folder.
  for await (const page of glob(["README.md", "docs/*.md", "docs/guide/*.md", "packages/*/README.md"], { cwd: root })) {
    await cp(join(root, page), join(consumerFolder, "examples", page));
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

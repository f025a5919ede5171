import { globSync, readFileSync, symlinkSync } from "node:fs";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { buildPackages } from "../packages/pack-packages.ts";
import { mustRun } from "../packages/run-command.ts";

/** A package of a release. */
export interface ReleasedPackage {
  readonly name: string;
  readonly version: string;
  /** The entry points, as they are imported: `@troupe/core/runs`. */
  readonly entryPoints: readonly string[];
  /** Libraries that users install beside it. */
  readonly peers: readonly string[];
  /** The section of its changelog about this version. */
  readonly changes: string;
}

type Manifest = {
  name: string;
  version: string;
  exports: Record<string, unknown>;
  peerDependencies?: Record<string, string>;
};

/** The files that a release is made of: manifests of the whole workspace, and what the packages ship. */
const patterns = [
  "package.json",
  "pnpm-workspace.yaml",
  "pnpm-lock.yaml",
  ".changeset/*",
  "{packages,internal,apps}/*/package.json",
  "tests/{bench,support/*}/package.json",
  "packages/*/{README.md,CHANGELOG.md,LICENSE}",
  "packages/*/{dist,templates}",
];

/** Commits and tags need an author, whatever the settings of this machine are. */
const asAuthor = {
  GIT_AUTHOR_NAME: "release",
  GIT_AUTHOR_EMAIL: "release@example.org",
  GIT_COMMITTER_NAME: "release",
  GIT_COMMITTER_EMAIL: "release@example.org",
  GIT_CONFIG_GLOBAL: "/dev/null",
};

const changelogWriter = "node_modules/@changesets/changelog-git";

/** Copies the built workspace into a repository of its own, and writes the next versions and changelogs there. */
export async function makeNextRelease(root: string, folder: string): Promise<ReleasedPackage[]> {
  await buildPackages(root);
  for (const path of globSync(patterns, { cwd: root })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await cp(join(root, path), join(folder, path), { recursive: true });
  }
  // Changesets looks for the writer of changelogs here. A link to all of node_modules would let pnpm change the workspace's.
  await mkdir(join(folder, "node_modules/@changesets"), { recursive: true });
  symlinkSync(join(root, changelogWriter), join(folder, changelogWriter));
  await writeFile(join(folder, ".gitignore"), "node_modules\ndist\n");
  const git = async (...args: string[]) =>
    await mustRun("git", args, { cwd: folder, env: { ...process.env, ...asAuthor } });
  await git("init", "--quiet", "--initial-branch=main");
  // Changelogs name the commit that brought a change.
  await git("add", ".");
  await git("commit", "--quiet", "--message=all: what changed");
  // Without changesets the versions stand already: this is the commit that is released.
  if (globSync(".changeset/*.md", { cwd: folder }).length > 0) {
    await runChangeset(["version"], { folder, environment: process.env });
  }
  await git("add", ".");
  await git("commit", "--quiet", "--allow-empty", "--message=release: next versions");
  return globSync("packages/*/package.json", { cwd: folder })
    .toSorted()
    .map((path) => readPackage(join(folder, path)));
}

/** Publishes every package that the registry of the environment does not have, and tags it. Returns the tags. */
export async function publishRelease(folder: string, environment: NodeJS.ProcessEnv): Promise<string[]> {
  const printed = await runChangeset(["publish"], { folder, environment });
  const tags = await mustRun("git", ["tag"], { cwd: folder });
  if (tags === "") throw new Error(`Nothing was published:\n${printed}`);
  return tags.split("\n").filter((tag) => tag !== "");
}

type Place = { readonly folder: string; readonly environment: NodeJS.ProcessEnv };

async function runChangeset(args: readonly string[], { folder, environment }: Place): Promise<string> {
  const bin = join(import.meta.dirname, "../../node_modules/.bin");
  // pnpm would install the dependencies of the copy before it publishes.
  const env = {
    ...environment,
    ...asAuthor,
    PATH: `${bin}${delimiter}${environment["PATH"] ?? ""}`,
    pnpm_config_verify_deps_before_run: "false",
  };
  return await mustRun(join(bin, "changeset"), args, { cwd: folder, env });
}

function readPackage(file: string): ReleasedPackage {
  const { name, version, exports, peerDependencies = {} } = JSON.parse(readFileSync(file, "utf8")) as Manifest;
  const changelog = readFileSync(join(dirname(file), "CHANGELOG.md"), "utf8");
  const [, changes = ""] = changelog.split(`\n## ${version}\n`);
  return {
    name,
    version,
    entryPoints: Object.keys(exports)
      .filter((entryPoint) => entryPoint !== "./package.json")
      .map((entryPoint) => join(name, entryPoint)),
    peers: Object.keys(peerDependencies),
    changes: changes.split("\n## ", 1)[0] ?? "",
  };
}

// `pnpm release`: builds and publishes every package whose version the registry does not have, and tags it. It runs in the
// workflow of releases. `pnpm release --dry-run [--install] [--sbom <file>]` does the same with the next versions, in a copy of the
// workspace and a registry on this machine: it publishes, installs everything from there with each package manager, and imports
// every entry point on each version of Node. `--install` installs the registry and these programs, and `--sbom` writes the bill of
// materials of all packages with their libraries.
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildPackages } from "../packages/pack-packages.ts";
import { startRegistry } from "../registry/registry.ts";
import { needProgramsOfUsers } from "../registry/user-programs.ts";
import { makeNextRelease, publishRelease } from "./next-release.ts";
import type { ReleasedPackage } from "./next-release.ts";
import { tryRelease } from "./try-release.ts";

const root = join(import.meta.dirname, "../..");
const { values } = parseArgs({
  options: { "dry-run": { type: "boolean" }, install: { type: "boolean" }, sbom: { type: "string" } },
});

/** Runs a step and prints its time. */
async function step<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  const result = await run();
  console.log(`${name.padEnd(34)} ${((performance.now() - start) / 1000).toFixed(1).padStart(5)} s`);
  return result;
}

async function rehearse(): Promise<string[]> {
  needProgramsOfUsers(values.install === true);
  const registry = await step("start the registry", () => startRegistry({ mayInstall: values.install === true }));
  const folder = await mkdtemp(join(tmpdir(), "troupe-release-"));
  try {
    const copy = join(folder, "workspace");
    const packages = await step("build, versions and changelogs", () => makeNextRelease(root, copy));
    const tags = await step("publish and tag", () => publishRelease(copy, registry.environment));
    const all = join(folder, "all");
    const { faults, installed, bill } = await step("install and import everything", () =>
      tryRelease({ packages, registry, folder: all }),
    );
    if (values.sbom !== undefined) await writeFile(values.sbom, bill);
    const versions = [...new Set(packages.map(({ version }) => version))];
    console.log(`${packages.length} packages of ${versions.join(", ")}; ${installed} packages with their libraries`);
    return [...faults, ...wrongVersions(versions), ...wrongTags(packages, tags), ...withoutChanges(packages)];
  } finally {
    await registry.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function wrongVersions(versions: readonly string[]): string[] {
  return versions.length === 1 ? [] : [`The packages have several versions: ${versions.join(", ")}.`];
}

function wrongTags(packages: readonly ReleasedPackage[], tags: readonly string[]): string[] {
  const expected = packages.map(({ name, version }) => `${name}@${version}`);
  return expected.filter((tag) => !tags.includes(tag)).map((tag) => `There is no tag ${tag}.`);
}

function withoutChanges(packages: readonly ReleasedPackage[]): string[] {
  return packages
    .filter(({ changes }) => changes.trim() === "")
    .map(({ name, version }) => `The changelog of ${name} says nothing about ${version}.`);
}

if (values["dry-run"] === true) {
  const faults = await rehearse();
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
} else {
  await buildPackages(root);
  process.exitCode = spawnSync("changeset", ["publish"], { cwd: root, stdio: "inherit" }).status ?? 1;
}

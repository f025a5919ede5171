import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, inject, it } from "vitest";
import { lintTypes, lintWithPublint } from "./lint-packages.ts";
import type { PackedPackage } from "./pack-packages.ts";
import { mustRun } from "./run-command.ts";

const root = join(import.meta.dirname, "../..");

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "troupe-lint-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Core as it would be published, but for one file that got lost. */
async function packCoreWithout(file: string): Promise<PackedPackage> {
  const unpacked = join(folder, "package");
  const tarball = join(folder, "core.tgz");
  const core = inject("packed").find(({ name }) => name === "@troupe/core");
  cpSync(core?.unpacked ?? "", unpacked, { recursive: true });
  rmSync(join(unpacked, file));
  await mustRun("tar", ["-czf", tarball, "package"], { cwd: folder });
  return { name: "@troupe/core", tarball, unpacked };
}

it("publint finds a door that leads nowhere", async () => {
  const packed = await packCoreWithout("dist/adapter.js");

  expect((await lintWithPublint(packed)).join("\n")).toContain("dist/adapter.js");
});

it("the types are wrong when a declaration that others lean on is missing", async () => {
  const packed = await packCoreWithout("dist/errors/troupe-error.d.ts");

  expect((await lintTypes(packed, root)).join("\n")).toContain("Internal resolution error");
});

it("both have nothing to say about code and declarations that are complete", async () => {
  const packed = await packCoreWithout("README.md");

  expect([...(await lintWithPublint(packed)), ...(await lintTypes(packed, root))]).toEqual([]);
});

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { bytesBelow } from "../../tools/packages/install-tarballs.ts";
import { budgets } from "./budgets.ts";
import { countInstantiations } from "./count-instantiations.ts";
import { costOfImport, traceImport } from "./measure-import.ts";
import { readLockfile } from "./read-lockfile.ts";

const folder = inject("consumerFolder");
const core = inject("packed").find(({ name }) => name === "@troupe/core");
if (core === undefined) throw new Error("@troupe/core has not been packed.");

const manifest = JSON.parse(readFileSync(join(core.unpacked, "package.json"), "utf8")) as {
  exports: Record<string, unknown>;
  dependencies?: Record<string, string>;
};
const entryPoints = Object.keys(manifest.exports)
  .filter((entryPoint) => entryPoint !== "./package.json")
  .map((entryPoint) => join("@troupe/core", entryPoint));

it("core keeps to its size as a tarball", () => {
  expect(statSync(core.tarball).size).toBeLessThanOrEqual(budgets.core.packedBytes);
});

it("core and its pages for users keep to their sizes on disk", async () => {
  const pages = await bytesBelow(join(core.unpacked, "dist/docs"));
  expect(pages).toBeLessThanOrEqual(budgets.core.pagesBytes);
  expect((await bytesBelow(core.unpacked)) - pages).toBeLessThanOrEqual(budgets.core.unpackedBytes);
});

it("core keeps to its number of dependencies", () => {
  expect(Object.keys(manifest.dependencies ?? {}).length).toBeLessThanOrEqual(budgets.core.dependencies);
});

it("all packages together keep to the number of installed packages", () => {
  const installed = readLockfile(folder).filter(({ dev }) => dev !== true);

  expect(installed.length).toBeLessThanOrEqual(budgets.installedPackages);
});

it("core's types keep to their type instantiations", async () => {
  const added =
    (await countInstantiations("src/core.ts", folder)) - (await countInstantiations("probes/empty.js", folder));

  expect(added).toBeLessThanOrEqual(budgets.core.instantiations);
});

describe.each(entryPoints)("importing %s", (entryPoint) => {
  it("costs at most its budget", async () => {
    const { bytes, calls } = await costOfImport(entryPoint, folder);
    const budget = budgets.core.imports[entryPoint];

    expect(bytes).toBeLessThanOrEqual(budget?.bytes ?? 0);
    expect(calls).toBeLessThanOrEqual(budget?.calls ?? 0);
  });

  it("loads no third-party library", async () => {
    const { loaded } = await traceImport(entryPoint, folder);

    expect(loaded.filter((url) => !url.startsWith("node:") && !url.includes("/node_modules/@troupe/core/"))).toEqual(
      [],
    );
  });

  it("reads no environment and leaves no handle, global or listener behind", async () => {
    expect(await traceImport(entryPoint, folder)).toMatchObject({
      environmentReads: [],
      resources: [],
      globals: [],
      listeners: [],
    });
  });
});

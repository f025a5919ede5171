import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { bytesBelow } from "../../tools/packages/install-tarballs.ts";
import { budgets } from "./budgets.ts";
import { countInstantiations } from "./count-instantiations.ts";
import { measureImportRatios, traceImport } from "./measure-import.ts";
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

it("each entry point of core keeps to its import time", async () => {
  const ratios = await measureImportRatios(entryPoints, folder);
  process.stdout.write(`Import times, in times that of plain functions: ${JSON.stringify(ratios)}\n`);
  const tooSlow = Object.entries(ratios).filter(
    ([entryPoint, ratio]) => ratio > (budgets.core.importRatios[entryPoint] ?? 0),
  );

  expect(tooSlow).toEqual([]);
});

describe.each(entryPoints)("importing %s", (entryPoint) => {
  it("loads no third-party library", async () => {
    const { loaded } = await traceImport(entryPoint, folder);

    expect(loaded.filter((url) => !url.startsWith("node:") && !url.includes("/node_modules/@troupe/core/"))).toEqual(
      [],
    );
  });

  it("reads no environment and leaves no handle, global or listener behind", async () => {
    const { loaded: _, ...traces } = await traceImport(entryPoint, folder);

    expect(traces).toEqual({ environmentReads: [], resources: [], globals: [], listeners: [] });
  });
});

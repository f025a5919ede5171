import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { budgets } from "./budgets.ts";
import { countInstantiations } from "./count-instantiations.ts";
import { measureImportRatios, traceImport } from "./measure-import.ts";
import { readLockfile } from "./read-lockfile.ts";

const folder = inject("strangerFolder");
const core = inject("packed").find(({ name }) => name === "@troupe/core");
if (core === undefined) throw new Error("@troupe/core has not been packed.");

const manifest = JSON.parse(readFileSync(join(core.unpacked, "package.json"), "utf8")) as {
  exports: Record<string, unknown>;
  dependencies?: Record<string, string>;
};
const doors = Object.keys(manifest.exports)
  .filter((door) => door !== "./package.json")
  .map((door) => join("@troupe/core", door));

it("core is quickly downloaded", () => {
  expect(statSync(core.tarball).size).toBeLessThanOrEqual(budgets.core.packedBytes);
});

it("core takes little room", () => {
  const sizes = readdirSync(core.unpacked, { recursive: true }).map((file) =>
    statSync(join(core.unpacked, String(file))),
  );
  const bytes = sizes.filter((size) => size.isFile()).reduce((sum, { size }) => sum + size, 0);

  expect(bytes).toBeLessThanOrEqual(budgets.core.unpackedBytes);
});

it("core brings no more libraries than were agreed on", () => {
  expect(Object.keys(manifest.dependencies ?? {}).length).toBeLessThanOrEqual(budgets.core.dependencies);
});

it("all packages together bring no more than was agreed on", () => {
  const installed = readLockfile(folder).filter(({ dev }) => dev !== true);

  expect(installed.length).toBeLessThanOrEqual(budgets.installedPackages);
});

it("core's types cost the compiler little", async () => {
  const added =
    (await countInstantiations("src/core.ts", folder)) - (await countInstantiations("probes/empty.js", folder));

  expect(added).toBeLessThanOrEqual(budgets.core.instantiations);
});

it("each of core's doors is imported in a small multiple of the time of an empty module", async () => {
  const ratios = await measureImportRatios(doors, folder);
  const tooSlow = Object.entries(ratios).filter(([door, ratio]) => ratio > (budgets.core.importRatios[door] ?? 0));

  expect(tooSlow).toEqual([]);
});

describe.each(doors)("importing %s", (door) => {
  it("loads no library of others", async () => {
    const { loaded } = await traceImport(door, folder);

    expect(loaded.filter((url) => !url.startsWith("node:") && !url.includes("/node_modules/@troupe/core/"))).toEqual(
      [],
    );
  });

  it("does nothing: no look at the environment, no handle, no global, no listener", async () => {
    const { loaded: _, ...traces } = await traceImport(door, folder);

    expect(traces).toEqual({ environmentReads: [], resources: [], globals: [], listeners: [] });
  });
});

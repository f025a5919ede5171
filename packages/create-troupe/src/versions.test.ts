import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { libraryVersions, nodeFault, rangeOf } from "./versions.ts";

const catalog = readFileSync(new URL("../../../pnpm-workspace.yaml", import.meta.url), "utf8");

/** The version of a library in the workspace's catalog. */
function catalogVersion(name: string): string | undefined {
  return new RegExp(`^  "?${name}"?: (.+)$`, "m").exec(catalog)?.[1];
}

describe("the libraries of projects", () => {
  const shared = Object.entries(libraryVersions).filter(([name]) => catalogVersion(name) !== undefined);

  it.each(shared)("%s has the range with which the workspace is tested", (name, range) => {
    const tested = catalogVersion(name) ?? "";

    expect(range).toBe(/^\d/.test(tested) ? `^${tested}` : tested);
  });

  it("are in the catalog, but for those of Next.js", () => {
    const own = Object.keys(libraryVersions).filter((name) => catalogVersion(name) === undefined);

    expect(own).toEqual(["next", "typescript-of-next"]);
  });

  it("have a range, or are refused", () => {
    expect(rangeOf("@troupe/core")).toMatch(/^\^\d+\.\d+\.\d+$/);
    expect(() => rangeOf("left-pad")).toThrowError("left-pad has no version");
  });
});

describe("nodeFault", () => {
  it.each(["22.19.0", "22.23.3", "24.21.0", "26.10.0"])("accepts Node %s", (version) => {
    expect(nodeFault(version)).toBeUndefined();
  });

  it.each(["20.20.2", "22.18.9", "8.0.0"])("refuses Node %s and says what it needs", (version) => {
    expect(nodeFault(version)).toBe(
      `Troupe needs Node.js 22.19 or newer: this is Node.js ${version}. Install a newer one.`,
    );
  });
});

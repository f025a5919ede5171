import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { libraryVersions, nodeFault, nodeRange, rangeOf } from "./versions.ts";

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
  it("agrees with the range of the packages", () => {
    const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
      engines: { node: string };
    };
    expect(nodeRange).toBe(engines.node);
  });

  it.each(["22.19.0", "22.23.3", "24.14.0", "24.21.0", "26.0.0", "27.1.0"])("accepts Node %s", (version) => {
    expect(nodeFault(version)).toBeUndefined();
  });

  it.each(["20.20.2", "22.18.9", "8.0.0", "23.11.0", "24.13.9", "25.9.0"])(
    "refuses Node %s and says what it needs",
    (version) => {
      expect(nodeFault(version)).toBe(
        `Troupe needs Node.js 22 from 22.19 on, 24 from 24.14 on, or 26 and later: this is Node.js ${version}.`,
      );
    },
  );
});

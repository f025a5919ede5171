import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { findCitations } from "./citations.ts";
import type { Citation } from "./citations.ts";

/** Lists the files of the repository that match a pattern, including uncommitted ones. */
export function listFiles(...patterns: string[]): string[] {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", ...patterns], { encoding: "utf8" });
  return listed.split("\n").filter((file) => file !== "" && existsSync(file));
}

/** Reads the citations in all tests and conformance suites of the repository. */
export function readCitations(): Citation[] {
  return listFiles("*.test.ts", "packages/core/src/testing/conformance/*-cases.ts").flatMap((file) =>
    findCitations(file, readFileSync(file, "utf8")),
  );
}

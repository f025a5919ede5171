import { join } from "node:path";
import { expect, it } from "vitest";
import * as houseLayers from "./layers.ts";
import { findViolations } from "./find-violations.ts";
import { readWorkspace } from "./read-workspace.ts";

it("findViolations finds nothing in this repository", () => {
  expect(findViolations(readWorkspace(join(import.meta.dirname, "../..")), houseLayers)).toEqual([]);
});

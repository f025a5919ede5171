import { readFileSync } from "node:fs";
import { serviceError } from "@troupe-internal/toolkit";
import type { ServiceProblem } from "@troupe-internal/toolkit";
import { expect, it } from "vitest";

const problems = {
  blocked: true,
  credential_missing: true,
  credential_refused: true,
  forbidden: true,
  quota_exceeded: true,
  rate_limited: true,
  not_found: true,
  refused: true,
  unavailable: true,
  unreachable: true,
  timeout: true,
  unreadable: true,
  too_large: true,
  redirected: true,
  outcome_unknown: true,
} as const satisfies Record<ServiceProblem, true>;

it("docs/toolkit-errors.md lists every problem of a toolkit with its code [toolkit.errors]", () => {
  const page = readFileSync(new URL("../../../../docs/toolkit-errors.md", import.meta.url), "utf8");
  const listed = [...page.matchAll(/^\| `(\w+)` *\| `(\w+)` *\|/gm)].map(([, problem, code]) => [problem, code]);
  const codes = (Object.keys(problems) as ServiceProblem[]).map((problem) => [
    problem,
    serviceError("Library", { problem }).code,
  ]);

  expect(listed).toEqual(codes);
});

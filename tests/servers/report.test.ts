import { expect, it } from "vitest";
import { judge } from "./report.ts";

const on = (server: string, [status, fullName]: [string, string], more: { reason?: string } = {}) => ({
  fullName,
  status,
  meta: { served: { server, ...more } },
});

it("the report counts the tests of a server, those that need another one by their reason, and those that serve nothing", () => {
  const tests = [
    on("hono", ["passed", "a"]),
    on("node", ["passed", "b"], { reason: "it needs Express" }),
    { fullName: "c", status: "passed", meta: {} },
  ];

  expect(judge("hono", tests)).toEqual({
    passed: 1,
    elsewhere: new Map([["it needs Express", 1]]),
    without: 1,
    gaps: new Map(),
    faults: [],
  });
});

it("the report names a failed test that is no declared gap", () => {
  expect(judge("connect", [on("connect", ["failed", "a"])]).faults).toEqual(["failed: a"]);
});

it("the report names a declared gap that is closed, and takes one that is as declared", () => {
  const name = "requestLogger logs";
  const { faults } = judge("fastify", [on("fastify", ["failed", name]), on("fastify", ["failed", name])]);

  expect(faults.some((fault) => fault.includes("requestLogger"))).toBe(false);
  expect(faults).toContain(
    '0 instead of 5 tests "a request to an agent, team or workflow named" fail since Fastify answers a path with a broken escape by itself',
  );
});

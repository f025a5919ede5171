import { expect, it } from "vitest";
import { checkRuntime } from "./check-runtime.ts";

it("checkRuntime refuses a runtime without Promise.withResolvers and names the version", () => {
  expect(() => checkRuntime({}, "20.20.2")).toThrow(
    "Troupe needs Node.js 22 from 22.19 on, 24 from 24.14 on, or 26 and later, or a runtime of the same age: this is Node.js 20.20.2. Install a newer one.",
  );
  expect(() => checkRuntime({}, "")).toThrow("Node.js 22 from 22.19 on");
});

it("checkRuntime accepts the runtime of these tests", () => {
  expect(() => checkRuntime()).not.toThrow();
});

import { expect, it } from "vitest";
import { checkRuntime } from "./check-runtime.ts";

it("checkRuntime refuses a runtime without Promise.withResolvers and names the version", () => {
  expect(() => checkRuntime({}, "20.20.2")).toThrow(
    "Troupe needs Node.js 22.19 or newer, or a runtime of the same age: this is Node.js 20.20.2. Install a newer one.",
  );
  expect(() => checkRuntime({}, "")).toThrow("Node.js 22.19");
});

it("checkRuntime accepts the runtime of these tests", () => {
  expect(() => checkRuntime()).not.toThrow();
});

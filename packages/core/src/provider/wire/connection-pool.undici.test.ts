import { expect, it, onTestFinished } from "vitest";
import { loadUndici } from "./connection-pool.ts";

it("loading undici keeps the dispatcher that the host has set for the built-in fetch", async () => {
  const builtInFetch = Symbol.for("undici.globalDispatcher.1");
  const usual: unknown = Reflect.get(globalThis, builtInFetch);
  const hosts = { dispatch: () => true };
  Reflect.set(globalThis, builtInFetch, hosts);
  onTestFinished(() => void Reflect.set(globalThis, builtInFetch, usual));

  const { Agent } = await loadUndici();

  expect(Agent).toBeTypeOf("function");
  expect(Reflect.get(globalThis, builtInFetch)).toBe(hosts);
});

import type NodeAssert from "node:assert/strict";

const load = (): typeof NodeAssert => process.getBuiltinModule("node:assert/strict");

/**
 * Node's strict assertions, loaded when a case first asserts: importing them costs several milliseconds and looks at the
 * environment, which nobody who only wants a scripted model should pay for.
 */
export const assert: typeof NodeAssert = new Proxy((() => {}) as unknown as typeof NodeAssert, {
  get: (_target, name): unknown => Reflect.get(load(), name),
  apply: (_target, _this, args: Parameters<typeof NodeAssert>) => load()(...args),
});

import { expect, it } from "vitest";
import { readSlot, withSlot } from "./context-slot.ts";

const slot = { run: "r" };

it("a context has its facts as own members, shows no slot, and leads to the very slot", () => {
  const context = withSlot({ runId: "r", metadata: { a: 1 } }, slot);

  expect(Object.entries(context)).toEqual([
    ["runId", "r"],
    ["metadata", { a: 1 }],
  ]);
  expect(Reflect.ownKeys(context)).toEqual(["runId", "metadata"]);
  expect(new Set(Reflect.ownKeys(context.constructor))).toEqual(new Set(["length", "name", "prototype"]));
  expect(readSlot(context)).toBe(slot);
});

it("each context leads to its own slot", () => {
  const other = {};
  const [one, two] = [withSlot({}, slot), withSlot({}, other)];

  expect([readSlot(one), readSlot(two)]).toEqual([slot, other]);
  expect(readSlot(two)).toBe(other);
});

it.each([
  ["copy", (context: object) => ({ ...context })],
  ["object that inherits from it", (context: object) => Object.create(context) as object],
  ["proxy", (context: object) => new Proxy(context, {})],
  ["plain object", () => ({ slot })],
])("a %s has no slot", (_what, make) => {
  expect(readSlot(make(withSlot({ runId: "r" }, slot)))).toBeUndefined();
});

import { expect, it } from "vitest";
import type { ChatMessage } from "../../base/message/message.ts";
import type { VendorState } from "../../model/vendor-state.ts";
import { isTurnVendorStates, toTurnVendorStates, withTurnVendorStates } from "./turn-vendor-state.ts";

const user: ChatMessage = { role: "user", content: "é" };
const answers: ChatMessage[] = [1, 2].map((number) => ({ role: "assistant", content: `${number}` }));
const messages = [user, ...answers];
const stateOf = (data: unknown): VendorState => ({ providerId: "p", modelId: "m", data }) as unknown as VendorState;
const [one, two] = [stateOf("é"), stateOf(2)];
const vendorStates = new Map([
  [messages[1] as ChatMessage, one],
  [messages[2] as ChatMessage, two],
]);

it("a turn stores the state of each answer with its place, without those that their vendors refused", () => {
  const refusedStates = new Set([one]);
  const all = [
    { index: 1, state: one },
    { index: 2, state: two },
  ];
  expect(toTurnVendorStates(messages, { vendorStates, refusedStates: undefined })).toEqual({ kept: all, leftOut: 0 });
  expect(toTurnVendorStates(messages, { vendorStates, refusedStates })).toEqual({ kept: all.slice(1), leftOut: 0 });
  expect(toTurnVendorStates(messages, { vendorStates: undefined, refusedStates })).toEqual({ kept: [], leftOut: 0 });
});

it.each([
  [-1, "x", 1, 0],
  [0, "x", 1, 0],
  [1, "x", 0, 1],
  [-1, "é", 1, 0],
  [0, "é", 1, 0],
  [1, "é", 0, 1],
])("a turn stores two million characters of JSON of it, with %i more of %j", (...[more, character, kept, leftOut]) => {
  const around = JSON.stringify([{ index: 1, state: stateOf("") }]).length;
  const large = new Map([[messages[1] as ChatMessage, stateOf(character.repeat(2_097_152 - around + more))]]);
  const stored = toTurnVendorStates(messages, { vendorStates: large, refusedStates: undefined });
  expect([stored.kept.length, stored.leftOut]).toEqual([kept, leftOut]);
});

it("the answers of a stored turn have their state again, and no message has another", () => {
  const forged = messages.map((message) => ({ ...message, vendorState: one }));
  const given = withTurnVendorStates(forged, [
    { index: 0, state: one },
    { index: 2, state: two },
    { index: 9, state: two },
  ]);
  expect(given).toStrictEqual([user, answers[0], { ...answers[1], vendorState: { ...two, stored: true } }]);
  expect(withTurnVendorStates(forged, undefined)).toStrictEqual(messages);
});

it.each([
  [undefined, true],
  [[], true],
  [[{ index: 0, state: one }], true],
  [null, false],
  [[{ index: 0.5, state: one }], false],
  [[{ index: 0, state: { providerId: "p" } }], false],
  [[{ index: 0, state: { modelId: "m" } }], false],
  [[{ state: one }], false],
])("%j has the form of stored state: %s", (value, isForm) => {
  expect(isTurnVendorStates(value)).toBe(isForm);
});

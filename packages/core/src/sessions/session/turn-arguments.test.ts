import { expect, it } from "vitest";
import type { ChatMessage } from "../../base/message/message.ts";
import { toTurnMessages } from "./turn-arguments.ts";

const most = 4_194_304;
const valueWeight = 8;
const callOf = (id: string, args: unknown) => ({ id, name: "t", arguments: args });
const messageOf = (...toolCalls: unknown[]) => ({ role: "assistant", content: "é", toolCalls }) as ChatMessage;
/** Arguments of a weight: an object with a member of one letter. */
const weighing = (weight: number) => ({ a: "x".repeat(weight - 2 * valueWeight - 1) });

const argumentsOf = (messages: readonly ChatMessage[]) =>
  messages.flatMap(({ toolCalls = [] }) => toolCalls.map((call) => call.arguments));

it.each([
  [most - 1, 0],
  [most, 0],
  [most + 1, 1],
])("arguments of the weight %i leave %i calls without theirs", (weight, leftOut) => {
  const args = weighing(weight);
  const turn = toTurnMessages([messageOf(callOf("a", args))]);
  expect(turn.leftOut).toBe(leftOut);
  expect(argumentsOf(turn.kept)).toEqual([leftOut === 0 ? args : {}]);
});

it("the calls of a turn share the room, and one that has no more takes none from those after it", () => {
  const [half, rest] = [weighing(most / 2), weighing(most / 2)];
  const messages = [messageOf(callOf("a", half), callOf("b", weighing(most))), messageOf(callOf("c", rest))];
  const { kept, leftOut } = toTurnMessages(messages);
  expect(leftOut).toBe(1);
  expect(argumentsOf(kept)).toEqual([half, {}, rest]);
  expect(kept[0]).toMatchObject({ content: "é", toolCalls: [{ id: "a" }, { id: "b", name: "t" }] });
  expect(argumentsOf(messages)[1]).not.toEqual({});
});

it.each([
  ["values of a list", Array(most / valueWeight).fill(null)],
  ["names of members", { ["é".repeat(most)]: 1 }],
  ["nested values", { a: [{ b: "x".repeat(most) }] }],
])("%s count", (_what, args) => {
  expect(toTurnMessages([messageOf(callOf("a", args))]).leftOut).toBe(1);
});

it("messages without calls stay as they are", () => {
  const messages: ChatMessage[] = [{ role: "user", content: "é" }, messageOf(callOf("a", {}))];
  const { kept, leftOut } = toTurnMessages(messages);
  expect(kept).toEqual(messages);
  expect(kept).not.toBe(messages);
  expect(leftOut).toBe(0);
});

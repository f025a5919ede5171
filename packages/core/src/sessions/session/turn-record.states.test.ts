import { describe, expect, it } from "vitest";
import { turnNamed } from "./test/turns.ts";
import { answersWithState, firstInput, newTurnRecord, readTurnRecord, turnModelMessages } from "./turn-record.ts";
import type { StoredTurn } from "./turn-record.ts";

const at = { namespace: "turns", key: "-/-/s/000000000001" };
const [openai, google] = [
  { providerId: "openai", modelId: "m1" },
  { providerId: "google", modelId: "m2" },
];
const states = [
  { index: 0, state: { ...openai, items: [1] } },
  { index: 2, state: { ...google, items: [2] } },
];
const turn = (name: string, more: object = {}): StoredTurn => ({
  ...newTurnRecord(turnNamed(name)),
  seq: 1,
  ...more,
});
const stateOf = (messages: readonly object[]) =>
  messages.map((message) => (message as { vendorState?: { providerId: string } }).vendorState?.providerId);

describe("the answers of a turn with the state of their vendors", () => {
  it("have it at the answers that it belongs to, marked as stored", () => {
    const messages = answersWithState(turn("a", { vendorStates: states }), new Set());
    expect(stateOf(messages)).toEqual(["openai", undefined, "google"]);
    expect(messages[0]).toEqual({
      ...turn("a").messages[0],
      vendorState: { ...openai, items: [1], stored: true },
    });
  });

  it("have none of a model that refused it later, and add those that refused in this turn", () => {
    const refused = new Set(["openai/m1"]);
    const messages = answersWithState(turn("a", { vendorStates: states, refusedStates: [google] }), refused);
    expect(stateOf(messages)).toEqual([undefined, undefined, "google"]);
    expect([...refused]).toEqual(["openai/m1", "google/m2"]);
  });

  it("keep the state of another model of the same vendor", () => {
    const messages = answersWithState(turn("a", { vendorStates: states }), new Set(["openai/m2", "google/m1"]));
    expect(stateOf(messages)).toEqual(["openai", undefined, "google"]);
  });
});

it("the messages of turns have no state that a model refused in that turn's successors, and their own", () => {
  const turns = [
    turn("a", { vendorStates: states }),
    turn("b", { vendorStates: states, refusedStates: [openai] }),
    turn("c", { vendorStates: states, history: [{ role: "user", content: "Before", vendorState: openai }] }),
  ];
  const messages = turnModelMessages(turns);
  const answered = ["assistant", "tool", "assistant"];
  expect(messages.map(({ role, content }) => (role === "user" ? content : role))).toEqual(
    [["Look at a."], answered, ["Look at b."], answered, ["Before", "Look at c."], answered].flat(),
  );
  const none = undefined;
  expect(stateOf(messages)).toEqual(
    [
      [none, none, none, "google"],
      [none, "openai", none, "google"],
      [none, none, "openai", none, "google"],
    ].flat(),
  );
});

it.each([
  [undefined, "Look at a."],
  [[], "Look at a."],
  [[{ role: "assistant", content: "Hi" }], "Look at a."],
  [
    [
      { role: "assistant", content: "Hi" },
      { role: "user", content: "First" },
      { role: "user", content: "Second" },
    ],
    "First",
  ],
])("the first message of a user in a turn with the history %j is %j", (history, content) => {
  expect(firstInput({ ...turnNamed("a"), ...(history !== undefined && { history: history as never }) })).toBe(content);
});

describe("a stored turn", () => {
  const record = newTurnRecord(turnNamed("a"));

  it.each([
    { refusedStates: [openai] },
    { refusedStates: [] },
    { vendorStates: JSON.stringify(states) },
    { history: [{ role: "user", content: "Before" }] },
    { sources: [{ id: "1", url: "https://example.com/" }] },
  ])("may have %j", (more) => {
    expect(() => readTurnRecord({ ...record, ...more }, at)).not.toThrow();
  });

  it.each([
    { refusedStates: openai },
    { refusedStates: [{ providerId: "openai" }] },
    { refusedStates: [{ modelId: "m" }] },
    { vendorStates: "{" },
    { vendorStates: [{ index: 0.5, state: openai }] },
    { vendorStates: [{ index: 0, state: {} }] },
    { history: {} },
    { history: [{ role: "robot", content: "" }] },
    { sources: [{}] },
    { sources: "a" },
    { usage: { promptTokens: 1, completionTokens: 1 } },
    { usage: { promptTokens: 1, totalTokens: 1 } },
    { usage: { completionTokens: 1, totalTokens: 1 } },
    { usage: { promptTokens: null, completionTokens: 1, totalTokens: 1 } },
    { usage: null },
  ])("is damaged with %j", (more) => {
    expect(() => readTurnRecord({ ...record, ...more }, at)).toThrow(
      expect.objectContaining({ code: "storage_corrupt", fields: at }),
    );
  });
});

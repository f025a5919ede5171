import { expect, it } from "vitest";
import { readRunnables, readWorkflows } from "./served-registry.ts";

const where = { owner: "createServer" };
const act = () => undefined;
const agent = { kind: "agent", name: "a", run: act, stream: act } as never;
const workflow = { name: "w", run: act, stream: act, asRunnable: act } as never;
const refused = (...texts: string[]) =>
  expect.objectContaining({ code: "invalid_config", message: expect.stringMatching(texts.join(".*")) });

it("entries are copied by name: what the host adds later is not served", () => {
  const given: Record<string, never> = { "größe 1": agent };
  const read = readRunnables(given, "agents", where);
  given["late"] = agent;
  expect([...read]).toEqual([["größe 1", agent]]);
  expect([...readRunnables(new Map([["m", agent]]), "agents", where)]).toEqual([["m", agent]]);
  expect([...readWorkflows({ w: workflow }, "workflows", where)]).toEqual([["w", workflow]]);
  expect(readRunnables(undefined, "agents", where).size).toBe(0);
  expect(readWorkflows(undefined, "workflows", where).size).toBe(0);
});

it.each(["x", "x".repeat(128), "...", ".a", "a.", "é", "a b", "%2f", "constructor"])(
  "an entry may be called %j",
  (name) => {
    expect(readRunnables({ [name]: agent }, "agents", where).has(name)).toBe(true);
  },
);

it.each(["", ".", "..", "a/b", "a\\b", "a\u0000", "a\nb", "a\u0085", "\ud800", "x".repeat(129)])(
  "no entry may be called %j",
  (name) => {
    expect(() => readRunnables({ [name]: agent }, "agents", where)).toThrow(refused("in agents", "segment of a path"));
  },
);

it.each([[null], ["a"], [7], [[agent]]])("no registry is %j", (registry) => {
  expect(() => readRunnables(registry as never, "teams", where)).toThrow(refused("teams"));
});

it.each([[undefined], [null], [{}], [{ run: act }], ["a"]])("no agent is %j, and it is named", (entry) => {
  expect(() => readRunnables({ "a b": entry }, "agents", where)).toThrow(refused('agents\\["a b"\\]'));
});

it("a workflow belongs under workflows, and an agent does not", () => {
  expect(() => readRunnables({ w: workflow }, "agents", where)).toThrow(refused("is a workflow", "asRunnable"));
  expect(() => readWorkflows({ a: agent }, "workflows", where)).toThrow(refused('workflows\\["a"\\]'));
});

it.each([
  ["a/b", '"a/b"'],
  [7, "7"],
  [undefined, "undefined"],
])("a refused registry says which name of a Map cannot be served, and what may be: %j", (name, shown) => {
  const read = () => readWorkflows(new Map([[name, workflow]]), "workflows", where);
  const message =
    `The name ${shown} in workflows cannot be a segment of a path. Expected 1 to 128 characters ` +
    "other than slash, backslash and control characters, and neither . nor ..";
  expect(read).toThrow(expect.objectContaining({ code: "invalid_config", message }));
});

it.each<[what: string, read: () => unknown, message: string]>([
  [
    "an agent",
    () => readRunnables({ a: { run: act } }, "agents", where),
    'agents["a"] must be an agent, a team or another Runnable, with the methods run and stream, got an object.',
  ],
  [
    "a workflow",
    () => readWorkflows({ w: { run: act, stream: act } }, "workflows", where),
    'workflows["w"] must be a Workflow (agents and teams have options of their own), with the methods run, stream and asRunnable, got an object.',
  ],
  [
    "a workflow among teams",
    () => readRunnables({ w: workflow }, "teams", where),
    'teams["w"] is a workflow. Register it in workflows, or as workflow.asRunnable().',
  ],
  [
    "a registry",
    () => readRunnables([], "teams", where),
    "teams must be an object or a Map of entries by name, got an array.",
  ],
])("says what is wrong with %s, and where", (_what, read, message) => {
  expect(read).toThrow(expect.objectContaining({ code: "invalid_config", message }));
});

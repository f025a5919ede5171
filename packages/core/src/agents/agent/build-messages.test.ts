import { describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { AgentUserMemory } from "../memory/agent-user-memory.ts";
import type { ContentPart } from "../../base/message/content.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { RunOpts } from "../run/run-options.ts";
import { resolveRunOpts } from "../run/resolve-run-opts.ts";
import { testRun } from "../run/test/test-run.ts";
import type { OpenSession } from "../../sessions/session/open-session.ts";
import type { StoredTurn } from "../../sessions/session/turn-record.ts";
import type { AgentConfig } from "./agent-config.ts";
import type { AgentParts } from "./agent-parts.ts";
import { buildMessages } from "./build-messages.ts";
import type { RememberedHistory, SessionMemory } from "./session-memory.ts";
import { systemMessages } from "./system-prompt.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";

const user = (content: ChatMessage["content"]) => ({ role: "user", content }) as ChatMessage;
const answer = (content: string): ChatMessage => ({ role: "assistant", content });
const state = { providerId: "v", modelId: "m", items: [] };
const turn = (seq: number) => ({ seq, input: `q${seq}`, messages: [answer(`a${seq}`)] }) as unknown as StoredTurn;
const turns = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => turn(from + index));
const messagesOf = (from: number, to: number) =>
  turns(from, to).flatMap(({ input, messages }) => [user(input), ...messages]);

type Scene = {
  config?: Partial<AgentConfig>;
  opts?: RunOpts;
  past?: StoredTurn[];
  recalled?: RememberedHistory;
  instructions?: string;
};

/** Returns the messages that a run of this configuration sends. */
async function built({ config = {}, opts = {}, past = [], recalled, instructions }: Scene) {
  const run = testRun({}, { input: "Hi", settings: resolveRunOpts(opts) });
  const warn = vi.spyOn(run, "warn");
  const loadPart = vi.fn<OpenSession["loadPart"]>(
    async () => await Promise.resolve({ type: "file", data: "x" } as ContentPart),
  );
  const loadTurns = vi.fn<OpenSession["loadTurnsWithoutData"]>(
    async (count) => await Promise.resolve(count === 0 ? [] : past.slice(-count)),
  );
  const session = { loadTurnsWithoutData: loadTurns, loadPart } as unknown as OpenSession;
  const recall = vi.fn<SessionMemory["recall"]>(async () => await Promise.resolve(recalled as RememberedHistory));
  const memory = recalled && ({ recall } as unknown as SessionMemory);
  const made = await buildMessages({ config } as unknown as AgentParts, run, { session, memory, instructions });
  return { ...made, run, warn, loadTurns, loadPart, recall, session };
}

describe("the system prompt", () => {
  it.each<[what: string, scene: Scene, prompt: { instructions: string; additions: string }]>([
    ["none", {}, { instructions: "", additions: "" }],
    ["the agent's", { config: { instructions: "A." } }, { instructions: "A.", additions: "" }],
    ["the run's first", { config: { instructions: "A." }, instructions: "" }, { instructions: "", additions: "" }],
    [
      "a made one",
      { config: { instructions: async () => await Promise.resolve("M.") } },
      { instructions: "M.", additions: "" },
    ],
    ["nothing made", { config: { instructions: (() => undefined) as never } }, { instructions: "", additions: "" }],
    ["null made", { config: { instructions: (() => null) as never } }, { instructions: "", additions: "" }],
    ["a number made", { config: { instructions: (() => 5) as never } }, { instructions: "5", additions: "" }],
  ])("has the instructions: %s", async (_, scene, prompt) => {
    const made = await built(scene);

    expect(made.prompt).toStrictEqual(prompt);
    expect(made.messages).toStrictEqual([...systemMessages(prompt), user("Hi")]);
    expect(made.fillMessages).toBeUndefined();
  });

  it("is made by the context of the run", async () => {
    const instructions = vi.fn<() => string>(() => "M.");
    const { run } = await built({ config: { instructions } });

    expect(instructions.mock.calls).toEqual([[run.context]]);
  });

  it.each([
    [new TroupeError("rate_limited", "Later."), "rate_limited", "Later."],
    [new Error("down"), expect.any(String), "The function instructions failed: down"],
  ])("ends the run with what its function throws", async (thrown, code, message) => {
    const instructions = async () => await Promise.reject(thrown);

    await expect(built({ config: { instructions } })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  const memory = (facts: unknown, more: { bindStorage?: () => void } = {}) => {
    const getContextString = vi.fn<AgentUserMemory["getContextString"]>(
      async () => await Promise.resolve(facts as string),
    );
    return { getContextString, extractAndStore: () => {}, clear: () => {}, ...more };
  };
  const recalled = { messages: [], context: "Long ago.", through: 1 };

  it.each<[what: string, scene: Scene, additions: string]>([
    ["summaries, then facts", { config: { userMemory: memory("Facts.") }, recalled }, "Long ago.\n\nFacts."],
    ["facts alone", { config: { userMemory: memory("Facts.") } }, "Facts."],
    ["summaries alone", { config: { userMemory: memory("") }, recalled }, "Long ago."],
    ["no summaries without the history", { config: { addHistoryToMessages: false }, recalled }, ""],
  ])("has what memories add: %s", async (_, scene, additions) => {
    const { prompt } = await built({ ...scene, opts: { userId: "ann" } });

    expect(prompt).toStrictEqual({ instructions: "", additions });
  });

  it.each<[opts: RunOpts, more: { bindStorage?: () => void }, id: string]>([
    [{ userId: "ann" }, {}, "ann"],
    [{ userId: "ann", tenantId: "acme" }, {}, "acme/ann"],
    [attemptOpts({ userId: "ann", verified: false }), {}, "-/~ann"],
    [attemptOpts({ userId: "ann", tenantId: "acme", verified: false }), { bindStorage: () => {} }, "ann"],
  ])("has the facts of the run's user, and of no other: %j", async (opts, more, id) => {
    const userMemory = memory("Facts.", more);
    const { run } = await built({ config: { userMemory }, opts });

    const { tenantId, verified } = run.settings;
    expect(userMemory.getContextString.mock.calls).toEqual([[id, { tenantId, verified, signal: run.signal }]]);
  });

  it.each([
    [
      false,
      [
        "user_id_missing",
        "userMemory has no effect in this run: it has no userId. Pass userId in the options of the run, or set it on the agent.",
      ],
    ],
    [true, undefined],
  ])("has none without a user, with a warning unless the run is from outside: %s", async (fromOutside, warning) => {
    const userMemory = memory("Facts.");
    const { prompt, warn } = await built({ config: { userMemory }, opts: attemptOpts({ fromOutside }) });

    expect(prompt.additions).toBe("");
    expect(userMemory.getContextString).not.toHaveBeenCalled();
    expect(warn.mock.calls).toEqual(warning === undefined ? [] : [warning]);
  });

  it.each([[undefined], [null], [["Facts."]]])("needs facts that are a string: %j", async (facts) => {
    await expect(built({ config: { userMemory: memory(facts) }, opts: { userId: "ann" } })).rejects.toMatchObject({
      code: "invalid_value",
      message: "The user memory's getContextString must return a string, or a promise of it.",
    });
  });
});

describe("the history", () => {
  it.each<[what: string, config: Partial<AgentConfig>, loads: number, history: ChatMessage[]]>([
    ["fifty turns without a number", {}, 50, messagesOf(25, 71)],
    ["as many as there are to be", { numHistoryRuns: 2 }, 2, messagesOf(70, 71)],
    ["none", { numHistoryRuns: 0 }, 0, []],
    ["all of them", { numHistoryRuns: 100 }, 100, messagesOf(1, 71)],
  ])("is that of the session: %s", async (...[, config, loads, history]) => {
    const { messages, loadTurns, run } = await built({ config, past: turns(1, 71) });

    expect(loadTurns.mock.calls).toEqual([[loads, run.signal]]);
    expect(messages.map(({ content }) => content)).toEqual([...history, user("Hi")].map(({ content }) => content));
  });

  it("is not read where it is off", async () => {
    const { messages, loadTurns } = await built({ config: { addHistoryToMessages: false }, past: turns(1, 3) });

    expect(messages).toEqual([user("Hi")]);
    expect(loadTurns).not.toHaveBeenCalled();
  });

  it.each<[config: Partial<AgentConfig>, history: ChatMessage[]]>([
    [{}, messagesOf(1, 2)],
    [{ numHistoryRuns: 1 }, messagesOf(2, 2)],
    [{ addHistoryToMessages: false }, []],
  ])("is that which the run was given, without state of vendors: %j", async (config, history) => {
    const given = messagesOf(1, 2).map((message) => ({ ...message, vendorState: state })) as ChatMessage[];
    const recalled = { messages: messagesOf(8, 9), context: "Long ago.", through: 9 };
    const settings = { ...resolveRunOpts({}), messages: given };
    const run = testRun({}, { settings });
    const recall = vi.fn<SessionMemory["recall"]>(async () => await Promise.resolve(recalled));
    const past = {
      session: {} as OpenSession,
      memory: { recall } as unknown as SessionMemory,
      instructions: undefined,
    };
    const { messages, prompt } = await buildMessages({ config } as unknown as AgentParts, run, past);

    expect(messages).toStrictEqual([...history, user("Hi")]);
    expect(prompt.additions).toBe("");
    expect(recall).toHaveBeenCalledOnce();
  });

  it.each<[what: string, recalled: Partial<RememberedHistory>, config: Partial<AgentConfig>, first: number]>([
    ["all that there is, where it begins with a block", { messages: messagesOf(1, 8), through: 8 }, {}, 1],
    ["from the next block on", { messages: messagesOf(2, 9), through: 9 }, {}, 3],
    ["all after summaries", { messages: messagesOf(2, 9), through: 9, context: "Long ago." }, {}, 2],
    ["all of no known turn", { messages: messagesOf(2, 9), through: 0 }, {}, 2],
    ["all without numbers", { messages: messagesOf(2, 9), through: Number.MAX_SAFE_INTEGER }, {}, 2],
    ["exactly so many", { messages: messagesOf(2, 9), through: 9 }, { numHistoryRuns: 7 }, 3],
    [
      "exactly so many after summaries",
      { messages: messagesOf(2, 9), through: 9, context: "L." },
      { numHistoryRuns: 2 },
      8,
    ],
    ["no fewer than there are", { messages: messagesOf(2, 9), through: 9 }, { numHistoryRuns: 8 }, 3],
  ])("is that of a memory: %s", async (...[, recalled, config, first]) => {
    const { messages, loadTurns, recall, session } = await built({
      config,
      recalled: { context: "", ...recalled } as RememberedHistory,
    });

    expect(messages.find(({ role }) => role === "user")?.content).toBe(`q${first}`);
    expect(messages.at(-1)).toEqual(user("Hi"));
    expect(loadTurns).not.toHaveBeenCalled();
    expect(recall.mock.calls).toEqual([[session]]);
  });

  it("has its stored data read from the session until the run ends", async () => {
    const stored = {
      type: "file",
      stored: { seq: 1, index: 0, id: "w", bytes: 1, pieces: 1 },
    } as unknown as ContentPart;
    const past = [{ ...turn(1), input: [stored] }];
    const { fillMessages, messages, loadPart, run } = await built({ past });

    expect((await fillMessages?.(messages))?.[0]?.content).toEqual([{ type: "file", data: "x" }]);
    expect(loadPart.mock.calls).toEqual([[stored, run.signal]]);
  });
});

import { afterEach, describe, expect, it, vi } from "vitest";
import type { LoopPlan } from "../agent/loop-plan.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { openJournal } from "../journal/test/journals.ts";
import type { MessageContent } from "../../base/message/content.ts";
import type { ToolCallResult } from "../../base/message/tool-call.ts";
import type { RunOpts } from "../run/run-options.ts";
import type { Run } from "../run/run.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { testRun } from "../run/test/test-run.ts";
import { batchOf, callOf, resultOf, resultsOf } from "../tool/test/batch.ts";
import { delegateInParallel, delegationTools } from "./delegation.ts";
import type { MemberTask } from "./delegation.ts";
import { MemberRuns } from "./member-runs.ts";
import type { TeamMember } from "./members.ts";
import type { TeamRunPlan } from "./team-plan.ts";
import { plainMembers } from "./test/plain-members.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";

afterEach(() => void vi.useRealTimers());

/** The plan of a run of a team, as far as delegations need it. */
function planOf(members: readonly TeamMember[], opts: RunOpts = {}): TeamRunPlan {
  const run = testRun(opts);
  run.start();
  const memberRuns = new MemberRuns({ run, members, persists: false, isShown: false });
  const orchestrator = { run, maxParallelTools: 1 } as LoopPlan;
  return { run, members, memberRuns, orchestrator, maxRounds: 1, streams: false };
}

function taskFor(member: TeamMember, content: MessageContent = `Task for ${member.name}`): MemberTask {
  return { member, content, args: { about: member.name } };
}

/** Delegates to members, and returns the chunks and the results. */
async function delegated(plan: TeamRunPlan, tasks: readonly MemberTask[]) {
  const chunks: StreamChunk[] = [];
  const work = delegateInParallel(plan, tasks);
  let next = await work.next();
  for (; next.done !== true; next = await work.next()) chunks.push(next.value);
  return { chunks, results: next.value };
}

function idsOf(results: readonly ToolCallResult[]): string[] {
  return results.map(({ toolCallId }) => toolCallId);
}

/** Delegates in three rounds, and returns the ids of the calls. */
async function roundsOf(opts: RunOpts): Promise<string[][]> {
  const members = plainMembers({ ann: {}, bob: {} });
  const plan = planOf(members, opts);
  const rounds: string[][] = [];
  for (let round = 0; round < 3; round++) {
    const { results } = await delegated(
      plan,
      members.slice(round === 1 ? 1 : 0).map((each) => taskFor(each)),
    );
    rounds.push(idsOf(results));
  }
  return rounds;
}

describe("delegations without a call by a model", () => {
  it("have ids that differ from call to call and from round to round", async () => {
    const rounds = await roundsOf({});
    expect(rounds.map((ids) => ids.length)).toEqual([2, 1, 2]);
    expect(new Set(rounds.flat()).size).toBe(5);
  });

  it("have such ids in a durable run, and the same ones in each attempt", async () => {
    const [first, second] = [await openJournal(), await openJournal()];
    const rounds = await roundsOf(attemptOpts({ steps: first }));
    expect(new Set(rounds.flat()).size).toBe(5);
    expect(await roundsOf(attemptOpts({ steps: second }))).toEqual(rounds);
    // Of a child run they are others.
    const child = await openJournal();
    expect((await roundsOf(attemptOpts({ steps: child.part("c0") }))).flat()).not.toContain(rounds[0]?.[0]);
  });

  it("ask each member for its own task, and record its arguments", async () => {
    const heard: unknown[] = [];
    const run = async (input: MessageContent) => ({ text: String(heard.push(input)) });
    const members = plainMembers({ ann: { run }, bob: { run }, eve: { run } });
    const plan = planOf(members);
    const contents = ["One", [{ type: "text", text: "Two" }], ""] satisfies MessageContent[];
    const { results } = await delegated(
      plan,
      members.map((member, index) => taskFor(member, contents[index])),
    );

    expect(heard).toEqual(contents);
    expect(results).toMatchObject([
      { toolName: "delegate_to_ann", args: { about: "ann" }, result: "1" },
      { toolName: "delegate_to_bob", args: { about: "bob" }, result: "2" },
      { toolName: "delegate_to_eve", args: { about: "eve" }, result: "3" },
    ]);
  });

  it("run at once, and return their results in the order of the tasks, after those of earlier rounds", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `m${index}`);
    const started: string[] = [];
    const last = Promise.withResolvers<void>();
    const memberOf = (name: string) => async () => {
      started.push(name);
      // All wait for the last one, which ends first.
      if (started.length === names.length) last.resolve();
      await last.promise;
      for (let turn = started.length; turn > names.indexOf(name); turn--) await Promise.resolve();
      return {};
    };
    const members = plainMembers(Object.fromEntries(names.map((name) => [name, { run: memberOf(name) }])));
    const plan = planOf(members);
    const early = { toolCallId: "early", toolName: "t", args: {}, result: "", durationMs: 1 };
    plan.run.toolCalls.push(early);
    const tasks = members.map((member) => taskFor(member));
    const { results } = await delegated(plan, tasks);

    expect(results.map(({ result }) => result)).toEqual(names.map((name) => `I am ${name}.`));
    expect(plan.run.toolCalls).toEqual([early, ...results]);
  });

  it("yield the beginnings of all calls, with their arguments, and the end of each", async () => {
    const members = plainMembers({ ann: {}, bob: {} });
    const tasks = members.map((member) => taskFor(member));
    const { chunks, results } = await delegated(planOf(members), tasks);
    const [ann, bob] = idsOf(results);
    const begin = (id: string | undefined, name: string) => [
      { type: "tool_call_start", toolCall: { id, name: `delegate_to_${name}` } },
      { type: "tool_call_delta", toolCallId: id, argumentsDelta: JSON.stringify({ about: name }) },
    ];
    const end = (toolCallId: string | undefined, name: string) => [
      expect.objectContaining({ type: "tool_result", toolCallId, result: `I am ${name}.` }),
      { type: "tool_call_end", toolCallId },
    ];

    expect(chunks).toEqual([...begin(ann, "ann"), ...begin(bob, "bob"), ...end(ann, "ann"), ...end(bob, "bob")]);
  });

  it("pass on the artifacts and sources of a member, and in place of an empty text a note", async () => {
    const artifacts = [{ type: "chart", data: [1], toolCallId: "inner", toolName: "draw" }];
    const sources = [{ id: "1", url: "https://example.com/" }];
    const members = plainMembers({ ann: { run: async () => ({ text: "", artifacts, sources }) } });
    const plan = planOf(members);
    const tasks = members.map((member) => taskFor(member));
    const { chunks, results } = await delegated(plan, tasks);

    expect(results).toMatchObject([{ result: "(no answer)", artifacts: [{ type: "chart", data: [1] }] }]);
    expect(results[0]?.artifacts?.[0]).not.toHaveProperty("toolCallId");
    expect(chunks.at(-1)).toEqual({ type: "source", ...sources[0] });
    expect(plan.run.sources).toEqual(sources);
  });

  it("turn the failure of one member into its result, with what clients may know", async () => {
    const members = plainMembers({
      ann: { run: () => Promise.reject(new TroupeError("rate_limited", "Too many requests.")) },
      bob: {},
      eve: { run: () => Promise.reject(new TypeError("secret of the code")) },
    });
    const tasks = members.map((member) => taskFor(member));
    const { results } = await delegated(planOf(members), tasks);

    expect(results.map(({ error }) => error)).toEqual([
      expect.stringContaining("Too many requests."),
      undefined,
      expect.any(String),
    ]);
    expect(JSON.stringify(results)).not.toContain("secret of the code");
    expect(results[1]?.result).toBe("I am bob.");
  });

  it("end with the run", async () => {
    const stop = new TroupeError("cancelled", "Enough.");
    const runs: Run[] = [];
    const run = async () => {
      runs[0]?.abort(stop);
      return {};
    };
    const members = plainMembers({ ann: { run } });
    const plan = planOf(members);
    runs.push(plan.run);
    const tasks = members.map((member) => taskFor(member));
    await expect(delegated(plan, tasks)).rejects.toBe(stop);
  });
});

describe("the tools of an orchestrator", () => {
  const image = { type: "image", data: "aGk=", mimeType: "image/png" } as const;
  const text = (said: string) => ({ type: "text", text: said }) as const;

  it("are named after the members, with their descriptions", () => {
    const members = plainMembers({ ann: { description: " Knows birds. " }, bob: {}, "é v": { description: " \n" } });
    const tools = delegationTools(members, planOf(members).memberRuns, () => "");
    expect(members.map(({ toolName }) => tools.find(toolName)?.description)).toEqual([
      "Knows birds.",
      "Hands a task to bob.",
      "Hands a task to é v.",
    ]);
  });

  it.each<[what: string, input: MessageContent, asked: MessageContent]>([
    ["a text", "Hi", "Look."],
    ["parts without attachments", [text("Hi"), text("there")], "Look."],
    ["attachments between texts", [image, text("Hi"), image], [text("Look."), image, image]],
    ["an attachment alone", [image], [text("Look."), image]],
  ])("hand a task over with the attachments of the input: %s", async (_what, input, asked) => {
    const heard: MessageContent[] = [];
    const members = plainMembers({ ann: { run: async (content) => ({ text: String(heard.push(content)) }) } });
    let current: MessageContent = "of the beginning";
    const { run, memberRuns } = planOf(members);
    const tools = delegationTools(members, memberRuns, () => current);
    // Guardrails and hooks may replace the input until then.
    current = input;
    await resultOf(batchOf(tools, [callOf("delegate_to_ann", { task: "Look." })], { context: run.context }));

    expect(heard).toEqual([asked]);
  });

  it.each([{}, { task: "" }, { task: 7 }, { task: null }, { task: "Look.", to: "bob" }])(
    "refuse the arguments %j before the member is asked",
    async (args) => {
      const ask = vi.fn<() => Promise<object>>(async () => ({}));
      const members = plainMembers({ ann: { run: ask } });
      const { run, memberRuns } = planOf(members);
      const tools = delegationTools(members, memberRuns, () => "");
      const result = await resultOf(batchOf(tools, [callOf("delegate_to_ann", args)], { context: run.context }));

      expect(result.error).toBeDefined();
      expect(ask).not.toHaveBeenCalled();
    },
  );

  it("have the part of the time that is left when a call starts", () => {
    vi.useFakeTimers();
    const members = plainMembers({ ann: {} });
    const { run, memberRuns } = planOf(members, { limits: { durationMs: 100_000 } });
    const tool = delegationTools(members, memberRuns, () => "").find("delegate_to_ann");
    const left = [0, 50_000, 49_990, 9, 1, 100_000].map((ms) => {
      vi.advanceTimersByTime(ms);
      return tool?.timeoutMs;
    });

    expect(left).toEqual([80_000, 40_000, 8, 1, 1, 1]);
    expect(run.endsAt).toBeLessThan(performance.now());
  });

  it("end a member that takes longer than that, before the run ends", async () => {
    vi.useFakeTimers();
    const signals: (AbortSignal | undefined)[] = [];
    const run = async (_input: MessageContent, { signal }: RunOpts) => {
      signals.push(signal);
      return await new Promise<object>(() => {});
    };
    const members = plainMembers({ ann: { run }, bob: { run } });
    const plan = planOf(members, { limits: { durationMs: 100_000 } });
    const tools = delegationTools(members, plan.memberRuns, () => "");
    vi.advanceTimersByTime(50_000);
    const calls = ["ann", "bob"].map((name) => callOf(`delegate_to_${name}`, { task: "Look." }));
    const done = resultsOf(batchOf(tools, calls, { context: plan.run.context }));
    await vi.advanceTimersByTimeAsync(39_999);
    expect(signals.map((signal) => signal?.aborted)).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(2);

    expect((await done).map(({ error }) => typeof error)).toEqual(["string", "string"]);
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, true]);
  });
});

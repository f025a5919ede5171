import { afterEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { openJournal } from "../journal/test/journals.ts";
import type { ToolCallResult } from "../../base/message/tool-call.ts";
import { deriveContext } from "../run/derive-context.ts";
import type { RunOpts } from "../run/run-options.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { testRun } from "../run/test/test-run.ts";
import { memberSessionId } from "../../sessions/session/session-id.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { MemberRuns } from "./member-runs.ts";
import { createMembers } from "./members.ts";
import type { TeamMember } from "./members.ts";
import { plainMembers } from "./test/plain-members.ts";
import type { PlainMember } from "./test/plain-members.ts";
import { sayer } from "./test/teams.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";

const usage = { promptTokens: 3, completionTokens: 4, totalTokens: 7 };

function runsOf(given: Record<string, PlainMember> | readonly TeamMember[], opts: RunOpts = {}, persists = false) {
  const members = Array.isArray(given) ? (given as TeamMember[]) : plainMembers(given as Record<string, PlainMember>);
  const run = testRun(opts);
  run.start();
  const runs = new MemberRuns({ run, members, persists, isShown: false });
  const delegationTo = (index: number, context = run.context) => {
    const member = members[index];
    if (member === undefined) throw new Error("There is no such member.");
    return { member, content: "Look.", context };
  };
  return { run, runs, members, delegationTo };
}

const failing = (thrown: unknown): PlainMember => ({ run: () => Promise.reject(thrown) });
const resultOf = (error?: string): ToolCallResult => ({
  toolCallId: "c",
  toolName: "t",
  args: {},
  result: "x",
  durationMs: 1,
  ...(error !== undefined && { error }),
});
const failed = [resultOf("failed")];

afterEach(() => void vi.useRealTimers());

describe("a run of a member", () => {
  it.each([true, false])(
    "is in the member's session of the team's (persists: %s), with its signal",
    async (persists) => {
      const given: unknown[] = [];
      const keep = (opts: RunOpts) => void given.push(opts);
      const ann: PlainMember = {
        run: async (input, opts) => await Promise.resolve((given.push(input), keep(opts), {})),
      };
      const { run, runs, delegationTo } = runsOf({ "ann b": ann }, { sessionId: "s" }, persists);
      const output = await runs.run(delegationTo(0));

      const sessionId = memberSessionId("s", "ann b", persists ? undefined : run.runId);
      expect(output).toMatchObject({ text: "I am ann b." });
      expect(given).toEqual(["Look.", { parent: expect.anything(), signal: run.signal, sessionId }]);
    },
  );

  it("counts the usage of a member that does not know the meter, once, also of one that fails", async () => {
    const broken = Object.assign(new Error("secret"), { output: { usage } });
    const { run, runs, delegationTo } = runsOf({
      ann: { run: async () => await Promise.resolve({ usage }) },
      bob: failing(broken),
    });
    await runs.run(delegationTo(0));
    expect(run.meter.total).toEqual(usage);
    await expect(runs.run(delegationTo(1))).rejects.toMatchObject({ code: expect.any(String) });
    expect(run.meter.total.totalTokens).toBe(14);
  });

  it("counts the usage of a member that does know the meter once", async () => {
    const { agent } = sayer("ann", { text: "Hi.", usage });
    const { run, runs, delegationTo } = runsOf(createMembers([agent]));
    await runs.run(delegationTo(0));

    expect(run.meter.total).toEqual(usage);
  });

  it("refuses an output without a text, and names the member that threw an exception", async () => {
    const { runs, delegationTo } = runsOf({
      ann: { run: async () => await Promise.resolve({ text: 1 as unknown as string }) },
      bob: failing(new Error("secret")),
      cid: failing(new TroupeError("rate_limited", "Too fast.")),
    });

    await expect(runs.run(delegationTo(0))).rejects.toMatchObject({
      code: "invalid_value",
      message: "The output of a member must have a text of type string.",
    });
    await expect(runs.run(delegationTo(1))).rejects.toMatchObject({
      code: "internal",
      message: expect.stringMatching(/^The member "bob" failed/),
    });
    await expect(runs.run(delegationTo(2))).rejects.toMatchObject({ code: "rate_limited", message: "Too fast." });
  });

  it("yields the chunks of a stream without its end, and returns its output and the reason of its end", async () => {
    const { agent } = sayer("ann", { text: ["a ", "b"], finishReason: "length" });
    const { runs, delegationTo } = runsOf(createMembers([agent]));
    const stream = runs.stream(delegationTo(0));
    const chunks: StreamChunk[] = [];
    let next = await stream.next();
    for (; next.done !== true; next = await stream.next()) chunks.push(next.value);

    expect(chunks).toEqual([
      { type: "text", text: "a " },
      { type: "text", text: "b" },
    ]);
    expect(next.value).toMatchObject({ output: { text: "a b" }, finishReason: "length" });
  });

  it("fails as a stream as it does at once", async () => {
    const { agent } = sayer(
      "ann",
      { error: new TroupeError("rate_limited", "Too fast.") },
      { retry: { maxRetries: 0 } },
    );
    const { runs, delegationTo } = runsOf(createMembers([agent]));

    await expect(runs.stream(delegationTo(0)).next()).rejects.toMatchObject({ code: "rate_limited" });
    expect(() => runs.requireAnAnswer(failed)).toThrow("All members of the team failed");
  });

  it("may take four fifths of the time that is left", () => {
    vi.useFakeTimers();
    const { runs } = runsOf({ ann: {} }, { limits: { durationMs: 1001 } });
    const times = [0, 500, 500, 5000].map((ms) => (vi.advanceTimersByTime(ms), runs.timeoutMs));

    expect(times).toEqual([800, 400, 1, 1]);
  });
});

describe("a team whose members all fail", () => {
  const limited = new TroupeError("rate_limited", "Too fast.");
  const late = new TroupeError("timeout", "Too late.");
  const cancelled = new TroupeError("cancelled", "Stopped.");
  const sentence = "All members of the team failed, so it has no answer";

  it.each<[string, unknown[], object]>([
    [
      "with one code",
      [limited, new TroupeError("rate_limited", "Slow down.")],
      { code: "rate_limited", message: `${sentence}.`, cause: limited },
    ],
    ["with several codes", [limited, late], { code: "model_failed", message: `${sentence}.`, cause: limited }],
    [
      "because they were cancelled",
      [cancelled, cancelled],
      { code: "model_failed", message: `${sentence}.`, cause: cancelled },
    ],
    [
      "by exceptions",
      [new Error("secret"), new Error("secret")],
      { code: "internal", message: expect.stringMatching(`^${sentence}: The member "m0" `) },
    ],
  ])("fails %s", async (_how, errors, expected) => {
    const { runs, delegationTo } = runsOf(
      Object.fromEntries(errors.map((error, index) => [`m${index}`, failing(error)])),
    );
    for (const [index] of errors.entries()) {
      expect(() => runs.requireAnAnswer(failed)).not.toThrow();
      await expect(runs.run(delegationTo(index))).rejects.toBeInstanceOf(TroupeError);
    }

    expect(() => runs.requireAnAnswer([resultOf("failed"), resultOf()])).not.toThrow();
    expect(() => runs.requireAnAnswer(failed)).toThrow(expect.objectContaining(expected));
  });

  it("takes a member without an end for one that was too late", () => {
    const { runs, delegationTo } = runsOf({ ann: { run: () => new Promise(() => {}) } });
    void runs.run(delegationTo(0));

    expect(() => runs.requireAnAnswer(failed)).toThrow(
      expect.objectContaining({ code: "timeout", message: `${sentence}.` }),
    );
  });

  it("knows of delegations whose results a later attempt has from the journal", async () => {
    const storage = new InMemoryStorage();
    const first = await openJournal(storage);
    const before = runsOf({ ann: { ...failing(limited), effect: "pure" }, bob: {} }, attemptOpts({ steps: first }));
    const context = deriveContext(before.run.context, {}, { steps: first.part("d0") });
    await expect(before.runs.run(before.delegationTo(0, context))).rejects.toMatchObject({ code: "rate_limited" });

    const { runs, members } = runsOf(before.members);
    const [ann, bob] = members as [TeamMember, TeamMember];
    runs.noteStored(bob, first.part("d1"));
    runs.noteStored(ann, first.part("d0"));
    expect(() => runs.requireAnAnswer(failed)).not.toThrow();
    const alone = runsOf([ann]);
    alone.runs.noteStored(ann, first.part("d0"));
    expect(() => alone.runs.requireAnAnswer(failed)).toThrow(expect.objectContaining({ code: "rate_limited" }));
  });
});

import { describe, expect, it } from "vitest";
import type { RunEvent, RunRequest, RunService } from "@troupe/core/runs";
import { runWith } from "./open-steps.ts";
import { clerk, mailing, office, performRun, poet, serveRuns } from "./runs.ts";
import { EventCollector } from "../src/inspector/inspected-events.ts";
import type { InspectedEvent, InspectedRunDetails } from "../src/inspector/inspected-run.ts";
import { toRunTree } from "../client/inspector/read-run-tree.ts";
import type { RunTree, TreeStep } from "../client/inspector/run-tree.ts";

type Inspected = { details: InspectedRunDetails; events: InspectedEvent[] };

/** Reads a run as the inspector does. */
async function inspect(service: RunService, runId: string): Promise<Inspected> {
  const events: RunEvent[] = await Array.fromAsync(service.events(runId, "host"));
  const run = await service.get(runId, "host");
  const collector = new EventCollector(run.kind, true);
  for (const event of events) collector.add(event);
  const runnable = service.find(run.kind, run.name) as { plannedSteps?: InspectedRunDetails["steps"] };
  const steps = runnable.plannedSteps ?? [];
  const details = { run, input: (await service.readInput(runId, "host")) ?? null, steps };
  return { details, events: collector.take().map(({ event }) => event) };
}

async function performed(
  request: Omit<RunRequest, "input">,
  runnables: Parameters<typeof serveRuns>[0],
): Promise<Inspected> {
  const service = await serveRuns(runnables);
  return await inspect(service, await performRun(service, { ...request, input: "Hello." }));
}

/** The kinds and names of the steps, indented. */
function outline(steps: readonly TreeStep[], depth = 0): string[] {
  return steps.flatMap(({ kind, name, status, children }) => [
    `${"  ".repeat(depth)}${kind} ${name}: ${status}`,
    ...outline(children, depth + 1),
  ]);
}

function allSteps(steps: readonly TreeStep[]): TreeStep[] {
  return steps.flatMap((step) => [step, ...allSteps(step.children)]);
}

/** Checks what is true of the times of each tree. */
function expectTimes({ steps, startMs, endMs = 0 }: RunTree): void {
  for (const step of allSteps(steps)) {
    expect(step.startMs, step.key).toBeGreaterThanOrEqual(startMs - 50);
    expect(step.endMs ?? endMs, step.key).toBeLessThanOrEqual(endMs + 50);
    expect(step.endMs ?? endMs, step.key).toBeGreaterThanOrEqual(step.startMs ?? 0);
    for (const child of step.children) expect(child.startMs, child.key).toBeGreaterThanOrEqual(step.startMs ?? 0);
  }
}

describe("the tree of a run", () => {
  it("has an agent's model calls and tool calls with inputs, outputs, tokens and the time it waited [page.run-tree]", async () => {
    const { details, events } = await performed({ kind: "agent", name: "clerk" }, { agents: { clerk: clerk() } });
    const tree = toRunTree(details, events);

    expect(outline(tree.steps)).toEqual([
      "model Model call 1: completed",
      "tool send: completed",
      "  wait Waits for approval: completed",
      "tool look: completed",
      "model Model call 2: completed",
    ]);
    expect(tree).toMatchObject({ isOver: true, output: "The letter is sent.", usage: { totalTokens: 30 } });
    expect(tree.attempts.map(({ number }) => number)).toEqual([1, 2]);
    const [first, sent, looked, last] = tree.steps;
    expect(first).toMatchObject({
      input: "Hello.",
      output: [{ tool: "send" }, { tool: "look" }],
      detail: "scripted-1",
    });
    expect(sent).toMatchObject({ input: { to: "Oslo" }, output: "It is sent.", effect: "once" });
    expect(looked).toMatchObject({ input: { for: "Oslo" }, output: '{"found":3}' });
    expect(last).toMatchObject({ output: "The letter is sent.", thinking: "All is done.", usage: { totalTokens: 15 } });
    expect(last?.input).toEqual([
      { tool: "send", result: "It is sent." },
      { tool: "look", result: '{"found":3}' },
    ]);
    const [wait] = sent?.children ?? [];
    expect(wait?.endMs).toBe(tree.attempts[1]?.at);
    expectTimes(tree);
  });

  it.each(["coordinate", "broadcast"] as const)(
    "has the members of a team of mode %s by name, each with the steps of its run [page.run-tree]",
    async (mode) => {
      const { details, events } = await performed(
        { kind: "team", name: "office" },
        { teams: { office: office(mode) } },
      );
      const tree = toRunTree(details, events);

      const lines = outline(tree.steps);
      expect(lines.filter((line) => line.startsWith("member")).toSorted()).toEqual([
        "member clerk: completed",
        "member poet: completed",
      ]);
      expect(lines.filter((line) => line.startsWith("  tool"))).toEqual([
        "  tool send: completed",
        "  tool look: completed",
      ]);
      expect(lines).toContain("    wait Waits for approval: completed");
      expect(tree.usage?.totalTokens).toBe(mode === "coordinate" ? 75 : 60);
      const clerkStep = tree.steps.find(({ name }) => name === "clerk");
      expect(clerkStep).toMatchObject({ output: "The letter is sent.", usage: { totalTokens: 30 } });
      expectTimes(tree);
    },
  );

  it("names the member that a team of mode route has chosen, also while it is under way [page.run-tree]", async () => {
    const { details, events } = await performed(
      { kind: "team", name: "office" },
      { teams: { office: office("route") } },
    );

    expect(outline(toRunTree(details, events).steps)).toEqual([
      "model Model call 1: completed",
      "member poet: completed",
      "  model Model call 1: completed",
    ]);
    const open = { ...details, run: { ...details.run, status: "running" as const, endedAt: undefined as never } };
    const part = events.slice(0, events.findIndex((event) => event.type === "text") + 1);
    expect(outline(toRunTree(open, part).steps)).toEqual([
      "model Model call 1: completed",
      "member poet: running",
      "  model Model call 1: running",
    ]);
  });

  it("has the steps of a workflow in the steps that they are declared in [page.run-tree]", async () => {
    const service = await serveRuns({ workflows: { mailing: mailing() } });
    const runId = await performRun(service, { kind: "workflow", name: "mailing", input: { count: 4 } });
    const { details, events } = await inspect(service, runId);
    const tree = toRunTree(details, events);

    expect(outline(tree.steps)).toEqual([
      "step prepare: completed",
      "step both: completed",
      "  step write: completed",
      "    model Model call 1: completed",
      "  step count.up: completed",
      "step maybe: completed",
      "  step post: completed",
      "    model Model call 1: completed",
      "    tool send: completed",
      "      wait Waits for approval: completed",
      "    tool look: completed",
      "    model Model call 2: completed",
      "step never: skipped",
    ]);
    const [prepare, both, maybe] = tree.steps;
    expect(prepare).toMatchObject({ detail: "function", output: { count: 5 } });
    expect(both).toMatchObject({ detail: "parallel", usage: { totalTokens: 15 } });
    expect(maybe).toMatchObject({ detail: "condition", output: true, usage: { totalTokens: 30 } });
    expectTimes(tree);
  });

  it("grows with each event, and never has a step twice or one that is done before its end [page.run-tree]", async () => {
    const { details, events } = await performed({ kind: "team", name: "office" }, { teams: { office: office() } });
    const open = { ...details, run: { ...details.run, status: "running" as const, endedAt: undefined as never } };
    for (let count = 0; count <= events.length; count++) {
      const tree = toRunTree(open, events.slice(0, count));
      const keys = allSteps(tree.steps).map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
      expect(tree.isOver).toBe(events.slice(0, count).some(({ type }) => type === "end"));
    }
  });

  it("says of a run that waits which steps wait, and of one that was cut off which were left [page.run-tree]", async () => {
    const { details, events } = await performed({ kind: "agent", name: "clerk" }, { agents: { clerk: clerk() } });
    const second = events.findIndex((event) => event.type === "attempt" && event.attempt === 2);
    const waiting = { ...details, run: { ...details.run, status: "waiting" as const, endedAt: undefined as never } };
    expect(outline(toRunTree(waiting, events.slice(0, second)).steps)).toEqual([
      "model Model call 1: completed",
      "tool send: waiting",
      "  wait Waits for approval: waiting",
      "tool look: completed",
    ]);

    const error = { code: "cancelled", message: "It was cancelled." };
    const cut = [...events.slice(0, second), { type: "end", output: null, error } as const];
    expect(outline(toRunTree(details, cut).steps)).toContain("tool send: cancelled");
  });

  it("forgets the text of a model call that another attempt makes anew [page.run-tree]", async () => {
    const { details } = await performed({ kind: "agent", name: "poet" }, { agents: { poet: poet() } });
    const open = { ...details, run: { ...details.run, status: "running" as const, endedAt: undefined as never } };
    const events: InspectedEvent[] = [
      { type: "attempt", attempt: 1, node: "worker-1", at: 1000 },
      { type: "text", step: "m/0", text: "Roses are bl" },
      { type: "attempt", attempt: 2, node: "worker-2", at: 5000 },
      { type: "reset", step: "m/0" },
    ];
    expect(toRunTree(open, events).steps).toMatchObject([{ status: "interrupted" }]);

    const again = toRunTree(open, [...events, { type: "text", step: "m/0", text: "Roses" }]);
    expect(again.steps).toMatchObject([{ status: "running", liveText: "Roses" }]);
  });

  it("takes any keys and any order of events, however hostile, without an exception [page.run-tree]", () => {
    const run = {
      runId: "r",
      kind: "workflow",
      name: "w",
      sessionId: "s",
      status: "running",
      createdAt: 1,
      attempts: 1,
    } as const;
    const keys = [
      "",
      "/",
      "__proto__",
      "constructor/m/0",
      "w",
      "w/%",
      "t/0",
      "m/x",
      "c0/c0",
      "run/run",
      "end",
      `${"c0/".repeat(5000)}m/0`,
    ];
    const events = keys.flatMap((step): InspectedEvent[] => [
      { type: "text", step, text: "x" },
      { type: "call", step, toolName: "t", args: null, effect: "once" },
      { type: "wait", wait: { waitId: step.replaceAll("/", "."), kind: "approval", about: null } },
      { type: "done", step, facts: {}, durationMs: 1 },
      { type: "reset", step },
      { type: "chunk", step, chunk: { type: "step_start", step: "__proto__" } },
      { type: "chunk", step, chunk: { type: "step_end", step: "w", status: "__proto__" } },
    ]);

    expect(allSteps(toRunTree({ run }, events).steps).length).toBeGreaterThan(10);
  });

  it.each<[status: InspectedRunDetails["run"]["status"], isOver: boolean]>([
    ["queued", false],
    ["running", false],
    ["waiting", false],
    ["completed", true],
    ["error", true],
    ["cancelled", true],
  ])("a run whose record is %s is shown before its first event with isOver %s [page.run-tree]", (status, isOver) => {
    const { run } = runWith({ status, createdAt: 7 }).details;

    expect(toRunTree({ run }, [])).toEqual({ steps: [], attempts: [], startMs: 7, isOver });
    const open = toRunTree({ run }, [{ type: "text", step: "m/0", text: "Roses" }]);
    expect(open).toMatchObject({ isOver, steps: [{ status: isOver ? "interrupted" : "running" }] });
    const end: InspectedEvent = { type: "end", output: null };
    expect(toRunTree({ run }, [{ type: "attempt", attempt: 1, node: "n", at: 9 }, end])).toMatchObject({
      isOver: true,
      startMs: 9,
      endMs: 9,
    });
  });
});

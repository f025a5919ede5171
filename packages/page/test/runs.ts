import { Agent, defineTool, InMemoryStorage, Team, Workflow } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import type { RunRequest, RunServiceOptions } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { onTestFinished } from "vitest";

/** A tool that needs an approval. */
const send = defineTool({
  name: "send",
  description: "Sends a letter.",
  parameters: { type: "object" },
  needsApproval: true,
  execute: () => "It is sent.",
});

/** A tool that changes nothing. */
const look = defineTool({
  name: "look",
  description: "Looks something up.",
  effect: "pure",
  parameters: { type: "object" },
  execute: () => ({ found: 3 }),
});

/** An agent that calls both tools, and then answers. */
export function clerk(): Agent {
  const model = new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? { text: "The letter is sent.", thinking: "All is done." }
      : {
          toolCalls: [
            { name: "send", arguments: { to: "Oslo" } },
            { name: "look", arguments: { for: "Oslo" } },
          ],
        },
  );
  return new Agent({ name: "clerk", description: "Sends letters.", model, tools: [send, look] });
}

/** An agent that answers at once. */
export function poet(): Agent {
  const model = new ScriptedModel().respond(() => "Roses are red.");
  return new Agent({ name: "poet", description: "Writes verses.", model });
}

/** A team whose orchestrator delegates to both members at once. */
export function office(mode: "coordinate" | "route" | "broadcast" = "coordinate"): Team {
  const model = new ScriptedModel().respond(({ messages }) => {
    if (mode === "route") return JSON.stringify({ member: "poet" });
    if (mode === "broadcast" || messages.some(({ role }) => role === "tool")) return "Both are done.";
    const delegate = (name: string, task: string) => ({ name: `delegate_to_${name}`, arguments: { task } });
    return { toolCalls: [delegate("poet", "Write."), delegate("clerk", "Send.")] };
  });
  return new Team({ name: "office", mode, model, members: [poet(), clerk()], storage: new InMemoryStorage() });
}

/** A workflow with all four forms of steps. */
export function mailing(): Workflow<{ count: number }> {
  return new Workflow({
    name: "mailing",
    initialState: { count: 0 },
    steps: [
      { name: "prepare", run: ({ count }) => ({ count: count + 1 }) },
      {
        name: "both",
        parallel: [
          { name: "write", agent: poet() },
          { name: "count.up", effect: "pure", run: (): object => ({ counted: true }) },
        ],
      },
      { name: "maybe", condition: ({ count }) => count > 0, steps: [{ name: "post", agent: clerk() }] },
      { name: "never", condition: () => false, steps: [{ name: "unseen", run: () => ({}) }] },
    ],
  });
}

/** A workflow with all forms of steps that the specification does not have. */
export function voyage(): Workflow<{ count: number; cities: string[]; kind: string }> {
  const inner = new Workflow({
    name: "packing",
    initialState: { bag: "" },
    steps: [
      { name: "write", agent: poet() },
      {
        name: "maybe",
        condition: () => true,
        steps: [{ name: "close", effect: "pure", run: () => ({ bag: "full" }) }],
      },
    ],
  });
  return new Workflow({
    name: "voyage",
    initialState: { count: 0, cities: ["Oslo", "Århus"], kind: "train" },
    steps: [
      {
        name: "each/city",
        forEach: ({ cities }) => cities,
        as: "city",
        steps: [
          { name: "look", effect: "pure", run: () => ({}) },
          { name: "if-far", condition: () => true, steps: [{ name: "verse", agent: poet() }] },
        ],
      },
      { name: "said", forEach: ({ cities }) => cities, agent: poet() },
      {
        name: "again",
        loop: [{ name: "step", effect: "pure", run: ({ count }) => ({ count: count + 1 }) }],
        while: ({ count }) => count < 2,
        maxRounds: 5,
      },
      {
        name: "pick",
        choose: ({ kind }) => kind,
        cases: { train: [{ name: "rail", effect: "pure", run: () => ({}) }], ship: [{ name: "sea", run: () => ({}) }] },
        otherwise: [{ name: "walk", run: () => ({}) }],
      },
      // Long enough to be a wait of its own: a time that has passed already is none.
      { name: "nap", sleepMs: 200 },
      { name: "who", ask: () => "Who travels?" },
      { name: "go", waitFor: "departure" },
      { name: "pack", workflow: inner },
    ],
  });
}

/** Makes a service over storage in memory that performs its runs until the test is over. */
export async function serveRuns(options: RunServiceOptions): Promise<RunService> {
  const service = new RunService({ storage: new InMemoryStorage(), ...options });
  onTestFinished(async () => await service.close());
  await service.serve();
  return service;
}

/** Lets a service perform a run to its end, and approves of all that it asks. Returns the run's id. */
export async function performRun(service: RunService, request: RunRequest): Promise<string> {
  const { runId } = await service.accept(request);
  for await (const event of service.events(runId, "host")) {
    if (event.type === "wait") await service.answer(runId, event.wait.id, { approved: true }, "host");
  }
  return runId;
}

import { Agent, defineTool, Team, Workflow } from "@troupe/core";
import type { Json, RunWait, StepContext, TeamConfig } from "@troupe/core";
import type { RunKind, RunServiceOptions } from "@troupe/core/runs";
import type { ScriptedAnswer, ScriptedRequest } from "@troupe/core/testing";
import { parameters, sceneModel, sceneTool } from "./world.ts";
import type { Stage, World } from "./world.ts";

/** A run that is cut off at each of its inserts: the parts of the service for one process, and the world's answers to its waits. */
export type Scene = {
  readonly kind: RunKind;
  readonly create: (stage: Stage) => Pick<RunServiceOptions, "agents" | "teams" | "workflows">;
  /** The steps of the tool calls, which must have one effect each. */
  readonly effects?: readonly string[];
};

type Answer = (request: ScriptedRequest) => ScriptedAnswer;
type Call = { name: string; arguments: { at: string } };

/** Calls tools round by round, and answers with words when all results are there. */
function callsThenText(rounds: readonly (readonly string[])[], text = "all of it is done now"): Answer {
  return ({ messages }) => {
    const round = messages.filter(({ role }) => role === "assistant").length;
    const calls = rounds[round]?.map((name, index): Call => ({ name, arguments: { at: `t/${round}/${index}` } }));
    return calls === undefined ? text : { text: ["calling "], toolCalls: calls };
  };
}

function agentWith(stage: Stage, answer: Answer, config: Partial<ConstructorParameters<typeof Agent>[0]> = {}): Agent {
  return new Agent({ name: "scene", model: sceneModel(stage, answer), storage: stage.process.storage, ...config });
}

function agentScene(create: (stage: Stage) => Agent, effects: readonly string[] = []): Scene {
  return { kind: "agent", create: (stage) => ({ agents: { scene: create(stage) } }), effects };
}

const twoRounds = (name: string) => callsThenText([[name], [name]]);

function member(stage: Stage, name: string, answer: Answer = () => `an answer of ${name}`): Agent {
  return new Agent({ name, model: sceneModel(stage, answer) });
}

function teamScene(mode: TeamConfig["mode"], orchestrator: Answer, members?: (stage: Stage) => Agent[]): Scene {
  return {
    kind: "team",
    create: (stage) => {
      const model = sceneModel(stage, orchestrator);
      const all = members?.(stage) ?? [member(stage, "ann"), member(stage, "ben")];
      return {
        teams: { scene: new Team({ name: "scene", mode, model, members: all, storage: stage.process.storage }) },
      };
    },
  };
}

/** A member that calls a tool of effect `once` at its step of the team's run. */
function actingMember(stage: Stage): Agent {
  const at = "t/0/0/run/c0/t/0/0";
  const answer: Answer = ({ messages }) =>
    messages.some(({ role }) => role === "tool")
      ? "the member has done it"
      : { toolCalls: [{ name: "once", arguments: { at } }] };
  return new Agent({ name: "ann", model: sceneModel(stage, answer), tools: [sceneTool(stage, "once")] });
}

const delegation: Answer = ({ messages }) =>
  messages.some(({ role }) => role === "tool")
    ? "the members have answered this"
    : { toolCalls: ["ann", "ben"].map((name) => ({ name: `delegate_to_${name}`, arguments: { task: "do it" } })) };

const discussing: Answer = ({ messages }) =>
  JSON.stringify(messages.at(-1)).includes("Do you agree") ? { text: ['{"agree": true}'] } : "my own opinion of it";

const workflow: Scene = {
  kind: "workflow",
  effects: ["w/first", "w/second"],
  create: (stage) => {
    const step = (name: string) => async (state: { done: string }, context: StepContext) => {
      await stage.process.goOn();
      const result = { done: `${state.done}${name} ` };
      const key = context.idempotencyKey ?? "";
      await stage.world.record(stage.runId, { tool: name, at: `w/${name}`, key, result });
      await stage.process.goOn();
      return result;
    };
    const writer = new Agent({ name: "writer", model: sceneModel(stage, () => "a report of the work") });
    const steps = [
      { name: "first", run: step("first") },
      { name: "report", agent: writer },
      {
        name: "both",
        parallel: [
          { name: "report2", agent: writer },
          { name: "second", run: step("second") },
        ],
      },
    ];
    return { workflows: { scene: new Workflow({ name: "scene", initialState: { done: "" }, steps }) } };
  },
};

/** The scenes by their names in the titles of tests. */
export const scenes: Readonly<Record<string, Scene>> = {
  "a plain agent": agentScene((stage) => agentWith(stage, () => "one two three four five six seven eight")),
  "an agent with a pure tool": agentScene((stage) =>
    agentWith(stage, twoRounds("pure"), { tools: [sceneTool(stage, "pure")] }),
  ),
  "an agent with an idempotent tool": agentScene((stage) =>
    agentWith(stage, twoRounds("idempotent"), { tools: [sceneTool(stage, "idempotent")] }),
  ),
  "an agent with a tool of effect once": agentScene(
    (stage) => agentWith(stage, twoRounds("once"), { tools: [sceneTool(stage, "once")] }),
    ["t/0/0", "t/1/0"],
  ),
  "an agent with parallel tools": agentScene(
    (stage) =>
      agentWith(stage, callsThenText([["pure", "once", "idempotent", "once"]]), {
        tools: (["pure", "once", "idempotent"] as const).map((effect) => sceneTool(stage, effect)),
      }),
    ["t/0/1", "t/0/3"],
  ),
  "a team that coordinates": {
    ...teamScene("coordinate", delegation, (stage) => [actingMember(stage), member(stage, "ben")]),
    effects: ["t/0/0/run/c0/t/0/0"],
  },
  "a team that routes": teamScene("route", () => ({ structured: { member: "ben" } })),
  "a team that broadcasts": teamScene("broadcast", () => "both of them say so"),
  "a team that collaborates": teamScene(
    "collaborate",
    () => "they have agreed on this",
    (stage) => ["ann", "ben"].map((name) => member(stage, name, discussing)),
  ),
  "a workflow": workflow,
  "an approval": agentScene(
    (stage) => agentWith(stage, twoRounds("once"), { tools: [sceneTool(stage, "once", { needsApproval: true })] }),
    ["t/0/0", "t/1/0"],
  ),
  "a tool that the client executes": agentScene(
    (stage) =>
      agentWith(stage, callsThenText([["ask", "once"]]), {
        tools: [defineTool({ name: "ask", description: "Asks the user.", parameters }), sceneTool(stage, "once")],
      }),
    ["t/0/1"],
  ),
  "structured output with a repair": agentScene((stage) =>
    agentWith(
      stage,
      ({ messages }) => (messages.length > 2 ? { structured: { city: "Oslo" } } : { structured: { town: "Oslo" } }),
      { structuredOutput: structured },
    ),
  ),
};

const structured = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};

/** Answers a wait as the client of a scene does: it knows what has happened in the world. */
export function answerOf(world: World, { kind, about }: RunWait): Json {
  if (kind === "approval") return { approved: true };
  if (kind === "input") return { result: "the user's word" };
  if (kind === "upgrade") throw new Error(`No scene lacks a tool: ${JSON.stringify(about)}`);
  const effect = world.effectOf((about as unknown as { idempotencyKey: string }).idempotencyKey);
  return effect === undefined ? { choice: "again" } : { choice: "happened", result: effect.result };
}

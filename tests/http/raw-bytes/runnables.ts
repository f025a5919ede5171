import { ProgrammaticAgent, completedReply, createArtifact, rejectedReply } from "@troupe/a2a";
import { Agent, defineTool, Team, TroupeError, Workflow } from "@troupe/core";
import type { StorageDriver } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

/** Milliseconds between the first and the second word of an agent that is to be cancelled. */
const hourMs = 3_600_000;

const person = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer" } },
  required: ["name", "age"],
  additionalProperties: false,
} as const;

const weather = defineTool({
  name: "weather",
  description: "Tells the weather in a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  execute: ({ city }) => `Rain in ${String(city)}.`,
});

const pay = defineTool({
  name: "pay",
  description: "Pays an amount.",
  parameters: { type: "object", properties: { amount: { type: "number" } } },
  needsApproval: true,
  execute: ({ amount }) => `Paid ${Number(amount)}.`,
});

const locate = defineTool({ name: "locate", description: "Tells the city.", parameters: { type: "object" } });

/** Makes a model that calls the tool of the question's first word, such as "weather", and quotes any other question. */
function makeModel(): ScriptedModel {
  return new ScriptedModel().respond(({ messages }) => {
    const last = messages.at(-1);
    const asked = typeof last?.content === "string" ? last.content : JSON.stringify(last?.content ?? null);
    if (last?.role === "tool") return { text: ["The tool says: ", asked] };
    if (asked.startsWith("weather")) return { toolCalls: [{ name: "weather", arguments: { city: "Oslo" } }] };
    if (asked.startsWith("pay")) return { toolCalls: [{ name: "pay", arguments: { amount: 20 } }] };
    if (asked.startsWith("locate")) return { toolCalls: [{ name: "locate", arguments: {} }] };
    const turns = messages.filter(({ role }) => role === "user").length;
    return { thinking: "Hm.", text: ["You said ", `${asked.slice(0, 80)}, `, `in turn ${turns}.`] };
  });
}

const makeCounter = (name: string) =>
  new Workflow({
    name,
    initialState: { count: 1 },
    steps: [{ name: "add", run: ({ count }) => ({ count: count + 1 }) }],
  });

const makeTeam = (name: string, storage: StorageDriver): Team => {
  const model = new ScriptedModel().respond(() => ({ text: ["Hello ", "from the team."] }));
  const member = new Agent({
    name: "member",
    description: "Agrees.",
    model: new ScriptedModel().respond(() => "Yes."),
  });
  return new Team({ name, description: "Greets.", mode: "broadcast", model, members: [member], storage });
};

const printer = new ProgrammaticAgent({
  name: "printer",
  description: "Prints posters.",
  async *answer({ ask }) {
    const { parts } = await ask("Which size: A3 or A2?");
    if (!JSON.stringify(parts).includes("A3")) return rejectedReply("Only A3 is left.");
    yield createArtifact({ name: "poster", parts: [{ kind: "url", url: "https://example.org/1.pdf" }] });
    return completedReply("Here it is.");
  },
});

/** Makes agents, teams and workflows that always answer the same. Those in `durable` belong to a `RunService` as well. */
export function makeRunnables(storage: StorageDriver) {
  const failure = new Error("The vendor said: sk-secret");
  const refusal = new TroupeError("rate_limited", "The vendor allows no more calls.");
  const helper = new Agent({ name: "helper", description: "Helps.", model: makeModel(), tools: [weather], storage });
  const writer = new Agent({ name: "writer", description: "Writes.", model: makeModel(), tools: [weather], storage });
  const cashier = new Agent({ name: "cashier", model: makeModel(), tools: [pay, locate], storage });
  const typed = new Agent({
    name: "typed",
    model: new ScriptedModel().respond(() => ({ structured: { name: "Ada", age: 36 } })),
    structuredOutput: person,
    storage,
  });
  const makeFailing = (name: string, error: Error) =>
    new Agent({ name, model: new ScriptedModel().respond(() => ({ text: "So ", error })), retry: { maxRetries: 0 } });
  const failing = makeFailing("failing", failure);
  const limited = makeFailing("limited", refusal);
  const makeHanging = (name: string) =>
    new Agent({
      name,
      model: new ScriptedModel().respond(() => ({ text: ["So ", "on."], chunkDelayMs: hourMs })),
      storage,
    });
  const hanging = makeHanging("hanging");
  const stuck = makeHanging("stuck");
  const [desk, crew] = [makeTeam("desk", storage), makeTeam("crew", storage)];
  const [counter, ledger] = [makeCounter("counter"), makeCounter("ledger")];
  return {
    agents: { helper, typed, failing, limited, hanging, printer, writer, cashier, stuck },
    teams: { desk, crew },
    workflows: { counter, ledger },
    durable: { agents: { writer, cashier, stuck }, teams: { crew }, workflows: { ledger } },
  };
}

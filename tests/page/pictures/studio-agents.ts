import { setTimeout as sleep } from "node:timers/promises";
import { Agent, defineTool, getTextContent, InMemoryVectorStore, KnowledgeBase, Team } from "@troupe/core";
import type { ModelProvider, StorageDriver, TokenUsage, ToolDef } from "@troupe/core";
import { FakeEmbeddings, ScriptedModel } from "@troupe/core/testing";
import { chart } from "./pixels.ts";

/** Answers a conversation: by a call of a tool first if there is one, and by the text after it. */
type Script = { readonly tool?: string; readonly args?: Record<string, unknown>; readonly text: string };

/** Returns the usage of a model call with this many tokens. */
function usageOf(totalTokens: number): TokenUsage {
  const completionTokens = Math.ceil(totalTokens / 6);
  return { promptTokens: totalTokens - completionTokens, completionTokens, totalTokens };
}

/** Returns a model with a name that calls a tool once for each question, and then answers. */
function modelOf(modelId: string, tokens: number, script: Script): ModelProvider {
  const { tool, args = {}, text } = script;
  const model = new ScriptedModel().respond(({ messages }) => {
    const isAnswered = tool === undefined || messages.at(-1)?.role === "tool";
    if (!isAnswered) return { toolCalls: [{ name: tool, arguments: args }], usage: usageOf(tokens) };
    const thinking = tool === undefined ? undefined : "The tool has answered. What matters is the date and the place.";
    return { ...(thinking !== undefined && { thinking }), text, chunkDelayMs: 2, usage: usageOf(tokens) };
  });
  return Object.assign(model, { modelId, providerId: "scripted" });
}

const findTrips = defineTool({
  name: "find_trips",
  description: "Finds trips between two cities on a day.",
  parameters: {
    type: "object",
    properties: { from: { type: "string" }, to: { type: "string" }, day: { type: "string" } },
    required: ["from", "to"],
  },
  effect: "pure",
  execute: async ({ from, to }, { signal }) => {
    await sleep(120, undefined, { signal });
    return { trips: [{ train: "R 63", from: String(from), to: String(to), leaves: "08:25", arrives: "15:02" }] };
  },
});

const pay = defineTool({
  name: "pay_invoice",
  description: "Pays an invoice from the account of the company.",
  parameters: {
    type: "object",
    properties: { to: { type: "string" }, amount: { type: "number" }, reference: { type: "string" } },
  },
  needsApproval: true,
  execute: ({ to, amount }) => `${String(amount)} € were paid to ${String(to)}.`,
});

const sales = [
  { month: "May", trips: 1240, revenue: "€ 186,000", share: "21 %" },
  { month: "June", trips: 1512, revenue: "€ 233,400", share: "24 %" },
  { month: "July", trips: 2087, revenue: "€ 341,900", share: "31 %" },
  { month: "August", trips: 1986, revenue: "€ 322,700", share: "30 %" },
];

const report = defineTool({
  name: "sales_report",
  description: "The sales of the last months as a table, a picture and a file.",
  parameters: { type: "object", properties: { months: { type: "integer" } } },
  effect: "pure",
  execute: () => ({
    content: "Four months, with July ahead.",
    artifacts: [
      { type: "sales", data: sales },
      { type: "map", data: chart(1280, 560), mimeType: "image/png" },
      {
        type: "query",
        data: "select month, count(*) as trips\nfrom bookings\ngroup by month;",
        mimeType: "text/plain",
      },
    ],
  }),
});

const plan = `The **R 63** leaves at 08:25 and arrives at 15:02. There is one seat by the window left.

| Leaves | Arrives | Train | Price |
| ------ | ------- | ----- | ----: |
| 08:25  | 15:02   | R 63  |  € 49 |
| 12:03  | 18:35   | R 65  |  € 62 |

1. Book before Friday; the price rises then.
2. Sit on the **left** side for the view of [Hardangervidda](https://example.com/hardangervidda).

\`\`\`ts
const trip = await book({ train: "R 63", seat: "window" });
\`\`\`
`;

/** A model that talks for some seconds, so that it can be seen or stopped in the middle. */
function slowModel(): ModelProvider {
  const words = Array.from({ length: 160 }, (_, at) => (at % 9 === 8 ? "the fjord." : "along"));
  return new ScriptedModel().respond(() => ({ text: `We go ${words.join(" ")}`, chunkDelayMs: 60 }));
}

/** A model that fails in the middle of an answer. */
function failingModel(): ModelProvider {
  return new ScriptedModel().respond(() => {
    throw new Error("The vendor has answered 529: overloaded.");
  });
}

async function createHandbook(): Promise<KnowledgeBase> {
  const vectorStore = new InMemoryVectorStore({ embeddings: new FakeEmbeddings() });
  const handbook = new KnowledgeBase({ name: "handbook", vectorStore });
  await handbook.addDocuments([
    {
      id: "vacation",
      content: "Everyone has 25 days of vacation a year. Days that are left lapse at the end of March.",
      metadata: { title: "Vacation", url: "https://wiki.example.com/vacation" },
    },
    { id: "parking", content: "Bicycles are parked in the yard, cars are not.", metadata: { title: "Parking" } },
  ]);
  return handbook;
}

/** Agents that look like those of a travel company, with scripted models. */
export async function createStudioAgents(storage: StorageDriver) {
  const handbook = await createHandbook();
  const agent =
    (name: string, description: string) =>
    (model: ModelProvider, tools: ToolDef[] = []) =>
      new Agent({
        name,
        description,
        instructions: `You are ${name}. ${description}`,
        model,
        storage,
        tools,
      });
  const planner = agent("planner", "Plans trips by train and ferry.")(
    modelOf("small-2", 1480, {
      tool: "find_trips",
      args: { from: "Oslo", to: "Bergen", day: "2027-05-12" },
      text: plan,
    }),
    [findTrips],
  );
  const clerk = agent("clerk", "Pays invoices once a person has approved each payment.")(
    modelOf("small-2", 310, {
      tool: "pay_invoice",
      args: { to: "Ångström AB", amount: 480, reference: "A-1024" },
      text: "The invoice is paid.",
    }),
    [pay],
  );
  const librarian = agent("librarian", "Answers from the handbook, and names its sources.")(
    modelOf("large-1", 2210, {
      tool: "search_handbook",
      args: { query: "days of vacation a year" },
      text: "Everyone has **25 days** a year [1]. Bicycles are parked in the yard [2].",
    }),
    [handbook.asTool({ cite: true })],
  );
  const analyst = agent("analyst", "Answers with tables, pictures and files.")(
    modelOf("large-1", 5240, {
      tool: "sales_report",
      args: { months: 4 },
      text: "July was the best month, with 2,087 trips.",
    }),
    [report],
  );
  const guide = agent(
    "guide",
    "Tells what there is to see on the way.",
  )(
    modelOf("small-2", 640, {
      text: "Take the ferry at noon: the light on the water is best then. In the evening the fish market is open.",
    }),
  );
  const storyteller = agent("storyteller", "Tells long stories.")(slowModel());
  const translator = agent("translator", "Translates into Norwegian. Its vendor fails at times.")(failingModel());
  const editor = agent("editor", "Corrects drafts, and answers in the language in which it is asked.")(echoModel());
  const desk = new Team({
    name: "travel-desk",
    description: "Asks its members, and combines what they say.",
    mode: "coordinate",
    model: new ScriptedModel().respond(({ messages }) => {
      if (messages.some(({ role }) => role === "tool"))
        return { text: "Go on **Friday at 08:25**, and take the ferry at noon.", usage: usageOf(900) };
      const tasks = { planner: "Find a train from Oslo to Bergen.", guide: "What is there to see on the way?" };
      return {
        toolCalls: Object.entries(tasks).map(([name, task]) => ({ name: `delegate_to_${name}`, arguments: { task } })),
        usage: usageOf(420),
      };
    }),
    members: [planner, guide],
    storage,
  });
  const agents = { planner, clerk, librarian, analyst, guide, storyteller, translator, editor };
  return { agents, teams: { "travel-desk": desk }, close: async () => await handbook.close() };
}

function echoModel(): ModelProvider {
  return new ScriptedModel().respond(({ messages }) => {
    const asked = getTextContent(messages.findLast(({ role }) => role === "user")?.content ?? "");
    return { text: `${asked}\n\n- ${asked.slice(0, 40)}`, usage: usageOf(120) };
  });
}

/** Models with which a model call may be made again. */
export function createOfferedModels(): Record<string, ModelProvider> {
  const text = "Go on **Friday at 12:03**, and take the ferry at noon. Book before Thursday.";
  return {
    "large-1": modelOf("large-1", 1240, { text }),
    "small-2": modelOf("small-2", 880, { text: "Go on Friday." }),
  };
}

import { createLogger, InMemoryStorage, Workflow } from "@troupe/core";
import type { Agent } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { createService, serve } from "@troupe/core/service";
import { http } from "@troupe/http";
import { page } from "@troupe/page";
import type { PageOptions } from "@troupe/page";
import { createOfferedModels, createStudioAgents } from "./studio-agents.ts";

/** A service with everything that the page shows: agents, a team, a workflow, runs of two days, and runs that wait. */
export type Studio = { readonly url: string; readonly stop: () => Promise<void> };

const suggestions: PageOptions["suggestions"] = {
  planner: ["How do I get from Oslo to Bergen?", "Which train has a café?"],
  analyst: ["How were sales this summer?"],
  librarian: ["How many days of vacation do I have?"],
  trip: ['{"city":"Bergen","days":2}'],
};

function createTrip({ guide }: { guide: Agent }) {
  return new Workflow({
    name: "trip",
    description: "Plans a trip, step by step, and asks who travels.",
    initialState: { city: "", days: 3, language: "en", byTrain: true, wishes: [] as string[] },
    inputSchema: {
      type: "object",
      properties: {
        city: { type: "string", minLength: 2, description: "Where the trip goes." },
        days: { type: "integer", minimum: 1, maximum: 14, default: 3 },
        language: { enum: ["de", "en"], title: "Language of the plan" },
        byTrain: { type: "boolean" },
        wishes: { type: "array", items: { type: "string" } },
      },
      required: ["city"],
      additionalProperties: false,
    },
    steps: [
      {
        name: "prepare",
        parallel: [
          { name: "what to see", agent: guide, inputFrom: ({ city }) => `What is there to see in ${city}?` },
          { name: "reckon the price", effect: "pure", run: () => ({}) },
        ],
      },
      {
        name: "way",
        choose: ({ byTrain }) => (byTrain ? "train" : "ship"),
        cases: {
          train: [{ name: "book a train", effect: "pure", run: () => ({}) }],
          ship: [{ name: "book a ship", effect: "pure", run: () => ({}) }],
        },
        otherwise: [{ name: "walk", effect: "pure", run: () => ({}) }],
      },
      { name: "traveller", ask: () => "Who travels?" },
      { name: "write the plan", effect: "pure", run: () => ({}) },
    ],
  });
}

/** Questions of yesterday and of today, with the names of those that were asked. */
const yesterday: readonly [name: string, input: string][] = [
  ["planner", "How do I get from Oslo to Bergen?"],
  ["planner", "And back on Sunday?"],
  ["analyst", "How were sales this summer?"],
  ["analyst", "And the summer before?"],
  ["librarian", "How many days of vacation do I have?"],
  ["guide", "What is there to see in Bergen?"],
  ["translator", "Translate: the train is late."],
];
const today: readonly [name: string, input: string][] = [
  ["guide", "Where does one eat fish?"],
  ["librarian", "Where do I park my bicycle, and until when may I take the days that are left of last year?"],
  ["planner", "Is there a night train to Trondheim?"],
];

const dayMs = 86_400_000;

async function ask(runs: RunService, questions: typeof yesterday): Promise<void> {
  for (const [name, input] of questions) {
    const { runId } = await runs.accept({ kind: "agent", name, input, owner: { userId: "ada" } });
    for await (const event of runs.events(runId, "host")) void event;
  }
}

/** Serves the studio on a free port of this machine. The visitor is signed in as `ada`. */
export async function startStudio(): Promise<Studio> {
  const storage = new InMemoryStorage();
  const { agents, teams, close } = await createStudioAgents(storage);
  // A service whose clock is a day behind leaves the runs of yesterday.
  const logger = createLogger({ level: "silent" });
  const earlier = new RunService({ agents, storage, logger, now: () => Date.now() - dayMs });
  await earlier.serve();
  await ask(earlier, yesterday);
  await earlier.close();
  const service = createService({
    agents,
    teams,
    workflows: { trip: createTrip(agents) },
    storage,
    durable: true,
    schedules: { maxPerUser: 5 },
    logger,
    authenticate: () => ({ userId: "ada" }),
  });
  await service.open();
  const { runs } = service;
  if (runs === undefined) throw new Error("The service has no durable runs.");
  const inspector = { authorize: () => true, modelCalls: true, models: createOfferedModels() };
  const protocols = [
    http({ fileUpload: true, swagger: {} }),
    page({ suggestions, inspector, languages: ["en", "de"] }),
  ];
  const { url } = await serve(service, protocols, { port: 0, host: "127.0.0.1" });
  // Asked once there is an inspector, so that it has their model calls.
  await ask(runs, today);
  const stop = async (): Promise<void> => {
    await service.close();
    await close();
    await storage.close();
  };
  return { url, stop };
}

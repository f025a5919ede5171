import { Agent, defineTool, InMemoryStorage, Team, Workflow } from "@troupe/core";
import { createLogger } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import type { Service, ServedStoredRun } from "@troupe/core/transport";
import { EventSchemas as currentSchemas } from "ag-ui-core-1/schemas";
import { EventSchemas as oldSchemas } from "ag-ui-core-0";
import { onTestFinished, vi } from "vitest";
import type { Mock } from "vitest";
import { agUi } from "../src/index.ts";

/** The revisions of AG-UI in use: that of CopilotKit 1.75, whose requests have no version, and 1.0. */
export const revisions = ["0.0.59", "1.0.0"] as const;
export type Revision = (typeof revisions)[number];

/** An event that a client has received. */
export type Received = { readonly type: string; readonly [field: string]: unknown };

const schemas = { "0.0.59": oldSchemas, "1.0.0": currentSchemas };

/** Records of the scenes' effects, and the addresses at which the scenes are served. */
type Scenes = {
  readonly url: string;
  readonly paid: unknown[];
  /** The names of the tools that the agent `painter` has offered to its model, for each call. */
  readonly offered: string[][];
  /** Holds the tool of the agent `waiter`, once it is called, until `goOn`. */
  readonly released: { readonly isAsked: Promise<void>; readonly goOn: () => void };
};

/** Serves an agent for each scene until the test is over, and returns the address. */
export async function serveScenes(): Promise<Scenes & Watch> {
  const paid: unknown[] = [];
  const offered: string[][] = [];
  const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const painting = new ScriptedModel().respond(({ messages, options }) => {
    offered.push((options?.tools ?? []).map(({ name }) => name));
    return messages.at(-1)?.role === "user" ? { toolCalls: [{ name: "paint", arguments: {} }] } : "Done.";
  });
  const calling = (name: string) =>
    new ScriptedModel().respond(({ messages }) =>
      messages.at(-1)?.role === "tool" ? "Done." : { toolCalls: [{ name, arguments: { amount: 1 } }] },
    );
  const tool = (name: string, more: object) =>
    defineTool({ name, description: "A tool.", parameters: { type: "object" }, ...more });
  const sayer = (name: string) => new Agent({ name, model: new ScriptedModel().respond(() => `${name} speaks.`) });
  const storage = new InMemoryStorage();
  const draw = tool("draw", { execute: () => ({ content: "drawn", artifacts: [{ type: "chart", data: 1 }] }) });
  const drawing = new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? { thinking: "Hm.", text: "Done.", sources: [{ id: "s1", url: "https://example.org/a" }] }
      : { text: "I draw.", toolCalls: [{ name: "draw", arguments: {} }] },
  );
  const service = createService({
    agents: {
      drawer: new Agent({ name: "drawer", model: drawing, tools: [draw] }),
      payer: new Agent({
        name: "payer",
        model: calling("pay"),
        tools: [tool("pay", { needsApproval: true, execute: (args: unknown) => (paid.push(args), "Paid.") })],
      }),
      locator: new Agent({ name: "locator", model: calling("locate"), tools: [tool("locate", {})] }),
      waiter: new Agent({
        name: "waiter",
        model: calling("pay"),
        tools: [
          tool("pay", {
            needsApproval: true,
            execute: async (args: unknown) => {
              paid.push(args);
              asked.resolve();
              await held.promise;
              return "Paid.";
            },
          }),
        ],
      }),
      painter: new Agent({ name: "painter", model: painting, tools: [tool("locate", {})] }),
      hanging: new Agent({ name: "hanging", model: new ScriptedModel({ hang: true }) }),
      failing: new Agent({ name: "failing", model: new ScriptedModel({ text: "Hm", error: new Error("x") }) }),
    },
    teams: {
      desk: new Team({
        name: "desk",
        mode: "broadcast",
        model: new ScriptedModel().respond(() => "We agree."),
        members: [sayer("ann"), sayer("bob")],
        streamMembers: true,
      }),
    },
    workflows: {
      trip: new Workflow({ name: "trip", initialState: { city: "" }, steps: [{ name: "plan", agent: sayer("ann") }] }),
      tour: makeTour(sayer),
      asking: new Workflow({
        name: "asking",
        initialState: { city: "" },
        steps: [
          { name: "plan", agent: sayer("ann") },
          { name: "wish", ask: () => "Und?" },
        ],
      }),
    },
    storage,
    durable: true,
    logger: createLogger({ level: "silent" }),
  });
  const url = await serveAgUi(service);
  const released = { isAsked: asked.promise, goOn: held.resolve };
  return { url, paid, offered, released, ...watchRuns(service) };
}

/** Serves a service over AG-UI until the test is over, and returns the address. */
export async function serveAgUi(service: Service): Promise<string> {
  const { url, server } = await serve(service, [agUi()], { port: 0 });
  onTestFinished(async () => {
    // The clients of a test send nothing more: their idle connections need not be waited for.
    server.closeAllConnections();
    await service.close({ graceMs: 0 });
  });
  return url;
}

/** Makes a workflow with steps of each kind that changes the state, in an order that does not depend on the machine. */
function makeTour(sayer: (name: string) => Agent) {
  const initialState = { city: "", stops: ["a", "é"], rounds: 0, both: 0 };
  const rounds = { name: "round", run: ({ rounds: count }: { rounds: number }) => ({ rounds: count + 1 }) };
  return new Workflow({
    name: "tour",
    initialState,
    steps: [
      { name: "plan", agent: sayer("ann") },
      { name: "note", run: ({ city }) => ({ city: `${city}!`, "a/b~c": null }) },
      {
        name: "both",
        parallel: [
          { name: "count", run: () => ({ both: 1 }) },
          { name: "p1", agent: sayer("bob") },
        ],
      },
      { name: "again", loop: [rounds], until: ({ rounds: count }) => count >= 2, maxRounds: 5 },
      { name: "visit", forEach: ({ stops }) => stops, agent: sayer("eve") },
    ],
  });
}

/**
 * The functions that release the runs that are sent, for each time that one is; and one that lets the reading of the
 * next one fail behind some events.
 */
type Watch = { readonly ends: Mock<() => void>[]; readonly failNext: (behind: number, error: Error) => void };

/** Watches the runs that a service sends from now on. */
function watchRuns({ servedRuns }: Service): Watch {
  const ends: Mock<() => void>[] = [];
  let prepare: (run: ServedStoredRun) => void = () => {};
  const watch = (run: ServedStoredRun): void => {
    prepare(run);
    ends.push(vi.spyOn(run, "end"));
  };
  const beginStored = servedRuns.beginStored.bind(servedRuns);
  const findOfSession = servedRuns.findOfSession.bind(servedRuns);
  vi.spyOn(servedRuns, "beginStored").mockImplementation(async (...call) => {
    const run = await beginStored(...call);
    watch(run);
    return run;
  });
  vi.spyOn(servedRuns, "findOfSession").mockImplementation(async (...call) => {
    const found = await findOfSession(...call);
    if (found?.view.status === "waiting") watch(found.run);
    return found;
  });
  const failNext: Watch["failNext"] = (behind, error) => {
    prepare = (run) => {
      const next = run.next.bind(run);
      let count = 0;
      vi.spyOn(run, "next").mockImplementation(async () => {
        if (count++ === behind) throw error;
        return await next();
      });
    };
  };
  return { ends, failNext };
}

let runs = 0;

/** Sends a request, checks each event by the schema of the revision, and returns the events. */
export async function ask(url: string, revision: Revision, body: object = {}): Promise<Received[]> {
  runs += 1;
  const version = revision === "1.0.0" ? { protocolVersion: "1.0" } : {};
  const common = { threadId: "th", runId: `r${runs}`, tools: [], context: [], state: {}, forwardedProps: {} };
  const messages = [{ id: "u1", role: "user", content: "Hi." }];
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ ...common, messages, ...version, ...body }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  const blocks = text.split("\n\n").filter((block) => block.startsWith("data: "));
  return blocks.map((block) => {
    const event = JSON.parse(block.slice("data: ".length)) as Received;
    schemas[revision].parse(event);
    return event;
  });
}

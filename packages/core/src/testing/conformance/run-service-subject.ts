import { Agent } from "../../agents/agent/agent.ts";
import { RunService } from "../../runs/service/run-service.ts";
import type { RunServiceOptions } from "../../runs/processes/run-service-options.ts";
import type { RunEvent, RunRequest, RunStatus, RunView } from "../../runs/record/run-view.ts";
import type { ToolDef } from "../../agents/run/tool.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { defineTool } from "../../agents/tool/define-tool.ts";
import type { ScriptedAnswer } from "../scripted-answer.ts";
import { ScriptedModel } from "../scripted-model.ts";
import { inTime } from "./assert.ts";

/**
 * A storage for the suite of `RunService`, and a second driver on the same database for another process. A storage that
 * supports only one process uses the same driver twice.
 */
export type RunServiceSubject = { storage: StorageDriver; second: StorageDriver };

/** The options of the services in a test, except the storage. */
export type TestOptions = Omit<RunServiceOptions, "storage">;

/** A request to run the agent `a` for the user ada. */
export const adasRun: RunRequest = { kind: "agent", name: "a", input: "Hello.", owner: { userId: "ada" } };

/** Makes an agent `a` whose model gives scripted answers. */
export function playing(answers: readonly ScriptedAnswer[], tools: readonly ToolDef[] = []): Agent {
  return new Agent({
    name: "a",
    model: new ScriptedModel(...answers),
    tools: [...tools],
    storage: new InMemoryStorage(),
  });
}

/** Makes a tool `send` that needs an approval and records its calls. */
export function sendTool(calls: unknown[]): ToolDef {
  return defineTool({
    name: "send",
    description: "Sends a text.",
    parameters: { type: "object", properties: { text: { type: "string" } } },
    needsApproval: true,
    execute: (args) => {
      calls.push(args);
      return "sent";
    },
  });
}

/** The answers of a model that calls the tool `send` and then reports it. */
export const sending: readonly ScriptedAnswer[] = [
  { toolCalls: [{ name: "send", arguments: { text: "Hi." } }] },
  { text: "I have sent it." },
];

/** Services of one test, closed at its end. */
export class TestServices {
  readonly #open: RunService[] = [];

  /** Makes a service that performs its runs. */
  async serve(storage: StorageDriver, options: TestOptions): Promise<RunService> {
    const service = this.make(storage, options);
    await service.serve();
    return service;
  }

  /** Makes a service that accepts runs and returns events, but performs no runs. */
  make(storage: StorageDriver, options: TestOptions): RunService {
    const service = new RunService({ storage, ...options });
    this.#open.push(service);
    return service;
  }

  async close(): Promise<void> {
    for (const service of this.#open.splice(0)) await service.close();
  }
}

/** Makes a case of a suite. The services that it makes are closed at its end. */
export function withServices(
  check: (subject: RunServiceSubject, services: TestServices) => Promise<void>,
): (subject: RunServiceSubject) => Promise<void> {
  return async (subject) => {
    const services = new TestServices();
    try {
      await check(subject, services);
    } finally {
      await services.close();
    }
  };
}

/** Reads all events of a run after a position. */
export async function eventsOfRun(service: RunService, runId: string, after?: string): Promise<RunEvent[]> {
  return await inTime(Array.fromAsync(service.events(runId, "host", after)));
}

/** Waits until a run has a status. */
export async function reaches(service: RunService, runId: string, status: RunStatus): Promise<RunView> {
  const look = async (): Promise<RunView> => {
    for (;;) {
      const view = await service.get(runId, "host");
      if (view.status === status) return view;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return await inTime(look());
}

/**
 * Waits until a run has a status in its stored record, too: a driver may show a write to its own process before the
 * write is stored.
 */
export async function isStoredAs(
  storage: StorageDriver,
  service: RunService,
  run: { runId: string; status: RunStatus },
) {
  await reaches(service, run.runId, run.status);
  const look = async (): Promise<void> => {
    while (!(await storage.list("runs")).some((entry) => JSON.stringify(entry).includes(`"status":"${run.status}"`)))
      await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await inTime(look());
}

/** Returns the text in the chunks among events. */
export function textIn(events: readonly RunEvent[]): string {
  const texts = events.map((event) => (event.type === "chunk" && "text" in event.chunk ? event.chunk.text : ""));
  return texts.join("");
}

/** Returns all records of runs in a storage, as JSON. */
export async function recordsIn(storage: StorageDriver): Promise<string[]> {
  const names = ["runs", "run-input", "run-open", "run-log", "run-inbox", "run-by"];
  const lists = await Promise.all(names.map(async (name) => await storage.list(name)));
  return lists.flat().map((entry) => JSON.stringify(entry));
}

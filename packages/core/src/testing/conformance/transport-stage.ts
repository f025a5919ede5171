import { Agent } from "../../agents/agent/agent.ts";
import type { AgentConfig } from "../../agents/agent/agent-config.ts";
import { RunService } from "../../runs/service/run-service.ts";
import { createLogger } from "../../base/log/logger.ts";
import { getTextContent } from "../../base/message/content.ts";
import type { Runnable } from "../../agents/run/runnable.ts";
import type { ToolDef } from "../../agents/run/tool.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { defineTool } from "../../agents/tool/define-tool.ts";
import type { Principal } from "../../transport/request/principal.ts";
import type { ScriptedRequest } from "../scripted-answer.ts";
import { ScriptedModel } from "../scripted-model.ts";
import { assert, inTime } from "./assert.ts";
import type {
  SentError,
  TransportClient,
  TransportEvent,
  TransportHarness,
  TransportRun,
  TransportServed,
  TransportService,
} from "./transport-subject.ts";

/** The principal of a signed-in user. */
export const ada: Principal = { userId: "ada" };
/** The principal of another user. */
export const bob: Principal = { userId: "bob" };

/** A run id that belongs to no run. */
export const unknownRunId = "00000000-0000-4000-8000-000000000000";

/** The service of one case, its log, and all resources that the case must close. */
export class TransportStage {
  /** The log lines of the transport and the runs. */
  readonly lines: string[] = [];
  readonly logger = createLogger({ level: "debug", write: (line) => void this.lines.push(line) });
  readonly #harness: TransportHarness;
  readonly #open: { close(): Promise<void> }[] = [];
  #service: TransportService | undefined;

  constructor(harness: TransportHarness) {
    this.#harness = harness;
  }

  /** Makes an agent `a` with a storage of its own. */
  agent(config: Omit<AgentConfig, "name">): Agent {
    return new Agent({ name: "a", storage: new InMemoryStorage(), logger: this.logger, ...config });
  }

  /** Serves the agent `a`, and further runnables if given. Returns a client. */
  async serve(a: Runnable, served: Partial<TransportServed> = {}): Promise<TransportClient> {
    this.#service = await inTime(this.#harness.serve({ agents: { a }, teams: {}, logger: this.logger, ...served }));
    this.#open.push(this.#service);
    return await this.connect();
  }

  /** Makes a service that performs durable runs of the agent `a` itself. */
  async runsOf(a: Agent): Promise<RunService> {
    const runs = new RunService({ storage: new InMemoryStorage(), agents: { a }, logger: this.logger });
    this.#open.push(runs);
    await runs.serve();
    return runs;
  }

  /** Connects another client to the service. */
  async connect(principal?: Principal): Promise<TransportClient> {
    assert.ok(this.#service !== undefined, "serve comes first");
    return await inTime(this.#service.connect(principal));
  }

  /** Closes all resources, the last opened first. */
  async close(): Promise<void> {
    for (const open of this.#open.splice(0).toReversed()) await open.close();
  }
}

/** Makes a case of a suite. The resources that its stage opens are closed at its end. */
export function onStage(check: (stage: TransportStage) => Promise<void>): (harness: TransportHarness) => Promise<void> {
  return async (harness) => {
    const stage = new TransportStage(harness);
    try {
      await check(stage);
    } finally {
      await inTime(stage.close(), 15_000);
    }
  };
}

/** Makes a model that answers every call with the same text. */
export function saying(text: string): ScriptedModel {
  return new ScriptedModel().respond(() => text);
}

/** Makes a model that never answers. */
export function silent(): ScriptedModel {
  return new ScriptedModel().respond(() => ({ hang: true }));
}

/** Makes a tool `wait` whose calls last until `open` is called or the run is aborted. */
export function gate(): { readonly tool: ToolDef; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<string>();
  const tool = defineTool({
    name: "wait",
    description: "Waits.",
    parameters: { type: "object", properties: {} },
    execute: async (_args, { signal }) => {
      const aborted = Promise.withResolvers<never>();
      signal.addEventListener("abort", () => aborted.reject(signal.reason as Error), { once: true });
      return await Promise.race([promise, aborted.promise]);
    },
  });
  return { tool, open: () => resolve("waited") };
}

/** Waits for the end of a run, and returns its events. */
export async function eventsOf(run: TransportRun): Promise<readonly TransportEvent[]> {
  await inTime(run.ended);
  return run.events;
}

/** Returns the ids of a run that must have begun. */
export async function idsOfAnswer(run: TransportRun): Promise<{ runId: string; sessionId: string }> {
  const ids = await inTime(run.started);
  assert.ok(ids !== undefined, `the run was refused: ${JSON.stringify(run.events)}`);
  return ids;
}

/** Returns the answer's text in the events of a run. */
export function textOfAnswer(events: readonly TransportEvent[]): string {
  return events.map((event) => (event.type === "text" ? event.text : "")).join("");
}

/** Asserts that an answer is an error of this code. Returns its message. */
export function refusedWith(answer: { readonly error?: SentError }, code: string): string {
  assert.equal(answer.error?.code, code, JSON.stringify(answer));
  return answer.error.message;
}

/** Waits until an asynchronous condition holds. A rejection counts as false. */
export async function untilSo(holds: () => Promise<boolean>): Promise<void> {
  const end = new AbortController();
  const look = async (): Promise<void> => {
    while (!end.signal.aborted && !(await holds().catch(() => false)))
      await new Promise((resolve) => setTimeout(resolve, 5));
  };
  try {
    await inTime(look());
  } finally {
    end.abort();
  }
}

/** Returns the last message of a request to a scripted model, as a string. */
export function lastSaid({ messages }: ScriptedRequest): string {
  return getTextContent(messages.at(-1)?.content ?? null);
}

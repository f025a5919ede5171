import { onTestFinished, vi } from "vitest";
import { Agent } from "../../../agents/agent/agent.ts";
import type { AgentConfig } from "../../../agents/agent/agent-config.ts";
import { InMemoryStorage } from "../../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../../sessions/storage/storage-driver.ts";
import { ScriptedModel } from "../../../testing/scripted-model.ts";
import type { ScriptedAnswer } from "../../../testing/scripted-answer.ts";
import { RunService } from "../run-service.ts";
import type { RunServiceOptions } from "../../processes/run-service-options.ts";
import type { RunEvent, RunRequest, RunView } from "../../record/run-view.ts";

/** An agent `a` that plays a script. */
export function scriptedAgent(answers: readonly ScriptedAnswer[], config: Partial<AgentConfig> = {}): Agent {
  return new Agent({
    name: "a",
    model: new ScriptedModel(...answers),
    storage: new InMemoryStorage(),
    ...config,
  });
}

/** Makes a service that is closed after the test. */
export function makeService(options: RunServiceOptions): RunService {
  const service = new RunService(options);
  onTestFinished(async () => await service.close());
  return service;
}

/** Makes a service that performs its runs, and is closed after the test. */
export async function serveRuns(options: RunServiceOptions): Promise<RunService> {
  const service = makeService(options);
  await service.serve();
  return service;
}

/** The request of a run of the agent `a`. */
export const request: RunRequest = { kind: "agent", name: "a", input: "Hello." };

/** Reads all events of a run. */
export async function readEvents(service: RunService, runId: string, after?: string): Promise<RunEvent[]> {
  return await Array.fromAsync(service.events(runId, "host", after));
}

/** Waits until a run has a status. */
export async function untilStatus(service: RunService, runId: string, status: RunView["status"]): Promise<RunView> {
  for (;;) {
    const view = await service.get(runId, "host");
    if (view.status === status) return view;
    // A faked clock goes on by far more than the time that this takes.
    await new Promise((resolve) => setTimeout(resolve, vi.isFakeTimers() ? 20 : 2));
  }
}

/** Fakes the clock until the end of the test, for `soon`. */
export function fakeClock(): void {
  vi.useFakeTimers({
    toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
  });
  onTestFinished(() => void vi.useRealTimers());
}

/** Returns what work resolves to, whose pauses take no time: the faked clock is advanced until it is done. */
export async function soon<Result>(work: Promise<Result>): Promise<Result> {
  const state = { isDone: false };
  const settled = work.finally(() => (state.isDone = true));
  settled.catch(() => undefined);
  while (!state.isDone) await vi.advanceTimersByTimeAsync(10);
  return await settled;
}

/** Returns the text of the chunks among events. */
export function textOf(events: readonly RunEvent[]): string {
  return events
    .map((event) => (event.type === "chunk" && "text" in event.chunk ? String(event.chunk.text) : ""))
    .join("");
}

/** The keys of all records of runs in a storage. */
export async function runRecordsIn(storage: StorageDriver): Promise<string[]> {
  const names = ["runs", "run-input", "run-open", "run-log", "run-inbox", "run-by"];
  const lists = await Promise.all(names.map((name) => storage.list(name)));
  return lists.flatMap((entries, index) => entries.map(({ key }) => `${names[index]} ${key}`));
}

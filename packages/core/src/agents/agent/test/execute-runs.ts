import type { RunEvents } from "../../run/run-events.ts";
import { RunError } from "../../run/run-output.ts";
import type { RunOutput } from "../../run/run-output.ts";
import type { RunStream } from "../../run/runnable.ts";
import { countedSignal } from "../../run/test/listeners.ts";
import type { StreamChunk } from "../../run/stream-chunk.ts";
import { InMemoryStorage } from "../../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../../sessions/storage/storage-driver.ts";
import { eventsOnBus } from "../../../testing/conformance/runnable-subject.ts";
import { inTime } from "../../../testing/conformance/assert.ts";
import { faultAtCall, faultyStorage } from "../../../testing/faulty-storage.ts";
import type { ToolDef } from "../../run/tool.ts";
import { Agent } from "../agent.ts";
import { toolNamed } from "./agents.ts";
import { markOf, pause, RandomModel } from "./random-model.ts";
import type { RandomRun, RandomRuns } from "./random-runs.ts";

/** The outcome of one run. `chunks` are those that its reader saw. */
export type ExecutedRun = { runId: string | undefined; outcome: RunOutput | RunError; chunks: StreamChunk[] };

/** The record of a trial, for the invariants. */
export type Trial = {
  given: RandomRuns;
  runs: ExecutedRun[];
  events: { name: keyof RunEvents; data: RunEvents[keyof RunEvents] }[];
  model: RandomModel;
  /** The storage of the agent, and the storage below its faults. */
  driver: StorageDriver;
  storage: InMemoryStorage;
  listeners: () => number;
};

/** Executes the runs: those that come at once do not wait for the ones before them. */
export async function executeRuns(given: RandomRuns): Promise<Trial> {
  const model = new RandomModel(given.runs);
  const storage = new InMemoryStorage();
  const { fault, maxToolRoundtrips } = given;
  const driver = fault === undefined ? storage : faultyStorage(storage, faultAtCall(fault.atCall, fault.fault));
  const retry = { maxRetries: 0 };
  const agent = new Agent({ name: "a", model, storage: driver, tools: tools(), maxToolRoundtrips, retry });
  const events = eventsOnBus(agent);
  // Two that outlive the runs: the runs of a session share one.
  const shared = { a: countedSignal(), b: countedSignal() };
  const playing: Promise<ExecutedRun>[] = [];
  for (const [index, run] of given.runs.entries()) {
    const { signal } = shared[run.session === "a" ? "a" : "b"];
    if (!run.isAtOnce) await Promise.all(playing);
    playing.push(inTime(play(agent, { run, index, signal }), 5000));
  }
  const runs = await Promise.all(playing);
  const listeners = () => shared.a.listeners() + shared.b.listeners();
  return { given, runs, events, model, driver, storage, listeners };
}

type Playing = { run: RandomRun; index: number; signal: AbortSignal };

async function play(agent: Agent, playing: Playing): Promise<ExecutedRun> {
  const { run, index, signal } = playing;
  const own = new AbortController();
  const input = `Hello ${markOf(index)}`;
  // A run that is ended by a signal has a signal of its own.
  const opts = { sessionId: run.session, signal: run.end.by === "signal" ? own.signal : signal };
  if (run.end.by === "signal") void pause(run.end.after).then(() => own.abort());
  if (run.way === "run") return { runId: undefined, outcome: await outcomeOf(agent.run(input, opts)), chunks: [] };
  const stream = agent.stream(input, opts);
  if (run.end.by === "start") stream.cancel();
  if (run.end.by === "cancel") void pause(run.end.after).then(() => stream.cancel());
  const chunks = run.way === "stream" ? await read(stream, run) : [];
  return { runId: stream.runId, outcome: await outcomeOf(stream.output), chunks };
}

async function outcomeOf(run: Promise<RunOutput>): Promise<RunOutput | RunError> {
  return await run.catch((error: unknown) => {
    if (error instanceof RunError) return error;
    throw error;
  });
}

/** Reads to the end, or to where its reader leaves. */
async function read(stream: RunStream, { end }: RandomRun): Promise<StreamChunk[]> {
  const chunks: StreamChunk[] = [];
  try {
    for await (const chunk of stream) {
      chunks.push(chunk);
      if (end.by === "leaving" && chunks.length > end.after % 12) break;
    }
  } catch {
    // The output has the end of the run.
  }
  return chunks;
}

function tools(): ToolDef[] {
  const hang = async (signal: AbortSignal) =>
    await new Promise<string>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
  const more = { timeoutMs: 2 };
  return [
    toolNamed("answers", (at) => `seen ${at}`),
    toolNamed("waits", async (at) => {
      await pause(7);
      return { content: `seen ${at}`, artifacts: [{ type: "mark", data: at }] };
    }),
    toolNamed("throws", (at) => {
      throw new Error(`broken ${at}`);
    }),
    toolNamed("hangs", async (_at, { signal }) => await hang(signal), more),
    toolNamed("ignores", () => new Promise<string>(() => {}), more),
  ];
}

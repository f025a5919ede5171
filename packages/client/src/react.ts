import type { ClientRunOptions, ClientStream, RunEvent, Source, Usage, Wait } from "@troupe-internal/client";
import { useCallback, useEffect, useRef, useState } from "react";

/** The part of a client's agent, team or workflow that the hook uses. */
type Streamable<Input> = { stream(input: Input, options?: ClientRunOptions): ClientStream };

/** The state of the newest run of the hook `useRun`. */
export type RunState = {
  /** The status: `idle` before the first run, `waiting` while the run waits for an answer. */
  readonly status: "idle" | "running" | "waiting" | "completed" | "failed";
  readonly runId: string | undefined;
  readonly sessionId: string | undefined;
  /** The text of the answer received so far. */
  readonly text: string;
  readonly thinking: string;
  readonly sources: readonly Source[];
  /** The questions of the run that are not answered yet. */
  readonly waits: readonly Wait[];
  readonly usage: Usage | undefined;
  readonly error: Error | undefined;
};

/** The state of a run on a page, and the functions that start and cancel it. */
export type UsedRun<Input> = RunState & {
  /** Starts a run, and stops reading the previous one. Resolves when the run is over; never rejects. */
  readonly start: (input: Input, options?: ClientRunOptions) => Promise<void>;
  /** Cancels the run. */
  readonly cancel: () => Promise<void>;
};

const idle: RunState = {
  status: "idle",
  runId: undefined,
  sessionId: undefined,
  text: "",
  thinking: "",
  sources: [],
  waits: [],
  usage: undefined,
  error: undefined,
};

/**
 * Runs an agent, a team or a workflow from a component, and shows its answer as it arrives. Reading stops when the
 * component unmounts; the run itself continues if the service lets runs outlive their connections. `onEvent` receives
 * each event, such as tool calls.
 */
export function useRun<Input>(
  runnable: Streamable<Input>,
  { onEvent }: { readonly onEvent?: (event: RunEvent) => void } = {},
): UsedRun<Input> {
  const [state, setState] = useState(idle);
  const reading = useRef<{ abort: AbortController; stream: ClientStream } | undefined>(undefined);
  const latest = useRef({ runnable, onEvent });
  latest.current = { runnable, onEvent };

  useEffect(() => () => reading.current?.abort.abort(), []);

  const start = useCallback(async (input: Input, options: ClientRunOptions = {}): Promise<void> => {
    reading.current?.abort.abort();
    const abort = new AbortController();
    const { signal: given } = options;
    const signal = given === undefined ? abort.signal : AbortSignal.any([given, abort.signal]);
    const stream = latest.current.runnable.stream(input, { ...options, signal });
    reading.current = { abort, stream };
    const show = (change: (before: RunState) => RunState): void => {
      if (!abort.signal.aborted) setState(change);
    };
    show(() => ({ ...idle, status: "running" }));
    stream.ids.then(
      (ids) => show((before) => ({ ...before, ...ids })),
      () => undefined,
    );
    try {
      for await (const event of stream) {
        if (event.type === "restart")
          show(({ runId, sessionId }) => ({ ...idle, status: "running", runId, sessionId }));
        else {
          show((before) => reduce(before, event));
          latest.current.onEvent?.(event);
        }
      }
    } catch (error) {
      show((before) => ({ ...before, status: "failed", waits: [], error: error as Error }));
    }
  }, []);

  const cancel = useCallback(async (): Promise<void> => await reading.current?.stream.cancel(), []);
  return { ...state, start, cancel };
}

function reduce(state: RunState, event: RunEvent): RunState {
  switch (event.type) {
    case "text":
    case "thinking":
      return withText(state, event);
    case "source":
      return { ...state, sources: [...state.sources, event] };
    case "chunk":
      return reduceStep(state, event.chunk);
    case "wait":
      return { ...state, status: "waiting", waits: [...state.waits, event] };
    case "tool_result":
      return withoutWait(state, event.toolCallId);
    case "finish":
      return { ...state, status: "completed", waits: [], usage: event.result?.usage ?? event.usage };
    default:
      return state;
  }
}

/** Adds text to the answer. The text of a team's members is not part of the answer. */
function withText(state: RunState, { type, text, member }: Extract<RunEvent, { type: "text" | "thinking" }>): RunState {
  return member === undefined ? { ...state, [type]: state[type] + text } : state;
}

/** Adds a chunk of a workflow's step. The chunk at the end of a step does not end the run. */
function reduceStep(state: RunState, chunk: Extract<RunEvent, { type: "chunk" }>["chunk"]): RunState {
  return chunk.type === "finish" ? state : reduce(state, chunk);
}

/** Removes the question about a tool call that now has a result. */
function withoutWait(state: RunState, toolCallId: string): RunState {
  const waits = state.waits.filter((wait) => wait.toolCallId !== toolCallId);
  return waits.length === state.waits.length || waits.length > 0
    ? { ...state, waits }
    : { ...state, waits, status: "running" };
}

import { ApiError } from "@troupe-internal/client";
import type { RunRequest } from "../../api/api.ts";
import type { RunEvent, RunInfo, StoredTurn } from "@troupe-internal/client";
import { Conversation } from "../conversation.ts";
import type { StoredValue } from "../../ui/browser-storage.ts";
import type { ConversationApi, TabMemory } from "../conversation-state.ts";
import { KeptTurns } from "../kept-turns.ts";
import { OpenRuns } from "../open-runs.ts";

/** A failure of the service. */
export function refusal(status: number, code = "x"): ApiError {
  return new ApiError({ code, message: `The service answered ${status}.` }, status);
}

/** A turn as the service stores it. */
export function storedTurn(seq: number, fields: Partial<StoredTurn> = {}): StoredTurn {
  const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
  const messages = [{ role: "assistant", content: `Answer ${seq}` }];
  const runId = `r${seq}`;
  return { seq, runId, runnable: "a", status: "completed", createdAt: 0, input: `Q${seq}`, messages, usage, ...fields };
}

/** The stream of a run whose events the test sends. */
export class FakeRun {
  readonly response: Response;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #sent = 0;

  constructor(runId: string, sessionId: string) {
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (this.#controller = controller) });
    this.response = new Response(body, { headers: { "x-run-id": runId, "x-session-id": sessionId } });
  }

  /** Sends events. */
  send(...events: RunEvent[]): this {
    for (const event of events) {
      const text = `id: ${++this.#sent}\ndata: ${JSON.stringify(event)}\n\n`;
      this.#controller?.enqueue(new TextEncoder().encode(text));
    }
    return this;
  }
}

/** A service whose answers the test sets. It records its requests. */
class FakeService implements ConversationApi {
  readonly asked: string[] = [];
  readonly started: { readonly request: RunRequest; readonly key: string }[] = [];
  /** The turns of each session. A session without an entry is not found. */
  readonly sessions = new Map<string, StoredTurn[]>();
  readonly open: RunInfo[] = [];
  onStart: (request: RunRequest) => Promise<Response> = () => Promise.reject(refusal(500));
  onEvents: (runId: string) => Promise<Response> = () => Promise.reject(refusal(404));
  onTurns: () => Promise<void> = async () => {};
  onRemove: () => Promise<void> = async () => {};

  async start(request: RunRequest, key: string): Promise<Response> {
    this.started.push({ request, key });
    return await this.onStart(request);
  }

  async events(runId: string): Promise<Response> {
    return await this.onEvents(runId);
  }

  async turns(sessionId: string, behind = 0): Promise<StoredTurn[]> {
    await this.onTurns();
    const turns = this.sessions.get(sessionId);
    if (turns === undefined) throw refusal(404, "not_found");
    return turns.filter(({ seq }) => seq > behind);
  }

  async removeTurns(sessionId: string, from: number): Promise<void> {
    this.asked.push(`remove ${sessionId} ${from}`);
    await this.onRemove();
    this.sessions.set(
      sessionId,
      (this.sessions.get(sessionId) ?? []).filter(({ seq }) => seq < from),
    );
  }

  async newestRuns(): Promise<RunInfo[]> {
    return this.open;
  }

  async cancel(runId: string): Promise<void> {
    this.asked.push(`cancel ${runId}`);
  }

  async answer(runId: string, waitId: string): Promise<void> {
    this.asked.push(`answer ${runId} ${waitId}`);
  }

  partUrl(sessionId: string, seq: number, index: number): string {
    return `data:text/plain,${sessionId}-${seq}-${index}`;
  }
}

/** A storage of a browser tab, which holds what is written to it unless it refuses. */
function tabStorage(isRefusing: boolean): StoredValue {
  let remembered: unknown;
  return {
    read: (isValid) => (isValid(remembered) ? remembered : undefined),
    write: (value) => {
      if (!isRefusing) remembered = structuredClone(value);
      return !isRefusing;
    },
  };
}

/** Creates the memory of a browser tab. */
export function createMemory({ isRefusing = false } = {}): TabMemory {
  return { openRuns: new OpenRuns(tabStorage(false)), keptTurns: new KeptTurns(tabStorage(isRefusing)) };
}

/** Creates a conversation with a service, and records the callbacks to the rest of the page. */
export function createConversation(service = new FakeService(), memory = createMemory()) {
  const { openRuns, keptTurns } = memory;
  const told: string[] = [];
  const conversation = new Conversation(service, memory, {
    begun: (sessionId, title) => void told.push(`begun ${sessionId} ${title}`),
    moved: (sessionId) => void told.push(`moved ${sessionId ?? "away"}`),
    over: () => void told.push("over"),
  });
  conversation.setRunnables([
    { kind: "agent", name: "a", input: ["text", "parts"] },
    { kind: "workflow", name: "w", input: ["object"] },
  ]);
  return { conversation, service, openRuns, keptTurns, memory, told };
}

/** Returns a request that is answered when the test says so. */
export function held<Value>() {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => (resolve = settle));
  return { promise, resolve };
}

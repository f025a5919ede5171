import { sleep } from "@troupe/core/kit";
import type { CallHeaders } from "@troupe/core/kit";
import { isInterrupted, isTerminal } from "../wire/task.ts";
import { present } from "../wire/field-reader.ts";
import type { A2AMessage, A2ATaskState } from "../wire/task.ts";
import type { RemoteContext } from "./remote-contexts.ts";
import type { RemoteEndpoint } from "./remote-endpoint.ts";
import { badForm, RemoteFailure } from "./remote-failure.ts";
import type { RemoteEvent } from "./read-reply.ts";

/**
 * The message of a run, without context and task; the session's context and task at the remote agent; and the media
 * types that the client accepts.
 */
export type ExchangeInit = {
  readonly message: Omit<A2AMessage, "contextId" | "taskId">;
  readonly context: RemoteContext;
  readonly outputModes: readonly string[] | undefined;
};

/**
 * The remote agent's endpoints to try in order, the user's headers, and a callback for the endpoint that accepted the
 * message.
 */
export type ExchangeRoute = {
  readonly endpoints: readonly RemoteEndpoint[];
  readonly users: CallHeaders | undefined;
  readonly note: (endpoint: RemoteEndpoint) => void;
};

/**
 * Milliseconds between two polls of a remote task: the first pause, the longest pause, and the factor by which a pause
 * grows.
 */
const pollWaits = { first: 100, longest: 5000, factor: 1.5 };

/** Consecutive failed polls after which a remote task is no longer polled. */
const mostPollFailures = 3;

/** Milliseconds to wait for the id of a remote task that must be cancelled, and for the call that cancels it. */
const cancelWaits = { id: 1500, call: 3000 };

/** The events of the answer to a call: the first event, and the following ones. */
type Begun = { first: RemoteEvent; rest: AsyncGenerator<RemoteEvent, void, undefined> | undefined };

/** The exchange of one run with a remote agent: sends a message and follows its task to the end. */
export class RemoteExchange {
  readonly #init: ExchangeInit;
  readonly #controller = new AbortController();
  readonly #begun = Promise.withResolvers<void>();
  #route: ExchangeRoute | undefined;
  #endpoint: RemoteEndpoint | undefined;
  #context: RemoteContext;
  #taskId: string | undefined;
  #isSent = false;
  /** True once the remote task is over or waits for its client. */
  #isSettled = false;
  /**
   * True once the remote task is over or waits for input. False if the task waits for credentials, because it then
   * continues by itself.
   */
  #isOver = false;
  #hasResumed = false;

  constructor(init: ExchangeInit) {
    this.#init = init;
    this.#context = init.context;
  }

  /** The place of the session at the agent: the context, and the task if it waits for the next message. */
  get context(): RemoteContext {
    return this.#context;
  }

  /**
   * Aborts when the exchange ends. It is separate from the run's own signal, so that the task can still be cancelled
   * after that signal has aborted.
   */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Sends the message and yields the events of its task until the task is over or waits for its client. */
  async *events(route: ExchangeRoute): AsyncGenerator<RemoteEvent, void, undefined> {
    this.#route = route;
    try {
      yield* this.#follow(await this.#begin());
    } finally {
      this.#begun.resolve();
    }
  }

  /** Ends the exchange early: cancels the task if it is still running. Throws if the cancel fails. */
  async cancel(): Promise<void> {
    try {
      if (!this.#isSent || this.#isOver) return;
      // Without an id, the message has not been answered yet, and only its answer contains the id of the task to
      // cancel.
      if (this.#taskId === undefined) await this.#untilBegun();
      if (this.#taskId !== undefined && !this.#isOver) await this.#cancelTask(this.#taskId);
    } finally {
      this.close();
    }
  }

  /** Closes the exchange's open connections. */
  close(): void {
    this.#controller.abort(new Error("The exchange is over."));
  }

  async #untilBegun(): Promise<void> {
    const late = new AbortController();
    await Promise.race([this.#begun.promise, sleep(cancelWaits.id, late.signal).catch(() => undefined)]);
    late.abort();
  }

  async #cancelTask(id: string): Promise<void> {
    try {
      await this.#endpoint?.call({ op: "cancel", id }, this.#setting(), cancelWaits.call);
    } catch (error) {
      // Nothing is left to cancel if the task is already over or the agent no longer has it.
      const isOver = error instanceof RemoteFailure && (error.rpcCode === -32001 || error.rpcCode === -32002);
      if (!isOver) throw error;
    }
  }

  #setting() {
    return { users: this.#route?.users, signal: this.#controller.signal };
  }

  /** Sends the message to the first endpoint that accepts it, at first within the context and task of its session. */
  async #begin(): Promise<Begun> {
    try {
      return await this.#tryEndpoints();
    } catch (error) {
      const place = this.#context;
      const next = error instanceof RemoteFailure ? withoutPlace(place, error) : place;
      if (next === place) throw error;
      // The message was refused because of its context or task, so the agent did not process it.
      this.#context = next;
      return await this.#begin();
    }
  }

  async #tryEndpoints(): Promise<Begun> {
    const ways = (this.#route?.endpoints ?? []).flatMap((endpoint) =>
      (endpoint.streams ? (["stream", "send"] as const) : (["send"] as const)).map((op) => ({ endpoint, op })),
    );
    let refusal: RemoteFailure | undefined;
    for (const { endpoint, op } of ways) {
      try {
        const begun = await this.#send(endpoint, op);
        this.#route?.note(endpoint);
        return begun;
      } catch (error) {
        if (!isRefusedMethod(error, op)) throw error;
        // If several endpoints refuse the message, the first refusal explains the most, so it becomes the failure of
        // the call.
        refusal ??= error;
      }
    }
    throw refusal ?? badForm("names no endpoint that can be called");
  }

  async #send(endpoint: RemoteEndpoint, op: "send" | "stream"): Promise<Begun> {
    const { outputModes } = this.#init;
    const message: A2AMessage = { ...this.#init.message, ...this.#context };
    const call = { op, message, ...(outputModes !== undefined && { outputModes }) };
    this.#endpoint = endpoint;
    this.#isSent = true;
    if (op === "send") return { first: this.#take(await endpoint.call(call, this.#setting())), rest: undefined };
    const rest = endpoint.stream(call, this.#setting());
    const { value: first, done } = await rest.next();
    if (done === true) throw badForm("ended the stream before its first event");
    return { first: this.#take(first), rest };
  }

  /** Follows a task over its first stream. If the stream breaks off, resubscribes once, and then polls the task. */
  async *#follow({ first, rest }: Begun): AsyncGenerator<RemoteEvent, void, undefined> {
    yield first;
    let stream = rest;
    while (stream !== undefined && !this.#isSettled) {
      const failure = yield* this.#read(stream);
      if (this.#isSettled) return;
      if (this.#taskId === undefined) throw failure ?? badForm("ended the stream before the end of its task");
      stream = this.#resume(this.#taskId);
    }
    await stream?.return(undefined);
    if (!this.#isSettled) yield* this.#poll();
  }

  /**
   * Yields the events of the task from a stream. Returns the failure if the stream breaks off or cannot be resumed,
   * otherwise undefined.
   */
  async *#read(
    stream: AsyncGenerator<RemoteEvent, void, undefined>,
  ): AsyncGenerator<RemoteEvent, RemoteFailure | undefined, undefined> {
    try {
      for await (const event of stream) {
        if (!this.#isOurs(event)) continue;
        yield this.#take(event);
        if (this.#isSettled) return undefined;
      }
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
      // The agent does not resume streams, or the task is over: poll the task instead.
      const isGone = this.#hasResumed && (error.kind === "rpc" || error.isUnknownMethod);
      if (!isGone && !error.isDropped) throw error;
      return error;
    }
    return undefined;
  }

  #resume(id: string): AsyncGenerator<RemoteEvent, void, undefined> | undefined {
    if (this.#hasResumed) return undefined;
    this.#hasResumed = true;
    return this.#endpoint?.stream({ op: "subscribe", id }, this.#setting());
  }

  async *#poll(): AsyncGenerator<RemoteEvent, void, undefined> {
    const id = this.#taskId;
    if (id === undefined) throw badForm("sent a task without an id");
    let wait = pollWaits.first;
    for (let failures = 0; !this.#isSettled; wait = Math.min(wait * pollWaits.factor, pollWaits.longest)) {
      await sleep(wait, this.#controller.signal);
      try {
        const event = await this.#endpoint?.call({ op: "get", id }, this.#setting());
        if (event === undefined || !this.#isOurs(event)) throw badForm("answered with another task than ours");
        failures = 0;
        yield this.#take(event);
      } catch (error) {
        if (!(error instanceof RemoteFailure && error.isDropped) || ++failures === mostPollFailures) throw error;
      }
    }
  }

  /** Returns true if an event belongs to the task of this exchange. Events without ids are assumed to belong to it. */
  #isOurs(event: RemoteEvent): boolean {
    const id = taskIdOf(event);
    return id === undefined || this.#taskId === undefined || id === this.#taskId;
  }

  /** Records the ids and the state of the remote task that an event contains. */
  #take(event: RemoteEvent): RemoteEvent {
    if (event.type !== "message") this.#taskId ??= taskIdOf(event);
    const state = stateOf(event);
    this.#context = present({
      contextId: contextIdOf(event) ?? this.#context.contextId,
      taskId: state === "input-required" ? this.#taskId : undefined,
    });
    this.#isSettled = event.type === "message" || (state !== undefined && (isTerminal(state) || isInterrupted(state)));
    this.#isOver = this.#isSettled && state !== "auth-required";
    this.#begun.resolve();
    return event;
  }
}

function stateOf(event: RemoteEvent): A2ATaskState | undefined {
  if (event.type === "task") return event.task.status.state;
  return event.type === "status" ? event.status.state : undefined;
}

function taskIdOf(event: RemoteEvent): string | undefined {
  if (event.type === "message") return event.message.taskId;
  return (event.type === "task" ? event.task.id : event.taskId) || undefined;
}

function contextIdOf(event: RemoteEvent): string | undefined {
  if (event.type === "message") return event.message.contextId;
  return (event.type === "task" ? event.task.contextId : event.contextId) || undefined;
}

/**
 * Returns true if a message was refused because of its method or endpoint. Another method or endpoint may then accept
 * it.
 */
function isRefusedMethod(error: unknown, op: "send" | "stream"): error is RemoteFailure {
  if (!(error instanceof RemoteFailure)) return false;
  return error.isUnknownMethod || error.kind === "untrusted" || (op === "stream" && error.rpcCode === -32004);
}

/**
 * Returns the context and task with which to retry a refused message: first without the task, then without the context.
 * Returns the given context and task unchanged if a retry would not help.
 */
function withoutPlace(place: RemoteContext, { rpcCode = 0 }: RemoteFailure): RemoteContext {
  const isOfPlace = [-32001, -32004, -32602].includes(rpcCode);
  if (!isOfPlace) return place;
  const { contextId, taskId } = place;
  if (taskId !== undefined) return contextId === undefined ? {} : { contextId };
  return contextId === undefined || rpcCode === -32004 ? place : {};
}

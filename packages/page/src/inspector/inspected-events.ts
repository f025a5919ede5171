import type { Json } from "@troupe/core";
import type { RunEvent, RunKind } from "@troupe/core/runs";
import { toPublicChunk, toPublicWorkflowChunk } from "@troupe/core/transport";
import type { InspectedEvent, PlacedEvent } from "./inspected-run.ts";
import { toShownJson, toShownText } from "./shown-json.ts";
import { readError, readStepFacts } from "./step-facts.ts";

/** Largest number of characters of text that are joined into one event. */
const longestText = 8000;

/** Number of collected events after which they are written to the inspector. */
const mostCollected = 64;

/** Types of chunks that add nothing to the other events of the log. */
const silentChunks = new Set(["tool_call_delta", "tool_call_end", "tool_result", "finish", "source"]);

type Inner = { readonly type: string; readonly text?: unknown };
type TextEvent = Extract<InspectedEvent, { type: "text" }>;

/**
 * Turns the events of a run into events for the inspector, with only the fields to show and with bounded lengths.
 * Chunks of one text are joined until `take` is called.
 */
export class EventCollector {
  readonly #kind: RunKind;
  readonly #isHost: boolean;
  #collected: PlacedEvent[] = [];

  constructor(kind: RunKind, isHost: boolean) {
    this.#kind = kind;
    this.#isHost = isHost;
  }

  add(event: RunEvent): void {
    const shown = event.type === "chunk" ? this.#toChunkEvent(event) : this.#toEvent(event);
    if (shown === undefined) return;
    const last = this.#collected.at(-1)?.event;
    if (shown.type !== "text" || last?.type !== "text" || !isSameText(last, shown)) {
      return void this.#collected.push({ id: event.id, event: shown });
    }
    this.#collected.pop();
    this.#collected.push({ id: event.id, event: { ...last, text: last.text + shown.text } });
  }

  /** True if enough events were collected to be written. */
  get isFull(): boolean {
    return this.#collected.length >= mostCollected;
  }

  /** Returns the collected events that were added since the last call. */
  take(): readonly PlacedEvent[] {
    const taken = this.#collected;
    this.#collected = [];
    return taken;
  }

  #toChunkEvent({ step, chunk }: Extract<RunEvent, { type: "chunk" }>): InspectedEvent | undefined {
    const shown = toClientChunk(chunk, this.#kind);
    // A workflow's event may contain a chunk of the agent in one of its steps.
    const inner = (shown?.["chunk"] ?? shown) as Inner | undefined;
    if (inner === undefined || silentChunks.has(inner.type)) return undefined;
    if ((inner.type === "text" || inner.type === "thinking") && typeof inner.text === "string") {
      const text = toShownText(inner.text);
      return { type: "text", step, text, ...(inner.type === "thinking" && { isThinking: true as const }) };
    }
    return { type: "chunk", step, chunk: toShownJson(inner) };
  }

  #toEvent(event: Exclude<RunEvent, { type: "chunk" }>): InspectedEvent {
    const viewer = { isHost: this.#isHost };
    switch (event.type) {
      case "attempt":
        return { type: "attempt", attempt: event.attempt, node: event.node, ...timeOf(event) };
      case "reset":
        return { type: "reset", step: event.step };
      case "call": {
        const { step, toolName, args, effect } = event;
        return {
          type: "call",
          step,
          toolName: toShownText(toolName),
          args: toShownJson(args),
          effect,
          ...timeOf(event),
        };
      }
      case "done": {
        const { step, value, usage, durationMs } = event;
        const facts = readStepFacts(step, value, viewer);
        return { type: "done", step, facts, durationMs, ...(usage && { usage: countsOf(usage) }), ...timeOf(event) };
      }
      case "wait": {
        const { id, kind, about, until, askedAt } = event.wait;
        const times = { ...(until !== undefined && { until }), ...(askedAt !== undefined && { askedAt }) };
        return { type: "wait", wait: { waitId: id, kind, about: toShownJson(about), ...times } };
      }
      default: {
        const error = readError(event.error, viewer);
        return { type: "end", output: toShownJson(withoutCalls(event.output)), ...(error && { error }) };
      }
    }
  }
}

function toClientChunk(chunk: { readonly type: string }, kind: RunKind): Record<string, unknown> | undefined {
  const shown =
    kind === "workflow"
      ? toPublicWorkflowChunk(chunk as Parameters<typeof toPublicWorkflowChunk>[0])
      : toPublicChunk(chunk as Parameters<typeof toPublicChunk>[0]);
  return shown as Record<string, unknown> | undefined;
}

function isSameText(one: TextEvent, other: TextEvent): boolean {
  if (one.text.length + other.text.length > longestText) return false;
  return one.step === other.step && one.isThinking === other.isThinking;
}

/** Returns the token counts of a usage, without the vendor's own metrics object. */
function countsOf({ providerMetrics: _metrics, ...counts }: Extract<RunEvent, { type: "done" }>["usage"] & object) {
  return counts;
}

/** Removes the tool calls from a run's output, because they are already shown as steps of the run. */
function withoutCalls(output: Json): Json {
  if (typeof output !== "object" || output === null || Array.isArray(output)) return output;
  const { toolCalls: _, ...rest } = output as Readonly<Record<string, Json>>;
  return rest;
}

function timeOf({ at }: { readonly at?: number }): { at?: number } {
  return at === undefined ? {} : { at };
}

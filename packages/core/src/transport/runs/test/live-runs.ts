import { vi } from "vitest";
import { ActiveRuns } from "../active-runs.ts";
import { LiveRun } from "../live-run.ts";

/** The owner of a run, and what its runnable returns. */
export const ada = { userId: "ada" };
export const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
export const output = { text: "Hé.", toolCalls: [], usage, runId: "r", sessionId: "s", secret: "of the host" };
export const chunk = (text: string) => ({ type: "text", text });

type Given = { kind?: "agent" | "team" | "workflow"; owner?: object; input?: unknown; subject?: object };

/** Begins a live run of a given runnable, for the user Ada or without a user. */
export function liveRun(
  { kind = "agent", owner = ada, subject = {}, ...given }: Given = {},
  active = new ActiveRuns(),
) {
  const { input } = { input: "Hi.", ...given };
  const opts = { runId: "r", sessionId: "s", isNewSession: true, fromOutside: true as const, ...owner };
  const run = new LiveRun({ subject, input, opts, owner }, { kind, name: "a" }, active);
  return { run, active };
}

/** A runnable whose run never ends by itself. */
export function openRunnable() {
  const began = vi.fn<(input: unknown, opts: { signal: AbortSignal }) => void>();
  const until = async (signal: AbortSignal) =>
    await new Promise<never>((_resolve, reject) => {
      if (signal.aborted) reject(new Error("the socket closed"));
      signal.addEventListener("abort", () => reject(new Error("the socket closed")), { once: true });
    });
  const subject = {
    run: async (input: unknown, opts: { signal: AbortSignal }) => {
      began(input, opts);
      return await until(opts.signal);
    },
    async *stream(input: unknown, opts: { signal: AbortSignal }) {
      began(input, opts);
      yield chunk("Hé");
      await until(opts.signal);
    },
  };
  return { subject, began };
}

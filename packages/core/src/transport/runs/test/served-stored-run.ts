import { vi } from "vitest";
import { ServedStoredRun } from "../served-stored-run.ts";
import type { StoredRunInit } from "../served-stored-run.ts";

type Given = Partial<StoredRunInit> & { readonly views?: readonly object[] };

/** A stored run whose log has these events, and then none until its reader leaves. */
export function storedRun(events: readonly object[], { views = [], ...more }: Given = {}) {
  const left = [...events];
  const gone = Promise.withResolvers<{ done: true; value: undefined }>();
  const returned = vi.fn<() => void>();
  const iterator = {
    next: async () => (left.length > 0 ? { done: false, value: left.shift() } : await gone.promise),
    return: async () => {
      returned();
      gone.resolve({ done: true, value: undefined });
      return { done: true as const, value: undefined };
    },
  };
  const seen = [...views];
  const get = vi.fn<() => Promise<object>>(async () => (seen.length > 1 ? seen.shift() : seen[0]) ?? {});
  const asked = vi.fn<(...args: unknown[]) => unknown>(() => iterator);
  const cancel = vi.fn<(...args: unknown[]) => Promise<unknown>>(async () => "cancelling");
  const service = { events: asked, get, cancel } as never;
  const ids = { runId: "r", sessionId: "s", kind: "agent", name: "a" } as const;
  const run = new ServedStoredRun({ service, isDurable: true, ...ids, caller: "host", resumeMs: 1000, ...more });
  return { run, service, returned, get, asked, cancel };
}

/** Events of a log. */
export const chunk = { type: "chunk", chunk: { type: "text", text: "é" } };
export const attempt = (number: number) => ({ type: "attempt", attempt: number, node: "n" });
export const wait = { type: "wait", wait: { id: "t.0" } };

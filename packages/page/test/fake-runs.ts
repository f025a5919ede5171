import type { RunEvent, RunService, RunView } from "@troupe/core/runs";
import type { Response as ExpressResponse } from "express";
import { servePage, usersByHeader } from "./serve-page.ts";

/** A run that is under way. */
export const view: RunView = {
  runId: "r1",
  kind: "agent",
  name: "poet",
  sessionId: "s1",
  status: "running",
  createdAt: 1,
  attempts: 1,
};
export const attempt: RunEvent = { id: "e1", type: "attempt", attempt: 1, node: "n" };
const end: RunEvent = { id: "e2", type: "end", output: "Done." };

/** Makes events that are given first, and then none until the reader returns or `error` is thrown. */
export function heldEvents(given: readonly RunEvent[] = [], error?: Error) {
  const over = Promise.withResolvers<IteratorResult<RunEvent, undefined>>();
  const left = [...given];
  const events = {
    returns: 0,
    next: async () => {
      const value = left.shift();
      if (value !== undefined) return { done: false, value };
      if (error !== undefined) throw error;
      return await over.promise;
    },
    return: () => {
      events.returns += 1;
      over.resolve({ done: true, value: undefined });
      return over.promise;
    },
    [Symbol.asyncIterator]: () => events,
  };
  return events;
}

type Fakes = { [Name in "get" | "list" | "events" | "readInput" | "find"]?: (...args: never[]) => unknown };

/** Serves the inspector over a service of these methods, and notes the arguments of each call. */
export async function serveFake(fakes: Fakes = {}, options: Parameters<typeof servePage>[0] = {}) {
  const calls: unknown[][] = [];
  const responses: ExpressResponse[] = [];
  const methods: Fakes = {
    get: () => Promise.resolve(view),
    list: () => Promise.resolve({ runs: [view] }),
    events: () => heldEvents([attempt, end]),
    readInput: () => Promise.resolve(undefined),
    find: () => undefined,
    ...fakes,
  };
  const noted = Object.entries(methods).map(([name, method]) => [
    name,
    (...args: never[]) => {
      calls.push([name, ...args]);
      return method(...args);
    },
  ]);
  const webhooks = { deliveries: () => Promise.resolve([]) };
  const runs = { ...Object.fromEntries(noted), webhooks } as unknown as RunService;
  const origin = await servePage({ ...options, inspector: { runs } }, (app) => {
    usersByHeader(app);
    app.use((_, response, next) => {
      responses.push(response);
      next();
    });
  });
  return { url: `${origin}/inspector/runs`, calls, responses };
}

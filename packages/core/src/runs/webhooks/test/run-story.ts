import { logKey, runNamespaces } from "../../../agents/journal/log-entry.ts";
import type { LogEntry } from "../../../agents/journal/log-entry.ts";
import { equalJson } from "../../../base/util/equal-json.ts";
import type { Json } from "../../../sessions/storage/json.ts";
import { isEnded } from "../../record/run-record.ts";
import type { RunStore } from "../../record/run-store.ts";
import type { processOf, Received } from "./webhook-world.ts";

const wait = { id: "w.ä", kind: "approval", about: { args: "Größe" } } as const;
const attempt = (n: number): LogEntry => ({ t: "attempt", n, id: `a${n}`, at: 10 * n, node: "n", print: "p" });

/** Stores an entry of the run's log, as a process does that performs the run: once. */
async function log({ storage }: RunStore, entry: LogEntry): Promise<void> {
  const value = { v: 1, entries: [entry] } as unknown as Json;
  const found = await storage.list(runNamespaces.log, "r1/");
  if (found.some((each) => equalJson(each.value, value))) return;
  await storage.compareAndSet(runNamespaces.log, logKey("r1", found.length + 1), null, value);
}

/**
 * The transitions of the run `r1`, each as a process performs it: the log first, then the record. Each does nothing if the
 * run is further.
 */
export const story = {
  begin: async (store: RunStore) => await log(store, attempt(1)),
  wait: async (store: RunStore) => {
    const record = await store.read("r1");
    if (record === null || record.attempts > 1) return;
    await log(store, { t: "wait", wait, performedMs: 1 });
    if (record.status === "running") await store.suspend({ runId: "r1", attempts: 1 }, [wait]);
    const waiting = await store.read("r1");
    if (waiting !== null) await store.notify(waiting);
  },
  goOn: async (store: RunStore) => {
    await store.wake("r1");
    await log(store, attempt(2));
    const record = await store.readStored("r1");
    if (record === null || isEnded(record.status)) return;
    await store.noteRunning(
      "r1",
      (found) => (found.attempts >= 2 ? null : { ...found, status: "running", attempts: 2 }),
      record,
    );
  },
  end: async (store: RunStore) => {
    await log(store, { t: "end", output: "é" });
    await store.finish("r1", { status: "completed", output: "é" });
    await store.flush();
  },
};

/** The notifications of the whole story, in their order. */
export const wholeStory = ["attempt 1", "wait 1", "attempt 2", "output 2", "end 2"];

/** Returns what requests in the plain form tell. */
export function toldBy(received: readonly Received[]): string[] {
  return received.map(({ body }) => {
    const { part, attempt: number } = JSON.parse(body) as { part: string; attempt: number };
    return `${part} ${number}`;
  });
}

/** Makes or replaces a subscription of the run `r1`. */
export async function subscribe(
  { subscriptions }: Pick<ReturnType<typeof processOf>, "subscriptions">,
  url: string,
  given: { id?: string; fromStart?: boolean; most?: number } = {},
): Promise<void> {
  const { id = "ä/1", fromStart = true, most = 2 } = given;
  await subscriptions.put("r1", "host", { id, form: "plain", url, data: { url }, fromStart, most });
}

import { toFrames } from "../stored-runs.ts";
import type { Service } from "../service.ts";
import { payInput } from "./faulty-service.ts";

/** A sequence of requests that depend on each other. Returns their operations with statuses, such as `GET /health 200`. */
export type Sequence = (service: Service, id: string) => Promise<string[]>;

/** Sequences for statuses that no single request provokes. */
export const sequences: readonly Sequence[] = [
  deleteSession,
  cancelRun,
  followRun,
  answerRun,
  signalRun,
  reuseKey,
  useSchedule,
];

async function deleteSession(service: Service, id: string): Promise<string[]> {
  const sessionId = `deleted-${id}`;
  const run = await service.post("/agents/a/run", { input: "x", sessionId });
  const cut = await service.ask(`/sessions/${sessionId}/turns?from=1`, { method: "DELETE" });
  const deleted = await service.ask(`/sessions/${sessionId}`, { method: "DELETE" });
  return [
    `DELETE /sessions/{id}/turns ${cut.status}`,
    `POST /agents/a/run ${run.status}`,
    `DELETE /sessions/{id} ${deleted.status}`,
  ];
}

async function cancelRun(service: Service, id: string): Promise<string[]> {
  const sessionId = `held-${id}`;
  const { runId, end } = await hold(service, sessionId);
  const deleted = await service.ask(`/sessions/${sessionId}`, { method: "DELETE" });
  const cut = await service.ask(`/sessions/${sessionId}/turns?from=1`, { method: "DELETE" });
  const cancelled = await service.ask(`/runs/${runId}/cancel`, { method: "POST" });
  await end();
  return [
    `DELETE /sessions/{id} ${deleted.status}`,
    `DELETE /sessions/{id}/turns ${cut.status}`,
    `POST /runs/{runId}/cancel ${cancelled.status}`,
  ];
}

/** Begins a run that lasts until it is cancelled. */
async function hold({ port }: Service, sessionId: string) {
  const response = await fetch(`http://127.0.0.1:${port}/agents/a/stream`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-test-fault": "hold" },
    body: JSON.stringify({ input: "x", sessionId }),
  });
  return { runId: response.headers.get("x-run-id"), end: () => response.text() };
}

/** Reads a stored run and its events, those that are there, none, and some that never were, and removes it. */
async function followRun(service: Service, id: string): Promise<string[]> {
  const run = await service.post("/agents/a/stream", { input: "x" }, { "idempotency-key": `followed-${id}` });
  const path = run.headers.get("content-location") ?? "";
  const last = toFrames(run.text).at(-1)?.id ?? "";
  const read = await service.ask(path);
  const all = await service.ask(`${path}/events?events=all`);
  const none = await service.ask(`${path}/events`, { headers: { "last-event-id": last } });
  const gone = await service.ask(`${path}/events?after=99999.0`);
  const deliveries = await service.ask(`${path}/deliveries`);
  const removed = await service.ask(path, { method: "DELETE" });
  return [
    `GET /runs/{runId} ${read.status}`,
    ...[all, none, gone].map(({ status }) => `GET /runs/{runId}/events ${status}`),
    `GET /runs/{runId}/deliveries ${deliveries.status}`,
    `DELETE /runs/{runId} ${removed.status}`,
  ];
}

/** Answers a question of a run twice. */
async function answerRun(service: Service, id: string): Promise<string[]> {
  const run = await service.post("/agents/a/run", { input: payInput }, { "idempotency-key": `answered-${id}` });
  const { waits = [] } = run.json as { waits?: { waitId: string }[] };
  const path = `${run.headers.get("location")}/answers/${waits[0]?.waitId}`;
  const answers = [await service.post(path, { approved: true }), await service.post(path, { approved: false })];
  return [
    `POST /agents/a/run ${run.status}`,
    ...answers.map(({ status }) => `POST /runs/{runId}/answers/{waitId} ${status}`),
  ];
}

/** Sends signals to a run that waits, to one that is over, and to one that takes no more. */
async function signalRun(service: Service, id: string): Promise<string[]> {
  const path = await beginWaiting(service, `signalled-${id}`);
  const sent = await service.post(`${path}/signals`, { event: "x" });
  await service.ask(`${path}/cancel`, { method: "POST" });
  const late = await service.post(`${path}/signals`, { event: "x" });
  const refused = await service.post(`${await fullOf(service)}/signals`, { event: "x" });
  return [sent, late, refused].map(({ status }) => `POST /runs/{runId}/signals ${status}`);
}

/** The paths of runs that have as many signals as a run may have, by their service. */
const fullRuns = new WeakMap<Service, Promise<string>>();

async function fullOf(service: Service): Promise<string> {
  const found = fullRuns.get(service);
  if (found !== undefined) return await found;
  const filling = fill(service);
  fullRuns.set(service, filling);
  return await filling;
}

async function fill(service: Service): Promise<string> {
  const path = await beginWaiting(service, "full");
  for (let count = 0; count < 1000; count++) await service.post(`${path}/signals`, { event: "x" });
  return path;
}

/** Ends the run that has as many signals as it may have. */
export async function endFullRun(service: Service): Promise<void> {
  await service.ask(`${await fullOf(service)}/cancel`, { method: "POST" });
}

/** Begins a run that waits for an approval, and returns its path. */
async function beginWaiting(service: Service, key: string): Promise<string> {
  const run = await service.post("/agents/a/run", { input: payInput }, { "idempotency-key": key });
  return run.headers.get("location") ?? "";
}

/** Creates, reads, changes and removes a schedule. */
async function useSchedule(service: Service, id: string): Promise<string[]> {
  const headers = { "x-test-user": `scheduler-${id}` };
  const sent = { kind: "agent", name: "ä b", input: "x", cron: "0 0 1 1 *", sessionId: "daily" };
  const created = await service.post("/schedules", sent, headers);
  const path = created.headers.get("location") ?? "";
  const read = await service.ask(path, { headers });
  const changed = await service.ask(path, {
    method: "PATCH",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ status: "paused" }),
  });
  const removed = await service.ask(path, { method: "DELETE", headers });
  return [
    `POST /schedules ${created.status}`,
    `GET /schedules/{id} ${read.status}`,
    `PATCH /schedules/{id} ${changed.status}`,
    `DELETE /schedules/{id} ${removed.status}`,
  ];
}

/** Sends a key with another request. */
async function reuseKey(service: Service, id: string): Promise<string[]> {
  const headers = { "idempotency-key": `reused-${id}` };
  const statuses: number[] = [];
  for (const count of [1, 2]) {
    statuses.push((await service.post("/workflows/w/stream", { input: { count } }, headers)).status);
  }
  return statuses.map((status) => `POST /workflows/w/stream ${status}`);
}

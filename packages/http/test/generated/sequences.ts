import type { Service } from "../service.ts";

/** A sequence of requests that depend on each other. Returns their operations with statuses, such as `GET /health 200`. */
export type Sequence = (service: Service, id: string) => Promise<string[]>;

/** Sequences for statuses that no single request provokes. */
export const sequences: readonly Sequence[] = [deleteSession, cancelRun];

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

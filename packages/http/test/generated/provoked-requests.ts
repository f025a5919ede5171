import { takesForm } from "./described-requests.ts";
import type { Made, Target } from "./described-requests.ts";
import { uploadLimits } from "./faulty-service.ts";
import { formContentType } from "../forms.ts";
import type { FormPart } from "../forms.ts";

type Provocation = Partial<Pick<Made, "path" | "headers" | "body">>;

/** Faults of the service that provoke a status of a run. */
const faults: Readonly<Record<number, Provocation>> = {
  401: { headers: { "x-test-fault": "unauthorized" } },
  404: { headers: { "x-test-fault": "not_found" } },
  409: { headers: { "x-test-fault": "conflict" } },
  410: { headers: { "last-event-id": "1.0", "idempotency-key": "of-no-run" } },
  422: { headers: { "x-test-fault": "guardrail_blocked" } },
  429: { headers: { "x-test-fault": "rate_limited" } },
  499: { headers: { "x-test-fault": "cancelled" } },
  500: { headers: { "x-test-fault": "middleware" } },
  502: { headers: { "x-test-fault": "model_failed" } },
  503: { headers: { "x-test-fault": "unavailable" } },
  504: { headers: { "x-test-fault": "timeout" } },
};

/** Errors in a request that provoke a status. */
const wrongJson: Readonly<Record<number, Provocation>> = {
  400: { body: "{" },
  403: { headers: { "x-test-user": "ada" }, body: '{"input":"x","userId":"bob"}' },
  413: { body: JSON.stringify({ input: "x".repeat(30_000) }) },
  415: { headers: { "content-type": "text/plain" } },
};

const text: FormPart = { name: "input", body: "x" };
const file: FormPart = { name: "files", filename: "x.png", type: "image/png", body: "x" };
const wrongForms: Readonly<Record<number, Provocation>> = {
  400: { body: [text, text] },
  403: { headers: { "x-test-user": "ada" }, body: [text, { name: "userId", body: "bob" }] },
  413: { body: [{ ...file, body: Buffer.alloc(uploadLimits.maxFileSize + 1, "x") }] },
  415: { body: [{ ...file, type: "text/html" }] },
};

const knownForm = "/runs/0f8fad5b-d9cb-469f-a165-70867728950e";
const failingStorage = { "x-test-fault": "storage" };

/** Requests for runs by their ids. What a run must be there for is in the sequences. */
const ofRuns: Readonly<Record<string, Provocation>> = {
  "GET /runs 200": { headers: { "x-test-user": "ada" }, path: "/runs" },
  "GET /runs 400": { headers: { "x-test-user": "ada" }, path: "/runs?limit=0" },
  "GET /runs 401": { headers: {}, path: "/runs" },
  "GET /runs 503": { headers: { "x-test-user": "ada", ...failingStorage }, path: "/runs" },
  "GET /runs/{runId} 400": { path: "/runs/%zz" },
  "GET /runs/{runId} 503": { headers: failingStorage, path: knownForm },
  "DELETE /runs/{runId} 400": { path: "/runs/%zz" },
  "DELETE /runs/{runId} 503": { headers: failingStorage, path: knownForm },
  "GET /runs/{runId}/deliveries 400": { path: "/runs/%zz/deliveries" },
  "GET /runs/{runId}/deliveries 503": { headers: failingStorage, path: `${knownForm}/deliveries` },
  "GET /runs/{runId}/events 400": { path: "/runs/x/events?events=some" },
  "GET /runs/{runId}/events 503": { headers: failingStorage, path: `${knownForm}/events` },
  "POST /runs/{runId}/cancel 400": { path: "/runs/%zz/cancel" },
  "POST /runs/{runId}/cancel 503": { headers: failingStorage, path: `${knownForm}/cancel` },
  "POST /runs/{runId}/signals 503": { headers: failingStorage, path: `${knownForm}/signals`, body: '{"event":"x"}' },
  "POST /runs/{runId}/answers/{waitId} 503": { headers: failingStorage, path: `${knownForm}/answers/x` },
};

const ada = { "x-test-user": "ada" };
const guest = { "x-test-user": "guest" };
const kept = "/schedules/kept";
const newSchedule = JSON.stringify({ kind: "agent", name: "ä b", input: "x", cron: "0 0 1 1 *" });
const pause = '{"status":"paused"}';
const tooLong = JSON.stringify({ input: "x".repeat(30_000) });

/** Requests for schedules. */
const ofSchedules: Readonly<Record<string, Provocation>> = {
  "GET /schedules 200": { headers: ada, path: "/schedules" },
  "GET /schedules 400": { headers: ada, path: "/schedules?limit=1" },
  "GET /schedules 401": { headers: {}, path: "/schedules" },
  "GET /schedules 403": { headers: guest, path: "/schedules" },
  "GET /schedules 503": { headers: { ...ada, ...failingStorage }, path: "/schedules" },
  // The user of all these requests soon has as many schedules as a user may have.
  "POST /schedules 201": { headers: ada, body: newSchedule },
  "POST /schedules 400": { headers: ada, body: "{" },
  "POST /schedules 401": { headers: {}, body: newSchedule },
  "POST /schedules 403": { headers: guest, body: newSchedule },
  "POST /schedules 404": { headers: ada, body: newSchedule.replace("ä b", "nobody") },
  "POST /schedules 413": { headers: ada, body: tooLong },
  "POST /schedules 415": { headers: { ...ada, "content-type": "text/plain" }, body: newSchedule },
  "POST /schedules 422": { headers: { ...ada, "idempotency-key": "used" }, body: newSchedule },
  "POST /schedules 429": { headers: ada, body: newSchedule },
  "POST /schedules 503": { headers: { ...ada, ...failingStorage }, body: newSchedule },
  ...Object.fromEntries(
    ["GET", "DELETE"].flatMap((method): [string, Provocation][] => [
      [`${method} /schedules/{id} 400`, { headers: ada, path: "/schedules/%zz" }],
      [`${method} /schedules/{id} 401`, { headers: {}, path: kept }],
      [`${method} /schedules/{id} 403`, { headers: guest, path: kept }],
      [`${method} /schedules/{id} 404`, { headers: { "x-test-user": "bob" }, path: kept }],
      [`${method} /schedules/{id} 503`, { headers: { ...ada, ...failingStorage }, path: kept }],
    ]),
  ),
  "GET /schedules/{id} 200": { headers: ada, path: kept },
  "DELETE /schedules/{id} 204": { headers: ada, path: "/schedules/gone" },
  "PATCH /schedules/{id} 200": { headers: ada, path: kept, body: pause },
  "PATCH /schedules/{id} 400": { headers: ada, path: kept, body: "{" },
  "PATCH /schedules/{id} 401": { headers: {}, path: kept, body: pause },
  "PATCH /schedules/{id} 403": { headers: guest, path: kept, body: pause },
  "PATCH /schedules/{id} 404": { headers: { "x-test-user": "bob" }, path: kept, body: pause },
  "PATCH /schedules/{id} 413": { headers: ada, path: kept, body: tooLong },
  "PATCH /schedules/{id} 415": { headers: { ...ada, "content-type": "text/plain" }, path: kept, body: pause },
  "PATCH /schedules/{id} 503": { headers: { ...ada, ...failingStorage }, path: kept, body: pause },
};

/** Errors that provoke a status of an operation without a run. */
const elsewhere: Readonly<Record<string, Provocation>> = {
  "GET /sessions 200": { headers: { "x-test-user": "ada" }, path: "/sessions" },
  "GET /sessions 400": { headers: { "x-test-user": "ada" }, path: "/sessions?limit=0" },
  "GET /sessions 401": { headers: {}, path: "/sessions" },
  "GET /sessions 503": { headers: { "x-test-user": "ada", "x-test-fault": "storage" }, path: "/sessions" },
  "GET /sessions/{id} 200": { headers: {}, path: "/sessions/kept" },
  "PATCH /sessions/{id} 200": { headers: {}, path: "/sessions/kept" },
  "PATCH /sessions/{id} 503": { headers: { "x-test-fault": "storage" } },
  "GET /sessions/{id}/turns 200": { headers: {}, path: "/sessions/kept/turns" },
  "GET /sessions/{id}/turns/{seq}/parts/{index} 200": { headers: {}, path: "/sessions/kept/turns/1/parts/0" },
  "GET /sessions/{id}/turns/{seq}/parts/{index} 503": {
    headers: { "x-test-fault": "storage" },
    path: "/sessions/kept/turns/1/parts/0",
  },
  ...ofRuns,
  ...ofSchedules,
  "GET /ready 503": { headers: { "x-test-fault": "storage" } },
};

/** Changes a valid request so that it provokes a status, if a single request can. */
export function provoke(made: Made, target: Target, status: number): Made {
  const isFormRequest = takesForm(target);
  const wrong = (isFormRequest ? wrongForms : wrongJson)[status];
  const more = elsewhere[`${target.name} ${status}`] ?? provocationOf(target, status, wrong);
  const type = made.body !== undefined && { "content-type": isFormRequest ? formContentType : "application/json" };
  const isRight = made.isRight && (target.body === undefined ? status < 300 : wrong === undefined);
  return { ...made, ...more, headers: { ...type, ...(more.headers ?? made.headers) }, isRight };
}

/** A client that wants the answer later, always the same so that its key is that of one run. */
const later = { prefer: "respond-async", "idempotency-key": "later" };

function provocationOf(target: Target, status: number, wrong: Provocation | undefined): Provocation {
  const small = smallestBody(target);
  if (status === 202) return { headers: later, body: takesForm(target) ? [text] : small };
  if (target.body === undefined) return provocationElsewhere(target, status);
  return wrong ?? { ...faults[status], ...(!takesForm(target) && status !== 200 && { body: small }) };
}

function smallestBody({ name, path }: Target): string {
  if (name.endsWith("/signals")) return '{"event":"x"}';
  return path.startsWith("/workflows/") ? "{}" : '{"input":"x"}';
}

function provocationElsewhere({ name, method }: Target, status: number): Provocation {
  if (status === 500) return { headers: { "x-test-fault": "middleware" } };
  if (!name.includes("{id}")) return {};
  if (status === 503) return { headers: { "x-test-fault": "storage" } };
  const filled = name
    .slice(method.length + 1)
    .replace("{seq}", "1")
    .replace("{index}", "0");
  return status === 400 ? { path: filled.replace("{id}", "a%23b") } : {};
}

import { InMemoryStorage } from "@troupe/core";
import { expect, it } from "vitest";
import { as, durable, payer, serveUsers } from "../../test/stored-runs.ts";
import { scripted, talker } from "../../test/runnables.ts";

const ask = { input: "Hello?" };
const approve = { approved: true };
const jsonType = { "content-type": "application/json" };

type Refused = {
  what: string;
  method?: string;
  path: string;
  sent?: unknown;
  user?: string;
  status?: number;
  code?: string;
  message: string;
};

it.each<Refused>([
  {
    what: "to list runs without a signed-in user",
    path: "/runs",
    user: "",
    status: 401,
    code: "unauthorized",
    message: "Sign in to list your runs.",
  },
  {
    what: "to list the sessions of nobody",
    path: "/sessions",
    user: "",
    status: 401,
    code: "unauthorized",
    message: "Sign in to list your sessions.",
  },
  {
    what: "a status that no run has",
    path: "/runs?status=Completed",
    message: "status must be queued, running, waiting, completed, error, cancelled, or be left out.",
  },
  {
    what: "an empty status",
    path: "/runs?status=",
    message: "status must be queued, running, waiting, completed, error, cancelled, or be left out.",
  },
  {
    what: "an unknown parameter of the list of runs",
    path: "/runs?kind=agent",
    message: 'Unknown parameter "kind" in the query. Expected status or limit or after.',
  },
  { what: "some of the events", path: "/runs/RUN/events?events=some", message: "events must be all, or be left out." },
  {
    what: "an unknown parameter of the events",
    path: "/runs/RUN/events?early=1",
    message: 'Unknown parameter "early" in the query. Expected after or events.',
  },
  {
    what: "the events of a run that is not there in a wrong form, before the run is looked for,",
    path: "/runs/none/events?events=",
    message: "events must be all, or be left out.",
  },
  {
    what: "an answer without a body",
    method: "POST",
    path: "/runs/RUN/answers/t.0.0",
    message: 'The body must be the answer, such as {"approved": true}.',
  },
  {
    what: "an answer of more bytes than the service takes",
    method: "POST",
    path: "/runs/RUN/answers/t.0.0",
    sent: { ...approve, comment: "é".repeat(40) },
    status: 413,
    code: "payload_too_large",
    message: "The body must have at most 99 bytes. The option maxBodyBytes of the service sets this limit.",
  },
  {
    what: "an answer to a run that is not there",
    method: "POST",
    path: "/runs/none/answers/t.0.0",
    sent: approve,
    status: 404,
    code: "not_found",
    message: "Run not found. It may be over, or belong to another user.",
  },
  {
    what: "another way to see the parts of turns",
    path: "/sessions/trip/turns?parts=all",
    message: "parts must be inline, or be left out.",
  },
  {
    what: "an unknown parameter of a part",
    path: "/sessions/trip/turns/1/parts/0?x=1",
    message: 'Unknown parameter "x" in the query. Expected none.',
  },
  {
    what: "another field than the title of a session",
    method: "PATCH",
    path: "/sessions/trip",
    sent: { title: "Oslo", ["é".repeat(20)]: 1 },
    message: `Unknown field "${"é".repeat(20)}" in the body. Expected title.`,
  },
  {
    what: "a title of more bytes than the service takes",
    method: "PATCH",
    path: "/sessions/trip",
    sent: { title: "é".repeat(45) },
    status: 413,
    code: "payload_too_large",
    message: "The body must have at most 99 bytes. The option maxBodyBytes of the service sets this limit.",
  },
])("$what is refused in words that say what to do", async (refused) => {
  const { method = "GET", path, sent, user = "ada", status = 400, code = "invalid_request", message } = refused;
  const { agent } = payer();
  const service = await serveUsers({
    agents: { a: agent },
    runs: await durable({ agents: { a: agent } }),
    maxBodyBytes: 99,
  });
  const { json } = await service.post("/agents/a/run", { ...ask, sessionId: "trip" }, as("ada"));
  const { runId } = json as { runId: string };

  const answer = await service.ask(path.replace("RUN", runId), {
    method,
    headers: { "x-request-id": "q", ...(user !== "" && as(user)), ...(sent !== undefined && jsonType) },
    ...(sent !== undefined && { body: JSON.stringify(sent) }),
  });

  expect([answer.status, answer.json]).toMatchObject([status, { error: { code, message, requestId: "q" } }]);
});

it("the answer to a question and the removal of a run have no body, and a cancel names its run", async () => {
  const { agent } = payer();
  const service = await serveUsers({ agents: { a: agent }, runs: await durable({ agents: { a: agent } }) });
  const begin = async () => {
    const { json } = await service.post("/agents/a/run", ask, as("ada"));
    return json as { runId: string; waits: { waitId: string }[] };
  };
  const [first, second] = [await begin(), await begin()];
  const answered = await service.post(`/runs/${first.runId}/answers/${first.waits[0]?.waitId}`, approve, as("ada"));
  const cancelled = await service.ask(`/runs/${second.runId}/cancel`, { method: "POST", headers: as("ada") });
  const removed = await service.ask(`/runs/${second.runId}`, { method: "DELETE", headers: as("ada") });

  expect([answered, removed].map(({ status, text }) => [status, text])).toEqual([
    [204, ""],
    [204, ""],
  ]);
  expect([cancelled.status, cancelled.json]).toEqual([200, { runId: second.runId, status: "cancelled" }]);
  expect(cancelled.headers.get("cache-control")).toBe("no-store");
});

it("HEAD of the events of a run has all headers of the stream, and its refusals", async () => {
  const { agent } = scripted({ hang: true });
  const service = await serveUsers({ agents: { a: agent }, runs: await durable({ agents: { a: agent } }) });
  const sent = { ...as("ada"), prefer: "respond-async" };
  const begun = await service.post("/agents/a/run", { ...ask, sessionId: "trip" }, sent);
  const path = `${begun.headers.get("location")}/events`;
  const head = async (at: string, user = "ada") => await service.ask(at, { method: "HEAD", headers: as(user) });

  const { headers } = await head(path);
  const names = ["x-session-id", "content-type", "cache-control", "x-accel-buffering"];
  expect(names.map((name) => headers.get(name))).toEqual([
    "trip",
    "text/event-stream; charset=utf-8",
    "no-store, no-transform",
    "no",
  ]);
  expect([(await head(path, "bob")).status, (await head(`${path}?events=1`)).status]).toEqual([404, 400]);
});

it("a page of runs has those of one status, without what only the service may see", async () => {
  const agent = talker("Hi.", { storage: new InMemoryStorage() });
  const { agent: waits } = payer();
  const agents = { a: agent, b: waits };
  const service = await serveUsers({ agents, runs: await durable({ agents }) });
  for (const name of ["a", "b", "a"]) await service.post(`/agents/${name}/run`, ask, as("ada", "t"));
  const list = async (query: string, tenant?: string) => {
    const { json, headers } = await service.ask(`/runs?${query}`, { headers: as("ada", tenant) });
    expect(headers.get("cache-control")).toBe("no-store");
    return json as { runs: Record<string, unknown>[]; next?: string };
  };

  const { runs, next } = await list("status=completed&limit=1", "t");
  expect(runs.map(({ name, status }) => [name, status])).toEqual([["a", "completed"]]);
  expect(Object.keys(runs[0] ?? {})).not.toEqual(expect.arrayContaining(["expiresAt"]));
  const rest = await list(`status=completed&limit=1&after=${next}`, "t");
  expect(rest.runs.map(({ runId }) => runId)).not.toEqual(runs.map(({ runId }) => runId));
  expect((await list("status=waiting", "t")).runs).toMatchObject([{ name: "b", waits: [{ kind: "approval" }] }]);
  expect(await list("status=completed")).toEqual({ runs: [] });
});

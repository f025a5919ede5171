import { as, get, post, send } from "./entry.ts";
import type { Entry, Seen } from "./entry.ts";

const run = "/agents/writer/run";
const stream = "/agents/writer/stream";
const pay = "/agents/cashier/run";

const idOf = (seen: Seen, title: string): string => seen.header(title, "x-run-id");
const pathOf = (seen: Seen, title: string, rest = ""): string => `/runs/${idOf(seen, title)}${rest}`;

/** Waits until the run of an earlier request has a status. */
const until = (title: string, status: string, user = "ada") => {
  return (seen: Seen) => ({ request: get(pathOf(seen, title), as(user)), until: `"status":"${status}"` });
};

const approve = { approved: true };

/** Durable runs, runs that this process keeps, and the endpoints below `/runs`. */
export const storedRunEntries: readonly Entry[] = [
  { title: "durable run", request: post(run, { input: "Hello", sessionId: "d1" }, as("ada")) },
  { title: "durable run: a tool", request: post(run, { input: "weather" }, as("ada")) },
  { title: "durable run: early ids", request: post(`${run}?early=1`, { input: "Hi" }, as("ada")) },
  { title: "durable run: a wrong body", request: post(run, { input: 1 }, as("ada")) },
  {
    title: "durable run: in the background",
    request: post(run, { input: "Hi" }, as("ada", { Prefer: "respond-async" })),
  },
  { title: "durable run: a key", request: post(run, { input: "Hi" }, as("ada", { "Idempotency-Key": "k1" })) },
  { title: "durable run: the key again", request: post(run, { input: "Hi" }, as("ada", { "Idempotency-Key": "k1" })) },
  {
    title: "durable run: the key with another body",
    request: post(run, { input: "Ho" }, as("ada", { "Idempotency-Key": "k1" })),
  },
  {
    title: "durable run: the key of another user",
    request: post(run, { input: "Hi" }, as("bob", { "Idempotency-Key": "k1" })),
  },
  { title: "durable run: a wrong key", request: post(run, { input: "Hi" }, as("ada", { "Idempotency-Key": "a b" })) },
  { title: "durable stream", request: post(stream, { input: "Hello" }, as("ada")) },
  { title: "durable stream: a tool", request: post(stream, { input: "weather" }, as("ada")) },
  { title: "durable stream: a key", request: post(stream, { input: "Hi" }, as("ada", { "Idempotency-Key": "k2" })) },
  {
    title: "durable stream: the key again, behind an event",
    request: (seen) =>
      post(
        stream,
        { input: "Hi" },
        as("ada", { "Idempotency-Key": "k2", "Last-Event-ID": seen.match("durable stream: a key", /id: (\S+)\n/) }),
      ),
  },
  {
    title: "durable stream: an event without its key",
    request: post(stream, { input: "Hi" }, as("ada", { "Last-Event-ID": "1.1" })),
  },
  {
    title: "durable stream: an event of an unknown key",
    request: post(stream, { input: "Hi" }, as("ada", { "Idempotency-Key": "k9", "Last-Event-ID": "1.1" })),
  },
  { title: "durable team run", request: post("/teams/crew/run", { input: "Hi" }, as("ada")) },
  { title: "durable team stream", request: post("/teams/crew/stream", { input: "Hi" }, as("ada")) },
  { title: "durable workflow run", request: post("/workflows/ledger/run", { input: { count: 2 } }, as("ada")) },
  { title: "durable workflow stream", request: post("/workflows/ledger/stream", { input: { count: 2 } }, as("ada")) },
  { title: "stored run: a key", request: post("/agents/helper/run", { input: "Hi" }, { "Idempotency-Key": "p1" }) },
  {
    title: "stored run: the key again",
    request: post("/agents/helper/run", { input: "Hi" }, { "Idempotency-Key": "p1" }),
  },
  { title: "stored run: its state", request: (seen) => get(pathOf(seen, "stored run: a key")) },
  { title: "stored run: its events", request: (seen) => get(pathOf(seen, "stored run: a key", "/events")) },
  {
    title: "stored run: in the background",
    request: post("/agents/helper/run", { input: "Hi" }, { Prefer: "respond-async", "Idempotency-Key": "p2" }),
  },
  {
    title: "run state",
    before: until("durable run: in the background", "completed"),
    request: (seen) => get(pathOf(seen, "durable run: in the background"), as("ada")),
  },
  { title: "run state: OPTIONS", request: (seen) => send(`OPTIONS ${pathOf(seen, "durable run")}`, as("ada")) },
  { title: "run state: PUT", request: (seen) => send(`PUT ${pathOf(seen, "durable run")}`, as("ada")) },
  { title: "run state: another user", request: (seen) => get(pathOf(seen, "durable run"), as("bob")) },
  { title: "run state: no user", request: (seen) => get(pathOf(seen, "durable run")) },
  { title: "run state: an unknown run", request: get("/runs/none", as("ada")) },
  { title: "run state: a broken escape", request: get("/runs/%e0%a4%a", as("ada")) },
  { title: "events", request: (seen) => get(pathOf(seen, "durable stream", "/events"), as("ada")) },
  { title: "events: HEAD", request: (seen) => send(`HEAD ${pathOf(seen, "durable stream", "/events")}`, as("ada")) },
  { title: "events: all", request: (seen) => get(pathOf(seen, "durable stream", "/events?events=all"), as("ada")) },
  {
    title: "events: after one",
    request: (seen) =>
      get(pathOf(seen, "durable stream", `/events?after=${seen.match("durable stream", /id: (\S+)\n/)}`), as("ada")),
  },
  {
    title: "events: after the last",
    request: (seen) =>
      get(
        pathOf(seen, "durable stream", "/events"),
        as("ada", { "Last-Event-ID": seen.match("durable stream", /id: (\S+)\n(?![^]*id: )/) }),
      ),
  },
  { title: "events: a wrong id", request: (seen) => get(pathOf(seen, "durable stream", "/events?after=x"), as("ada")) },
  {
    title: "events: a wrong filter",
    request: (seen) => get(pathOf(seen, "durable stream", "/events?events=x"), as("ada")),
  },
  {
    title: "events: an unknown parameter",
    request: (seen) => get(pathOf(seen, "durable stream", "/events?x=1"), as("ada")),
  },
  { title: "events: another user", request: (seen) => get(pathOf(seen, "durable stream", "/events"), as("bob")) },
  { title: "events: a plain run", request: (seen) => get(pathOf(seen, "stream: a tool", "/events"), as("ada")) },
  { title: "events: an unknown run", request: get("/runs/none/events", as("ada")) },
  { title: "approval: a run that waits", request: post(pay, { input: "pay", sessionId: "w1" }, as("ada")) },
  { title: "approval: its state", request: (seen) => get(pathOf(seen, "approval: a run that waits"), as("ada")) },
  {
    title: "approval: its state: HEAD",
    request: (seen) => send(`HEAD ${pathOf(seen, "approval: a run that waits")}`, as("ada")),
  },
  { title: "approval: the session is busy", request: post(pay, { input: "pay", sessionId: "w1" }, as("ada")) },
  { title: "approval: an answer of another user", request: answer("bob", approve) },
  { title: "approval: a wrong answer", request: answer("ada", { approved: "yes" }) },
  { title: "approval: no answer", request: answer("ada", "") },
  { title: "approval: JSON that is cut", request: answer("ada", "{") },
  {
    title: "approval: an unknown question",
    request: (seen) => post(pathOf(seen, "approval: a run that waits", "/answers/none"), approve, as("ada")),
  },
  {
    title: "approval: GET",
    request: (seen) => get(pathOf(seen, "approval: a run that waits", "/answers/t.0.0"), as("ada")),
  },
  { title: "approval: an answer of the manager", request: answer("manager", approve) },
  {
    title: "approval: the same answer again",
    before: until("approval: a run that waits", "completed"),
    request: answer("ada", approve),
  },
  { title: "approval: another answer", request: answer("ada", { approved: false }) },
  {
    title: "approval: the state behind it",
    request: (seen) => get(pathOf(seen, "approval: a run that waits"), as("ada")),
  },
  {
    title: "approval: the events",
    request: (seen) => get(pathOf(seen, "approval: a run that waits", "/events"), as("ada")),
  },
  {
    title: "approval: a stream that waits",
    request: post("/agents/cashier/stream", { input: "locate", sessionId: "w2" }, as("ada")),
    goOnAt: '"type":"wait"',
  },
  {
    title: "approval: the result of the client's tool",
    request: (seen) => {
      const waitId = seen.match("approval: a stream that waits", /"waitId":"([^"]+)"/);
      return post(pathOf(seen, "approval: a stream that waits", `/answers/${waitId}`), { result: "Oslo" }, as("ada"));
    },
  },
  {
    title: "cancel: a run in the background",
    request: post("/agents/stuck/run", { input: "Hi" }, as("ada", { Prefer: "respond-async" })),
  },
  {
    title: "cancel: another user",
    request: (seen) => post(pathOf(seen, "cancel: a run in the background", "/cancel"), "", as("bob")),
  },
  {
    title: "cancel: GET",
    request: (seen) => get(pathOf(seen, "cancel: a run in the background", "/cancel"), as("ada")),
  },
  {
    title: "cancel",
    request: (seen) =>
      send(`POST ${pathOf(seen, "cancel: a run in the background", "/cancel")}`, as("ada", { "Content-Length": "0" })),
    before: until("cancel: a run in the background", "running"),
  },
  {
    title: "cancel: again",
    before: until("cancel: a run in the background", "cancelled"),
    request: (seen) => post(pathOf(seen, "cancel: a run in the background", "/cancel"), {}, as("ada")),
  },
  {
    title: "cancel: the state behind it",
    request: (seen) => get(pathOf(seen, "cancel: a run in the background"), as("ada")),
  },
  { title: "cancel: an unknown run", request: post("/runs/none/cancel", {}, as("ada")) },
  {
    title: "cancel: a plain stream",
    request: post("/agents/hanging/stream?early=1", { input: "Hi" }, as("ada")),
    goOnAt: '"So "',
  },
  {
    title: "cancel: the plain run",
    request: (seen) => post(pathOf(seen, "cancel: a plain stream", "/cancel"), {}, as("ada")),
  },
  {
    title: "leave: a stream that its client leaves",
    request: post("/agents/stuck/stream?early=1&onDisconnect=cancel", { input: "Hi" }, as("ada")),
    leaveAt: '"So "',
  },
  {
    title: "leave: the state behind it",
    before: until("leave: a stream that its client leaves", "cancelled"),
    request: (seen) => get(pathOf(seen, "leave: a stream that its client leaves"), as("ada")),
  },
  { title: "delete a run", request: (seen) => send(`DELETE ${pathOf(seen, "durable run: early ids")}`, as("ada")) },
  {
    title: "delete a run: again",
    request: (seen) => send(`DELETE ${pathOf(seen, "durable run: early ids")}`, as("ada")),
  },
  { title: "delete a run: another user", request: (seen) => send(`DELETE ${pathOf(seen, "durable run")}`, as("bob")) },
  { title: "list runs", request: get("/runs", as("ada")) },
  { title: "list runs: HEAD", request: send("HEAD /runs", as("ada")) },
  { title: "list runs: a status", request: get("/runs?status=cancelled", as("ada")) },
  { title: "list runs: a page", request: get("/runs?limit=2", as("ada")) },
  {
    title: "list runs: the next page",
    request: (seen) => get(`/runs?limit=2&after=${seen.match("list runs: a page", /"next":"([^"]+)"/)}`, as("ada")),
  },
  { title: "list runs: another user", request: get("/runs", as("carol")) },
  { title: "list runs: no user", request: get("/runs") },
  { title: "list runs: a wrong status", request: get("/runs?status=x", as("ada")) },
  { title: "list runs: a wrong limit", request: get("/runs?limit=0", as("ada")) },
  { title: "list runs: a wrong cursor", request: get("/runs?after=x", as("ada")) },
  { title: "list runs: a parameter twice", request: get("/runs?limit=1&limit=2", as("ada")) },
  { title: "list runs: POST", request: post("/runs", {}, as("ada")) },
];

function answer(user: string, body: unknown): (seen: Seen) => Buffer {
  return (seen) => post(pathOf(seen, "approval: a run that waits", "/answers/t.0.0"), body, as(user));
}

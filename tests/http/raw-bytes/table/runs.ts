import { as, get, post, send, sendJson } from "./entry.ts";
import type { Entry } from "./entry.ts";

const run = "/agents/helper/run";
const picture = { type: "image", data: Buffer.from("GIF89a picture").toString("base64"), mimeType: "image/gif" };
const note = {
  type: "file",
  data: Buffer.from("A note.").toString("base64"),
  mimeType: "text/plain",
  filename: "n.txt",
};
const history = [
  { role: "user", content: "Before." },
  { role: "assistant", content: "Yes." },
];

/** Runs of agents, teams and workflows that end with their connection, with their errors. */
export const runEntries: readonly Entry[] = [
  { title: "run", request: post(run, { input: "Hello" }) },
  { title: "run: a session of a user", request: post(run, { input: "One", sessionId: "s1" }, as("ada")) },
  { title: "run: the session again", request: post(run, { input: "Two", sessionId: "s1" }, as("ada")) },
  { title: "run: a tool", request: post(run, { input: "weather", sessionId: "s2" }, as("ada")) },
  {
    title: "run: parts",
    request: post(run, { input: [{ type: "text", text: "See." }, picture, note], sessionId: "s3" }, as("ada")),
  },
  {
    title: "run: an earlier conversation",
    request: post(run, { input: "And?", sessionId: "s4", messages: history }, as("ada")),
  },
  {
    title: "run: an earlier conversation for a session with turns",
    request: post(run, { input: "And?", sessionId: "s4", messages: history }, as("ada")),
  },
  { title: "run: a user in the body", request: post(run, { input: "Hi", userId: "bob", sessionId: "b1" }) },
  { title: "run: a user in the body and a principal", request: post(run, { input: "Hi", userId: "bob" }, as("ada")) },
  { title: "run: an API key", request: post(run, { input: "Hi", apiKey: "key" }) },
  { title: "run: an API key in a header", request: post(run, { input: "Hi" }, { "X-Api-Key": "key" }) },
  { title: "run: null fields", request: post(run, { input: "Hi", sessionId: null, userId: null }) },
  { title: "run: Expect", request: post(run, { input: "Hi" }, { Expect: "100-continue" }) },
  {
    title: "run: a chunked body",
    request: send(
      `POST ${run}`,
      { "Content-Type": "application/json", "Transfer-Encoding": "chunked" },
      'b\r\n{"input":"H\r\n3\r\ni"}\r\n0\r\n\r\n',
    ),
  },
  { title: "run: early ids", request: post(`${run}?early=1`, { input: "Hi" }) },
  { title: "run: a wrong early", request: post(`${run}?early=2`, { input: "Hi" }) },
  { title: "run: an unknown parameter", request: post(`${run}?x=1`, { input: "Hi" }) },
  { title: "run: onDisconnect", request: post(`${run}?onDisconnect=cancel`, { input: "Hi" }) },
  { title: "run: a wrong onDisconnect", request: post(`${run}?onDisconnect=x`, { input: "Hi" }) },
  { title: "run: structured output", request: post("/agents/typed/run", { input: "Who?" }) },
  { title: "run: a failure", request: post("/agents/failing/run", { input: "Hi" }) },
  { title: "run: a failure with a code", request: post("/agents/limited/run", { input: "Hi" }) },
  { title: "run: upper case and a slash", request: post("/AGENTS/helper/RUN/", { input: "Hi" }) },
  { title: "run: an escaped name", request: post("/agents/%68elper/run", { input: "Hi" }) },
  { title: "run: a broken escape", request: post("/agents/%zz/run", { input: "Hi" }) },
  { title: "run: an unknown name", request: post("/agents/nobody/run", { input: "Hi" }) },
  { title: "run: an inherited name", request: post("/agents/constructor/run", { input: "Hi" }) },
  { title: "run: a name in another case", request: post("/agents/HELPER/run", { input: "Hi" }) },
  { title: "run: GET", request: get(run) },
  { title: "run: HEAD", request: send(`HEAD ${run}`) },
  { title: "run: OPTIONS", request: send(`OPTIONS ${run}`) },
  {
    title: "run: a CORS preflight",
    request: send(`OPTIONS ${run}`, {
      Origin: "https://app.example",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "content-type",
    }),
  },
  { title: "run: PATCH", request: sendJson(`PATCH ${run}`, {}) },
  {
    title: "run: no body",
    request: send(`POST ${run}`, { "Content-Type": "application/json", "Content-Length": "0" }),
  },
  { title: "run: no body and no type", request: send(`POST ${run}`, { "Content-Length": "0" }) },
  { title: "run: an empty object", request: post(run, {}) },
  { title: "run: an array", request: post(run, []) },
  { title: "run: JSON that is cut", request: post(run, '{"input":"Hi') },
  { title: "run: bytes that are not UTF-8", request: sendBytes("ff7b7d") },
  { title: "run: nested too deep", request: post(run, `{"input":${"[".repeat(80)}${"]".repeat(80)}}`) },
  { title: "run: a prototype", request: post(run, '{"input":"Hi","__proto__":{"a":1}}') },
  { title: "run: an unknown field", request: post(run, { input: "Hi", model: "m" }) },
  { title: "run: a blank input", request: post(run, { input: " " }) },
  { title: "run: an input that is a number", request: post(run, { input: 7 }) },
  { title: "run: a part of an unknown type", request: post(run, { input: [{ type: "video", data: "x" }] }) },
  { title: "run: data that is not base64", request: post(run, { input: [{ ...picture, data: "???" }] }) },
  { title: "run: a wrong session", request: post(run, { input: "Hi", sessionId: "a/b" }) },
  { title: "run: a wrong role", request: post(run, { input: "Hi", messages: [{ role: "system", content: "x" }] }) },
  { title: "run: a wrong key", request: post(run, { input: "Hi", apiKey: "a\nb" }) },
  { title: "run: plain text", request: post(run, "Hi", { "Content-Type": "text/plain" }) },
  { title: "run: another charset", request: post(run, "{}", { "Content-Type": "application/json; charset=utf-16" }) },
  { title: "run: a compressed body", request: post(run, "{}", { "Content-Encoding": "gzip" }) },
  { title: "run: a body that says it is too large", request: sendHead("Content-Length", "9999999999") },
  { title: "run: a chunked body that is too large", request: sendLarge() },
  {
    title: "run: a form of another site",
    request: post(run, "input=Hi", {
      "Content-Type": "application/x-www-form-urlencoded",
      Origin: "https://evil.example",
    }),
  },
  {
    title: "run: a form of another site's page, by Sec-Fetch-Site",
    request: post(run, "input=Hi", { "Content-Type": "text/plain", "Sec-Fetch-Site": "cross-site" }),
  },
  {
    title: "run: a form of an allowed origin",
    request: post(run, "input=Hi", { "Content-Type": "text/plain", Origin: "https://app.example" }),
  },
  { title: "run: JSON of another site", request: post(run, { input: "Hi" }, { Origin: "https://evil.example" }) },
  { title: "run: a host that is not allowed", request: post(run, { input: "Hi" }, { Host: "evil.example" }) },
  { title: "run: a user who is refused", request: post(run, { input: "Hi" }, as("intruder")) },
  { title: "stream", request: post("/agents/helper/stream", { input: "Hello" }) },
  { title: "stream: a tool", request: post("/agents/helper/stream", { input: "weather" }, as("ada")) },
  { title: "stream: early ids", request: post("/agents/helper/stream?early=1", { input: "Hello" }) },
  { title: "stream: structured output", request: post("/agents/typed/stream", { input: "Who?" }) },
  { title: "stream: a failure", request: post("/agents/failing/stream", { input: "Hi" }) },
  { title: "stream: a failure with a code", request: post("/agents/limited/stream", { input: "Hi" }) },
  { title: "stream: an unknown name", request: post("/agents/nobody/stream", { input: "Hi" }) },
  { title: "stream: a wrong body", request: post("/agents/helper/stream", { question: "Hi" }) },
  { title: "stream: GET", request: get("/agents/helper/stream") },
  { title: "stream: HTTP/1.0", request: asOld(post("/agents/helper/stream", { input: "Hello" })) },
  { title: "team run", request: post("/teams/desk/run", { input: "Hello" }) },
  { title: "team stream", request: post("/teams/desk/stream", { input: "Hello" }) },
  { title: "team run: an unknown name", request: post("/teams/helper/run", { input: "Hello" }) },
  { title: "workflow run", request: post("/workflows/counter/run", { input: { count: 5 } }) },
  { title: "workflow run: no body", request: send("POST /workflows/counter/run", { "Content-Length": "0" }) },
  { title: "workflow run: messages", request: post("/workflows/counter/run", { messages: history }) },
  { title: "workflow run: an unknown name", request: post("/workflows/none/run", {}) },
  { title: "workflow stream", request: post("/workflows/counter/stream", { input: { count: 5 } }) },
];

function sendHead(name: string, value: string): Buffer {
  return send(`POST ${run}`, { "Content-Type": "application/json", [name]: value });
}

function sendBytes(hex: string): Buffer {
  const bytes = Buffer.from(hex, "hex");
  return send(`POST ${run}`, { "Content-Type": "application/json", "Content-Length": String(bytes.length) }, bytes);
}

/** Makes a chunked body that never ends, as far as it is sent. */
function sendLarge(): Buffer {
  const chunk = Buffer.concat([
    Buffer.from('20000\r\n{"input":"'),
    Buffer.alloc(0x20000 - 10, "x"),
    Buffer.from("\r\n"),
  ]);
  const more = Buffer.concat([Buffer.from("20000\r\n"), Buffer.alloc(0x20000, "x"), Buffer.from("\r\n")]);
  return Buffer.concat([sendHead("Transfer-Encoding", "chunked"), chunk, ...Array<Buffer>(9).fill(more)]);
}

function asOld(request: Buffer): Buffer {
  return Buffer.from(request.toString("latin1").replace(" HTTP/1.1", " HTTP/1.0"), "latin1");
}

import { describe, expect, it } from "vitest";
import { counter, desk, scripted, talker } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";

const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const text = { type: "text", text: "x" };

/** A label, a body, and its answer: status, code, and words of the message. */
const badBodies: [string, unknown, number, string, ...string[]][] = [
  ["no field", {}, 400, "invalid_request", "input"],
  ["an input of null", { input: null }, 400, "invalid_request", "input"],
  ["an empty input", { input: "" }, 400, "invalid_request", "input"],
  ["a blank input", { input: " \n" }, 400, "invalid_request", "input"],
  ["an input that is a number", { input: 7 }, 400, "invalid_request", "input"],
  ["an input that is an object", { input: { text: "x" } }, 400, "invalid_request", "input"],
  ["no parts", { input: [] }, 400, "invalid_request", "input", "at least one part"],
  ["101 parts", { input: Array.from({ length: 101 }, () => text) }, 400, "invalid_request", "input", "100"],
  ["a part that is a string", { input: ["x"] }, 400, "invalid_request", "input[0]"],
  [
    "a part of an unknown type",
    { input: [text, { type: "video", data: "x" }] },
    400,
    "invalid_request",
    "input[1].type",
  ],
  ["a part of an inherited type", { input: [{ type: "constructor" }] }, 400, "invalid_request", "input[0].type"],
  ["a part without its field", { input: [{ type: "image" }] }, 400, "invalid_request", "input[0].data"],
  ["a file without its type", { input: [{ type: "file", data: "x" }] }, 400, "invalid_request", "input[0].mimeType"],
  ["a part with a surplus field", { input: [{ ...text, cache: 1 }] }, 400, "invalid_request", "input[0]"],
  ["an empty session", { input: "x", sessionId: "" }, 400, "invalid_request", "sessionId"],
  ["a session with a slash", { input: "x", sessionId: "a/b" }, 400, "invalid_request", "sessionId"],
  ["a member's session", { input: "x", sessionId: "a#b" }, 400, "invalid_request", "sessionId"],
  ["a session of 129 characters", { input: "x", sessionId: "s".repeat(129) }, 400, "invalid_request", "sessionId"],
  ["a session that is an operator", { input: "x", sessionId: { $ne: null } }, 400, "invalid_request", "sessionId"],
  ["an empty user", { input: "x", userId: "" }, 400, "invalid_request", "userId"],
  ["a user that is an operator", { input: "x", userId: { $gt: "" } }, 400, "invalid_request", "userId"],
  ["a user with half a character", '{"input":"x","userId":"\\ud800"}', 400, "invalid_request", "userId"],
  ["a key that is an array", { input: "x", apiKey: ["sk-1"] }, 400, "invalid_request", "apiKey"],
  ["a key with a line break", { input: "x", apiKey: "sk-1\nHost: evil" }, 400, "invalid_request", "apiKey"],
  ["an empty key", { input: "x", apiKey: "" }, 400, "invalid_request", "apiKey"],
  [
    "unknown fields",
    { input: "x", baseURL: "http://evil", model: "m" },
    400,
    "invalid_request",
    '"baseURL"',
    "input, sessionId, userId, apiKey, messages or webhook",
  ],
  ["metadata", { input: "x", metadata: {} }, 400, "invalid_request", '"metadata"'],
  ["a prototype", '{"input":"x","__proto__":{"polluted":true}}', 400, "invalid_request", '"__proto__"'],
  ["a constructor", '{"input":"x","constructor":{"prototype":{}}}', 400, "invalid_request", '"constructor"'],
  [
    "a part with a prototype",
    '{"input":[{"type":"text","text":"x","__proto__":{}}]}',
    400,
    "invalid_request",
    "input[0]",
  ],
  ["65 levels", `{"input":${nested(64)}}`, 400, "invalid_request", "64 levels"],
  ["50,000 levels", `{"input":${nested(50_000)}}`, 400, "invalid_request", "64 levels"],
  ["null", "null", 400, "invalid_request", "JSON object"],
  ["an array", "[]", 400, "invalid_request", "JSON object"],
  ["a string", '"x"', 400, "invalid_request", "JSON object"],
  ["a number", "1", 400, "invalid_request", "JSON object"],
  ["half of it missing", '{"input": "x', 400, "invalid_request", "ends too early"],
  ["a missing comma", '{"input": "x"\n "apiKey": "sk-secret"}', 400, "invalid_request", "line 2, column 2"],
  ["a stray word", '{"input": "x",\n "apiKey": sk-secret}', 400, "invalid_request", "unexpected token"],
  ["no JSON at all", "input=x", 400, "invalid_request", "unexpected token"],
  ["blanks alone", " ", 400, "invalid_request", "ends too early"],
  ["more bytes than allowed", { input: "x".repeat(2000) }, 413, "payload_too_large", "1000 bytes"],
];

describe("the body of a run", () => {
  it.each(badBodies)("is refused with %s before anything runs", async (_, ...[body, status, code, ...named]) => {
    const { agent, model } = scripted("Never said.");
    const service = await serve({ agents: { a: agent }, ...(status === 413 && { maxBodyBytes: 1000 }) });

    for (const mode of ["run", "stream"]) {
      const answer = await service.post(`/agents/a/${mode}`, body);
      expect(answer).toMatchObject({ status, json: { error: { code } } });
      const { message } = (answer.json as { error: { message: string } }).error;
      for (const name of named) expect(message).toContain(name);
      expect(answer.text).not.toMatch(/sk-|evil/);
      expect(answer.headers.get("x-run-id")).toBeNull();
    }
    expect(model.calls).toEqual([]);
    expect(service.lines).toEqual([]);
  });

  it.each([
    ["an array", [1]],
    ["a number", 3],
    ["a key that the state does not have", { total: 1 }],
    ["a value of another kind", { count: "many" }],
  ])("is refused with %s as the input of a workflow", async (_, input) => {
    const service = await serve({ workflows: { counter: counter() } });

    for (const mode of ["run", "stream"]) {
      const answer = await service.post(`/workflows/counter/${mode}`, { input });
      expect(answer).toMatchObject({ status: 400, json: { error: { code: "invalid_request" } } });
      expect(answer.text).toContain("input");
    }
  });

  it("may have null for sessionId, userId and apiKey, which count as missing [http.body-null]", async () => {
    const { agent, model } = scripted("One.", "Two.");
    const service = await serve({ agents: { a: agent }, teams: { desk: desk() }, workflows: { counter: counter() } });
    const nulls = { sessionId: null, userId: null, apiKey: null };

    for (const mode of ["run", "stream"]) {
      const { status, headers } = await service.post(`/agents/a/${mode}`, { input: "x", ...nulls });
      expect([status, headers.get("x-session-id")]).toEqual([200, expect.stringMatching(/^[\da-f-]{36}$/)]);
    }
    expect(model.calls.map(({ options }) => options.apiKey)).toEqual([undefined, undefined]);
    expect((await service.post("/teams/desk/run", { input: "x", ...nulls })).status).toBe(200);
    expect((await service.post("/workflows/counter/run", { input: null, ...nulls })).json).toMatchObject({
      state: { count: 2 },
    });
  });

  it("gives a cache key of its own only to a session that the client names, not to that of one run [cache.session-key]", async () => {
    const { agent, model } = scripted("One.", "Two.", "Three.");
    const service = await serve({ agents: { a: agent } });

    const first = await service.post("/agents/a/run", { input: "x" });
    const sessionId = first.headers.get("x-session-id");
    await service.post("/agents/a/stream", { input: "y" });
    const again = await service.post("/agents/a/run", { input: "z", sessionId });

    expect(again).toMatchObject({ status: 200, json: { sessionId } });
    const keys = model.calls.map(({ options }) => options.cacheKey);
    expect(keys).toEqual([undefined, undefined, expect.stringMatching(/^[\da-f]{64}$/)]);
    expect(model.calls.at(-1)?.messages).toHaveLength(3);
  });

  it("is told that its input is missing when it is null [http.body-null]", async () => {
    const service = await serve({ agents: { a: talker() } });

    const { status, text: answer } = await service.post("/agents/a/run", { input: null });

    expect(status).toBe(400);
    expect(answer).toContain("must have an input");
  });

  it("may not have null for a field that is not known", async () => {
    const service = await serve({ agents: { a: talker() } });

    expect((await service.post("/agents/a/run", { input: "x", model: null })).status).toBe(400);
  });

  it("is checked for teams as for agents", async () => {
    const service = await serve({ teams: { desk: desk() } });

    expect(await service.post("/teams/desk/run", { input: [] })).toMatchObject({ status: 400 });
  });

  it("may nest 64 levels", async () => {
    const service = await serve({ agents: { a: talker() } });

    const { text: answer } = await service.post("/agents/a/run", `{"input":${nested(63)}}`);

    expect(answer).toContain("input[0]");
  });

  it("may have exactly as many bytes as allowed", async () => {
    const service = await serve({ agents: { a: talker() }, maxBodyBytes: 1000 });
    const body = JSON.stringify({ input: "" });
    const longest = JSON.stringify({ input: "x".repeat(1000 - body.length) });

    expect((await service.post("/agents/a/run", longest)).status).toBe(200);
    expect((await service.post("/agents/a/run", `${longest} `)).status).toBe(413);
  });
});

describe("a request", () => {
  it.each([
    ["no type", undefined, 415],
    ["a form", "application/x-www-form-urlencoded", 415],
    ["text", "text/plain", 415],
    ["multipart", "multipart/form-data; boundary=x", 415],
    ["a relative of JSON", "application/problem+json", 415],
    ["a prefix of JSON", "application/jsonx", 415],
    ["JSON in UTF-16", "application/json; charset=utf-16", 415],
    ["JSON in Latin 1", "application/json;charset=iso-8859-1", 415],
    ["JSON in capitals", "Application/JSON; Charset=UTF-8", 200],
    ["JSON with a quoted charset", 'application/json; charset="utf-8"', 200],
    ["JSON with more parameters", "application/json; version=2; charset=utf-8", 200],
  ])("is accepted or refused by its content type: %s", async (_, type, status) => {
    const service = await serve({ agents: { a: talker() } });
    const body = new Blob(['{"input":"x"}']);
    const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };

    const answer = await service.ask("/agents/a/run", { method: "POST", headers, body });

    const code = status === 415 ? "unsupported_media_type" : undefined;
    expect(answer).toMatchObject({ status, json: code === undefined ? { text: "Hello." } : { error: { code } } });
  });

  it.each(["gzip", "deflate", "br", "identity, gzip", "x"])("is refused if it is encoded with %s", async (encoding) => {
    const service = await serve({ agents: { a: talker() } });

    const answer = await service.post("/agents/a/run", '{"input":"x"}', { "content-encoding": encoding });

    expect(answer).toMatchObject({ status: 415, json: { error: { code: "unsupported_media_type" } } });
  });

  it("is told what the body must have if it has none", async () => {
    const service = await serve({ agents: { a: talker() } });

    for (const body of [undefined, ""]) {
      const answer = await service.ask("/agents/a/run", { method: "POST", ...(body !== undefined && { body }) });
      expect(answer).toMatchObject({ status: 400, json: { error: { code: "invalid_request" } } });
      expect(answer.text).toContain("input");
    }
  });

  it.each([
    ["__proto__", 404],
    ["constructor", 404],
    ["toString", 404],
    ["hasOwnProperty", 404],
    ["%5f%5fproto%5f%5f", 404],
    ["%00", 404],
    ["..%2f..%2fetc", 404],
    ["%2e%2e%2f", 404],
    ["a%2Fb", 404],
    ["%F0%9F%92%A9", 404],
    ["%e2%80%ae", 404],
    ["' OR 1=1;--", 404],
    ["<script>alert(1)<%2fscript>", 404],
    ["x".repeat(8000), 404],
    ["%E0%A4%A", 400],
    ["%ED%A0%80", 400],
    ["%", 400],
    ["%zz", 400],
    ["%c0%af", 400],
  ])("a request to an agent, team or workflow named %.40s is answered with %d", async (name, status) => {
    const service = await serve({ agents: { a: talker() }, teams: { a: desk() }, workflows: { a: counter() } });

    for (const path of [`/agents/${name}/run`, `/teams/${name}/stream`, `/workflows/${name}/run`]) {
      const answer = await service.post(path, { input: "x" });
      expect(answer.status).toBe(status);
      expect(answer.json).toMatchObject({ error: { code: status === 404 ? "not_found" : "invalid_request" } });
      expect(answer.text.length).toBeLessThan(500);
    }
  });

  it("finds names by their exact characters", async () => {
    const service = await serve({ agents: { é: talker() } });

    expect((await service.post(`/agents/${encodeURIComponent("é")}/run`, { input: "x" })).status).toBe(200);
    expect((await service.post(`/agents/${encodeURIComponent("e\u0301")}/run`, { input: "x" })).status).toBe(404);
    expect((await service.post(`/agents/${encodeURIComponent("É")}/run`, { input: "x" })).status).toBe(404);
  });
});

it("a request cannot change a prototype", async () => {
  const service = await serve({ agents: { a: talker() }, workflows: { counter: counter() } });
  const bodies = [
    '{"__proto__":{"polluted":1}}',
    '{"input":{"__proto__":{"polluted":1}}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
  ];

  for (const body of bodies) {
    await service.post("/agents/a/run", body);
    await service.post("/workflows/counter/run", body);
  }

  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(Object.keys(Object.prototype)).toEqual([]);
});

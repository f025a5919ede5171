/** The ways of a behaviour to answer: over HTTP and stdio alike. */
export type HostileIo = {
  /** Sends a message. */
  send(message: object): void;
  /** Sends a text where a message belongs: a line, or the data of an event. */
  write(text: string): void;
  /** Sends bytes as they are. */
  bytes(text: string): void;
  /** Answers the request. */
  reply(result: unknown): void;
  /** Ends the answer over HTTP, or the process. */
  end(): void;
};

export type HostileMessage = { id?: number; method?: string; params?: Record<string, unknown> };

/** One way in which a server misbehaves, and what a client has to make of it. */
export type HostileBehaviour = {
  /** The request in place of whose answer it acts. */
  at: "initialize" | "tools/list" | "tools/call";
  act(io: HostileIo, message: HostileMessage): void;
  /** The expected error after the name of the server, or a check of the result. */
  outcome: RegExp | ((value: unknown) => boolean);
  only?: "http" | "stdio";
};

const object = { type: "object" };
/** The tool that is called where the list is a plain one. */
export const plainTools = [{ name: "go", inputSchema: object }];
const text = (value: string) => ({ content: [{ type: "text", text: value }] });
const many = <Item>(count: number, item: (index: number) => Item) => Array.from({ length: count }, (_, n) => item(n));
const properties = (count: number) => Object.fromEntries(many(count, (n) => [`p${n}`, { type: "string" }]));
const deep = (levels: number) => `${"[".repeat(levels)}1${"]".repeat(levels)}`;
const mega = 1_000_000;

function list(tools: () => unknown, outcome: HostileBehaviour["outcome"], more: object = {}): HostileBehaviour {
  return { at: "tools/list", act: (io) => io.reply({ tools: tools(), ...more }), outcome };
}

function call(result: () => unknown, outcome: HostileBehaviour["outcome"]): HostileBehaviour {
  return { at: "tools/call", act: (io) => io.reply(result()), outcome };
}

/** Sends so many messages, and then the answer "done". */
function flood(count: number, message: (index: number) => object): HostileBehaviour {
  const act = (io: HostileIo) => {
    for (let n = 0; n < count; n++) io.send({ jsonrpc: "2.0", ...message(n) });
    io.reply(text("done"));
  };
  return { at: "tools/call", act, outcome: (value) => value === "done" };
}

/** Lists a tool whose results are to fit a schema, and returns one. */
function structured(outputSchema: object, value: unknown, outcome: HostileBehaviour["outcome"]): HostileBehaviour {
  const act = (io: HostileIo, { method }: HostileMessage) => {
    if (method === "tools/list") io.reply({ tools: [{ name: "go", inputSchema: object, outputSchema }] });
    else io.reply({ content: [], structuredContent: value });
  };
  return { at: "tools/list", act, outcome };
}

const cycle = { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } };
const bomb = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } };
const pageOf = (cursor: unknown) => (cursor === undefined ? 0 : Number(cursor)) + 1;
const lists = (value: unknown) => Array.isArray(value) && value.length > 0;
const isNote = (value: unknown) => String(value).includes("content of an unknown type was left out");
const cut = /cannot be reached, or the connection broke off|sent a message of more than/;

/** The behaviours by name. */
export const hostileBehaviours: Readonly<Record<string, HostileBehaviour>> = {
  "60,000 tools": list(
    () => many(60_000, (n) => ({ name: `t${n}`, description: "x", inputSchema: object })),
    /lists more than 500 tools\. .*maxTools/,
  ),
  "a schema of 250,000 properties": list(
    () => [{ name: "go", inputSchema: { type: "object", properties: properties(250_000) } }],
    /lists the tool "go" with an inputSchema of more than 65536 bytes\. .*maxSchemaBytes/,
  ),
  "150 schemas just below the bound": list(
    () => many(150, (n) => ({ name: `t${n}`, inputSchema: { type: "object", properties: properties(2200) } })),
    lists,
  ),
  "a description of 5 MB": list(
    () => [{ name: "go", description: "é".repeat(2.5 * mega), inputSchema: object }],
    /description of more than 4096 bytes\. .*maxDescriptionBytes/,
  ),
  "a name of 5 MB": list(() => [{ name: "n".repeat(5 * mega), inputSchema: object }], /name is no string of 1 to 256/),
  "a schema that nests deep": {
    at: "tools/list",
    act: (io, { id }) =>
      io.write(`{"jsonrpc":"2.0","id":${id},"result":{"tools":[{"name":"go","inputSchema":{"a":${deep(10_000)}}}]}}`),
    outcome: /nests too deep/,
  },
  "icons and _meta of 5 MB": list(() => [{ name: "go", inputSchema: object, icons: many(200_000, () => 5) }], lists, {
    _meta: { a: many(500_000, (n) => n) },
  }),
  "500 tools of one name": list(() => many(500, () => plainTools[0]), lists),
  "names of Object.prototype": list(
    () =>
      ["__proto__", "constructor", "toString"].map((name) => ({
        name,
        inputSchema: { type: "object", properties: JSON.parse('{"__proto__":{"type":"string"}}') as object },
      })),
    lists,
  ),
  "a schema that refers to itself": structured(cycle, { a: 1 }, () => true),
  "a pattern that takes exponential time": structured(
    bomb,
    { a: `${"a".repeat(100_000)}!` },
    /does not fit its own schema|form that the protocol/,
  ),
  "pages without end": {
    at: "tools/list",
    act: (io, { params }) =>
      io.reply({
        tools: [{ name: `t${String(params?.["cursor"])}`, inputSchema: object }],
        nextCursor: String(pageOf(params?.["cursor"])),
      }),
    outcome: /more than 64 pages/,
  },
  "the same page again and again": list(() => plainTools, lists, { nextCursor: "again" }),
  "tools that are no list": list(() => ({ length: 5 }), /no array tools/),
  "tools that are no objects": list(() => [null, 5, "tool", []], /name is no string/),
  "10,000 list_changed": flood(10_000, () => ({ method: "notifications/tools/list_changed" })),
  "a text of 9.9 MB": call(
    () => text("x".repeat(9.9 * mega)),
    (value) => String(value).length === 9.9 * mega,
  ),
  "250,000 blocks": call(
    () => ({ content: many(250_000, () => ({ type: "text", text: "hello" })) }),
    (value) => String(value).length > mega,
  ),
  "250,000 blocks of no known type": call(
    () => ({ content: many(250_000, () => ({ type: "nope", text: "hello" })) }),
    isNote,
  ),
  "80,000 links": call(
    () => ({
      content: many(80_000, () => ({
        type: "resource_link",
        uri: "note://abc",
        name: "n",
        annotations: { audience: many(3, () => 5) },
      })),
    }),
    (value) => typeof value === "object",
  ),
  "7 MB of structured content": call(
    () => ({ content: [], structuredContent: properties(250_000) }),
    (value) => JSON.stringify(value).includes("left_out"),
  ),
  "structured content that nests deep": {
    at: "tools/call",
    act: (io, { id }) =>
      io.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"a":${deep(100_000)}}}}`),
    outcome: /structured content nests too deep/,
  },
  "an image of 9 MB": call(
    () => ({ content: [{ type: "image", data: "iVBO".repeat(2.25 * mega), mimeType: "image/png" }] }),
    (value) => Array.isArray(value),
  ),
  "an image that is no base64": call(
    () => ({ content: [{ type: "image", data: "{}".repeat(4 * mega), mimeType: "image/png" }] }),
    (value) => String(value).includes("no base64"),
  ),
  "a message beyond maxMessageBytes": call(
    () => text("x".repeat(11 * mega)),
    /sent a message of more than 10485760 bytes\. .*maxMessageBytes/,
  ),
  "a line without end": {
    at: "tools/call",
    act: (io) => {
      for (let n = 0; n < 20; n++) io.bytes("x".repeat(mega));
    },
    outcome: /sent a message of more than 10485760 bytes/,
  },
  "half a message, and the end": {
    at: "tools/call",
    act: (io, { id }) => {
      io.bytes(`data: {"jsonrpc":"2.0","id":${id},"res`);
      io.end();
    },
    outcome: cut,
  },
  "10,000 answers to requests that nobody made": flood(10_000, (n) => ({ id: 1_000_000 + n, result: {} })),
  "10,000 reports of progress": flood(10_000, (n) => ({
    method: "notifications/progress",
    params: { progressToken: 1, progress: n },
  })),
  "10,000 lines of log": flood(10_000, () => ({
    method: "notifications/message",
    params: { level: "info", data: "hello" },
  })),
  "one log of 7 MB": flood(1, () => ({
    method: "notifications/message",
    params: { level: "info", data: properties(250_000) },
  })),
  "an error of 9 MB": {
    at: "tools/call",
    act: (io, { id }) => io.send({ jsonrpc: "2.0", id, error: { code: -32_000, message: "e".repeat(9 * mega) } }),
    outcome: /refused a call of the tool go: e{900,1100}…?$/,
  },
  "an error with data of 7 MB": {
    at: "tools/call",
    act: (io, { id }) =>
      io.send({
        jsonrpc: "2.0",
        id,
        error: { code: -32_022, message: "no", data: { supported: many(700_000, () => "2025") } },
      }),
    outcome: /refused a call of the tool go: no/,
  },
  "wrong types everywhere": call(
    () => ({ content: 5, isError: "yes", structuredContent: null }),
    /a form that the protocol does not allow/,
  ),
  "a result that is no object": call(() => 5, /did not answer a call|form that the protocol|cannot be reached/),
  "an id that came back as a string": {
    at: "tools/call",
    act: (io, { id }) => io.send({ jsonrpc: "2.0", id: String(id), result: text("x") }),
    outcome: (value) => value === "x",
  },
  "no answer": { at: "tools/call", act: () => {}, outcome: /did not answer a call of the tool go within/ },
  "a byte at a time": {
    at: "tools/call",
    act: (io) => void setInterval(() => io.bytes("x"), 5).unref(),
    outcome: /did not answer a call of the tool go within/,
  },
  "an array of 250,000 messages": {
    at: "tools/call",
    act: (io, { id }) => io.write(JSON.stringify(many(250_000, () => ({ jsonrpc: "2.0", id, result: {} })))),
    outcome: /did not answer a call|cannot be reached|an array of messages/,
  },
  "5,000 questions to the user": flood(5000, (n) => ({
    id: n + 7000,
    method: "elicitation/create",
    params: { message: "?", requestedSchema: { type: "object", properties: {} } },
  })),
  "a question with 100,000 fields": flood(1, () => ({
    id: 7000,
    method: "elicitation/create",
    params: { message: "?", requestedSchema: { type: "object", properties: properties(100_000) } },
  })),
  "a request to a model with 200,000 messages": flood(1, () => ({
    id: 7000,
    method: "sampling/createMessage",
    params: { maxTokens: 1, messages: many(150_000, () => ({ role: "user", content: 5 })) },
  })),
  "5,000 pings": flood(5000, (n) => ({ id: n + 7000, method: "ping" })),
  "a handshake with 200,000 icons": {
    at: "initialize",
    act: (io) =>
      io.reply({
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "evil", version: "1", icons: many(200_000, () => 5) },
      }),
    outcome: /answered connecting with more than such an answer may hold/,
  },
  "a handshake with capabilities of 7 MB": {
    at: "initialize",
    act: (io) =>
      io.reply({
        protocolVersion: "2025-11-25",
        capabilities: { experimental: properties(250_000) },
        serverInfo: { name: "evil", version: "1" },
      }),
    outcome: /answered connecting with more than such an answer may hold/,
  },
  "a revision that there is not": {
    at: "initialize",
    act: (io) =>
      io.reply({ protocolVersion: "1999-01-01", capabilities: {}, serverInfo: { name: "evil", version: "1" } }),
    outcome: /The MCP server "evil"/,
  },
  "the end in place of a handshake": { at: "initialize", act: (io) => io.end(), outcome: /The MCP server "evil"/ },
  "lines that are no messages": {
    at: "initialize",
    act: (io) => {
      for (let n = 0; n < 200_000; n++) io.write("Listening on port 3000");
    },
    outcome: /wrote lines that are no JSON-RPC messages/,
    only: "stdio",
  },
};

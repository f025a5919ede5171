/**
 * A small server of ours that speaks the protocol of 2025 by hand, with tools that misbehave as servers do. It runs over
 * standard input and output when this file is started, and answers the messages of an HTTP server in a test.
 */

type Message = { id?: number; method?: string; params?: Record<string, unknown> };
type Send = (message: object) => void;

const schema = { $schema: "http://json-schema.org/draft-07/schema#", type: "object", properties: {} };
const object = { type: "object", properties: {} };

/** The tools on two pages. */
const pages = [
  [
    {
      name: "echo",
      description: "Says it again",
      inputSchema: { ...schema, properties: { text: { type: "string", "x-mcp-header": "Text" } }, required: ["text"] },
      annotations: { readOnlyHint: true },
    },
    { name: "environment", inputSchema: object, annotations: { idempotentHint: true } },
    { name: "fail", title: "Fails", inputSchema: object },
    { name: "hang", inputSchema: object },
    { name: "die", inputSchema: object },
    { name: "orphan", inputSchema: object },
    { name: "progress", inputSchema: object },
    { name: "refuse", inputSchema: object },
    { name: "large", inputSchema: object },
  ],
  [
    { name: "a_b", inputSchema: object },
    { name: "a.b", inputSchema: object },
    { name: "weather in Ürümqi?", inputSchema: object },
    { name: `long-${"x".repeat(100)}`, inputSchema: object },
    { name: "more", inputSchema: object },
    { name: "pid", inputSchema: object },
  ],
];

let hasMore = false;

/** Answers one message. `send` may be called later, several times or never. */
export function answer({ id, method, params = {} }: Message, send: Send): void {
  const reply = (result: object) => send({ jsonrpc: "2.0", id, result });
  if (id === undefined) return;
  if (method === "initialize") {
    const { protocolVersion } = params;
    const capabilities = { tools: { listChanged: true } };
    reply({ protocolVersion, capabilities, serverInfo: { name: "fixture", version: "1" } });
  } else if (method === "tools/list") {
    const isFirst = params["cursor"] === undefined;
    const added = hasMore ? [{ name: "added", inputSchema: object }] : [];
    reply(isFirst ? { tools: pages[0], nextCursor: "" } : { tools: [...(pages[1] ?? []), ...added] });
  } else if (method === "tools/call") {
    call(params, { id, send, reply });
  } else if (method === "ping") {
    reply({});
  } else {
    send({ jsonrpc: "2.0", id, error: { code: -32_601, message: `No method ${method}` } });
  }
}

type Call = { id: number; send: Send; reply: (result: object) => void };

function call({ name, arguments: args, _meta }: Record<string, unknown>, { id, send, reply }: Call): void {
  const text = (said: string) => reply({ content: [{ type: "text", text: said }] });
  const calls: Record<string, () => void> = {
    echo: () => text(String((args as { text?: unknown }).text)),
    environment: () => text(JSON.stringify(process.env)),
    fail: () =>
      reply({ isError: true, content: [{ type: "text", text: `No such file, ${process.env["SECRET_KEY"]}` }] }),
    hang: () => {},
    die: () => process.exit(1),
    orphan: () => {
      // A helper of the server that ignores the end of its input and SIGTERM, and holds the server's streams open.
      const child = process
        .getBuiltinModule("node:child_process")
        .spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], {
          stdio: "inherit",
        });
      text(String(child.pid));
    },
    progress: () => {
      const { progressToken } = _meta as { progressToken: unknown };
      for (const progress of [1, 2]) {
        const params = { progressToken, progress, total: 2, message: `step ${progress}` };
        send({ jsonrpc: "2.0", method: "notifications/progress", params });
      }
      text("done");
    },
    refuse: () => send({ jsonrpc: "2.0", id, error: { code: -32_602, message: "Not with these arguments" } }),
    large: () => text("x".repeat(400_000)),
    more: () => {
      hasMore = true;
      send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
      text("There is more now.");
    },
    pid: () => text(String(process.pid)),
  };
  const run = calls[String(name)] ?? (() => text(String(name)));
  run();
}

function serveStdio(): void {
  const [mode] = process.argv.slice(2);
  if (mode === "stubborn") {
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 1000);
  }
  if (mode === "silent") {
    process.stdin.resume();
    return;
  }
  const greetings = { nonsense: 3, greeting: 3, chatty: 60 }[mode ?? ""];
  if (greetings !== undefined) {
    // A program that is no MCP server: it greets its user, and ends or goes on.
    process.stdout.write("Welcome, secret-4711!\n".repeat(greetings));
    if (mode === "nonsense") process.exit(0);
    process.stdin.resume();
    return;
  }
  process.stderr.write("The fixture has begun.\n");
  if (mode === "noisy") process.stdout.write("This line is no message.\n");
  let rest = "";
  process.stdin.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines)
      answer(JSON.parse(line) as Message, (message) => process.stdout.write(`${JSON.stringify(message)}\n`));
  });
}

if (process.argv[1] === import.meta.filename) serveStdio();

import { describe, expect, it } from "vitest";
import {
  card1,
  fakeRemote,
  piece1,
  sendError,
  sendFrames,
  sendJson,
  sendResult,
  status1,
  task1,
  withPatience,
} from "../../test/fake-remote.ts";
import type { Answer } from "../../test/fake-remote.ts";
import { A2ARemoteAgent } from "./remote-agent.ts";
import type { A2ARemoteAgentOptions } from "./remote-agent-options.ts";
import { failureOfError } from "./remote-failure.ts";

const streaming = card1({ capabilities: { streaming: true } });

type Failure = { code: string; message: string; fields: object; output: { text: string } };

/** Runs a remote agent, and returns the error of the run. */
async function failureOf(url: string, options: Partial<A2ARemoteAgentOptions> = {}): Promise<Failure> {
  const running = new A2ARemoteAgent({ url, name: "far", ...options }).run("Umbrella?");
  return await running.then(
    ({ text }) => expect.fail(`The run completed: ${text}`),
    (error: unknown) => error as Failure,
  );
}

const statusOnly =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (_asked, response) =>
    response.writeHead(status, headers).end("remote-canary");

describe("a remote agent that fails", () => {
  it.each<[string, Answer, object]>([
    [
      "refuses the credentials",
      statusOnly(401, { "www-authenticate": 'Bearer realm="remote-canary"' }),
      {
        code: "model_failed",
        fields: { remote: "far", status: 401 },
        message: /HTTP status 401, and asks for Bearer\). Check headers/,
      },
    ],
    ["forbids the call", statusOnly(403), { code: "model_failed", message: /HTTP status 403\). Check headers/ }],
    [
      "gets too many requests",
      statusOnly(429, { "retry-after": "7" }),
      { code: "rate_limited", fields: { retryAfterMs: 7000 } },
    ],
    ["answers with a status", statusOnly(500), { code: "model_failed", message: /HTTP status 500/ }],
    [
      "answers with a page",
      (_asked, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>remote-canary</p>"),
      { code: "model_failed", message: /no task, message or update of A2A/ },
    ],
    [
      "answers with JSON that is cut",
      (_asked, response) => response.end('{"jsonrpc":'),
      { message: /no task, message/ },
    ],
    ["answers with nothing", (_asked, response) => response.end(), { message: /no task, message/ }],
    [
      "answers with something else",
      (asked, response) => sendResult(asked, response, { ok: "remote-canary" }),
      { message: /no task/ },
    ],
    [
      "answers another request",
      (asked, response) =>
        sendJson(response, { jsonrpc: "2.0", id: `${String(asked.rpc.id)}0`, result: { task: task1("COMPLETED") } }),
      { message: /answered another request/ },
    ],
    [
      "breaks the connection",
      (_asked, response) => response.socket?.destroy(),
      { code: "model_failed", message: /cannot be reached/ },
    ],
    [
      "redirects",
      statusOnly(307, { location: "https://elsewhere.example/remote-canary" }),
      { message: /redirect \(HTTP status 307\)/ },
    ],
    [
      "refuses the parameters",
      (asked, response) => sendError(asked, response, -32602),
      { code: "invalid_request", fields: { rpcCode: -32602 } },
    ],
    [
      "fails within",
      (asked, response) => sendError(asked, response, -32603),
      { code: "model_failed", fields: { rpcCode: -32603 } },
    ],
    [
      "fails its task",
      (asked, response) => sendResult(asked, response, { task: failing("FAILED") }),
      { code: "model_failed", message: /task .* failed/ },
    ],
    [
      "rejects its task",
      (asked, response) => sendResult(asked, response, { task: failing("REJECTED") }),
      { code: "guardrail_blocked" },
    ],
    [
      "cancels its task",
      (asked, response) => sendResult(asked, response, { task: failing("CANCELED") }),
      { code: "cancelled" },
    ],
    [
      "sends a task without an id",
      (asked, response) => sendResult(asked, response, { task: { status: { state: "working" } } }),
      { message: /without an id/ },
    ],
    [
      "nests its answer too deeply",
      (asked, response) => sendResult(asked, response, { task: deepTask() }),
      { message: /no task, message/ },
    ],
  ])("%s: its error names that, and has nothing of its words [remote.failures]", async (_what, answer, expected) => {
    const { url } = await fakeRemote(answer);
    const error = await failureOf(url);
    const { message = /./, ...facts } = expected as { message?: RegExp };

    expect(error).toMatchObject(facts);
    expect(error.message).toMatch(message);
    expect(error.message).toContain('"far"');
    expect(JSON.stringify([error, error.message, error.fields])).not.toContain("remote-canary");
  });

  it("tells by its status that credentials for the card are refused [remote.failures]", async () => {
    const { url } = await fakeRemote((_asked, response) => sendJson(response, {}, 401), null);

    expect((await failureOf(url)).message).toContain("refused the credentials (HTTP status 401)");
  });

  it("has no card anywhere [remote.failures]", async () => {
    const { url } = await fakeRemote((_asked, response) => response.end("<html>"), null);

    expect((await failureOf(url)).message).toMatch(/sent a card that is not a JSON object with a name/);
  });

  it.each([401, 403])("says with the status %i in a stream what a whole answer says", async (status) => {
    const { url } = await fakeRemote(statusOnly(status), streaming);

    expect((await failureOf(url)).fields).toEqual({ remote: "far", status });
  });
});

describe("the code of an error without a status of its own", () => {
  it.each([
    [399, 500],
    [400, 400],
    [599, 599],
    [600, 500],
    ["400", 500],
    [undefined, 500],
  ])("is the status of its failure where it is one: %s is %i [remote.failures]", (code, status) => {
    expect(failureOfError({ code, message: "No." })).toMatchObject({ status });
    expect(failureOfError({ code }, 418)).toMatchObject({ status: 418 });
  });
});

describe("the size of what a remote agent sends", () => {
  const most = 4096;
  const long = "x".repeat(most);

  it.each<[string, Answer, object]>([
    ["a reply", (asked, response) => sendResult(asked, response, { task: task1("COMPLETED", long) }), card1()],
    ["an event", (asked, response) => sendFrames(asked, response, { task: task1("COMPLETED", long) }), streaming],
    [
      "an answer in many pieces",
      (asked, response) => sendFrames(asked, response, ...Array.from({ length: 50 }, () => piece1("y".repeat(100)))),
      streaming,
    ],
    [
      "an answer in pieces of two bytes for each character",
      (asked, response) => {
        const pieces = Array.from({ length: 28 }, () => piece1("é".repeat(60)));
        return sendFrames(asked, response, ...pieces, status1("COMPLETED"));
      },
      streaming,
    ],
    [
      "an answer in pieces without text",
      (asked, response) => sendFrames(asked, response, ...Array.from({ length: 100 }, () => piece1(""))),
      streaming,
    ],
    ["an endless body", (_asked, response) => endless(response), streaming],
  ])("is bounded by maxReplyBytes: %s [remote.bounds]", async (_what, answer, card) => {
    const { url } = await fakeRemote(answer, card);
    const error = await failureOf(url, { maxReplyBytes: most });

    expect(error.code).toBe("model_failed");
    expect(error.message).toMatch(/more than 4096 bytes/);
  });
});

describe("the stream of a remote agent", () => {
  it("may come byte by byte, with any line ends and comments [remote.splits]", async () => {
    const { url } = await fakeRemote((asked, response) => {
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
      const frame = (result: object): string => JSON.stringify({ jsonrpc: "2.0", id: asked.rpc.id, result });
      const [task, ...rest] = [
        { task: task1("WORKING") },
        piece1("Sunny ☀ ", false),
        piece1("Zürich"),
        status1("COMPLETED"),
      ].map(frame);
      const [head, tail] = [task?.slice(0, 1), task?.slice(1)];
      const text = `:hello\r\n\r\ndata:${head}\r\ndata: ${tail}\r\n\r\n${rest.map((each) => `id: 1\ndata: ${each}\n\n:\n\n`).join("")}`;
      void writeBytes(response, Buffer.from(text));
    }, streaming);

    expect((await new A2ARemoteAgent({ url }).run("Sun?")).text).toBe("Sunny ☀ Zürich");
  });

  it("is resumed once when it breaks off, and then the task is asked for [remote.resume]", async () => {
    const { url, methods } = await fakeRemote((asked, response) => {
      if (asked.rpc.method === "GetTask") sendResult(asked, response, task1("COMPLETED", "Half done."));
      else {
        sendFrames(asked, response, { task: task1("WORKING", "Half ") });
        setTimeout(() => response.socket?.destroy(), 5);
      }
    }, streaming);
    const texts: string[] = [];
    for await (const text of new A2ARemoteAgent({ url }).stream("Go.").textStream) texts.push(text);

    expect(texts).toEqual(["Half ", "done."]);
    expect(methods).toEqual(["SendStreamingMessage", "SubscribeToTask", "GetTask"]);
  });

  it("is resumed when it ends before its task, or is silent for timeoutMs [remote.resume]", async () => {
    const silent = await fakeRemote((asked, response) => {
      if (asked.rpc.method === "SubscribeToTask") sendFrames(asked, response, { task: task1("COMPLETED", "Done.") });
      else sendFrames(asked, response, { task: task1("WORKING") });
    }, streaming);
    const ended = await fakeRemote((asked, response) => {
      if (asked.rpc.method === "SubscribeToTask") sendError(asked, response, -32004);
      else if (asked.rpc.method === "GetTask") sendResult(asked, response, task1("COMPLETED", "Done."));
      else {
        sendFrames(asked, response, { task: task1("WORKING") });
        response.end();
      }
    }, streaming);

    await withPatience(async (timeoutMs) => {
      expect((await new A2ARemoteAgent({ url: silent.url, timeoutMs }).run("Go.")).text).toBe("Done.");
    });
    expect((await new A2ARemoteAgent({ url: ended.url }).run("Go.")).text).toBe("Done.");
    expect(ended.methods).toEqual(["SendStreamingMessage", "SubscribeToTask", "GetTask"]);
  });

  it("leaves out events of other tasks [remote.other-ids]", async () => {
    const other = {
      ...piece1("not ours"),
      artifactUpdate: { ...(piece1("not ours") as { artifactUpdate: object }).artifactUpdate, taskId: "t-2" },
    };
    const { url } = await fakeRemote((asked, response) => {
      sendFrames(asked, response, { task: task1("WORKING") }, piece1("ours", false), other, status1("COMPLETED"));
    }, streaming);

    expect((await new A2ARemoteAgent({ url }).run("Go.")).text).toBe("ours");
  });

  it("the stream of a remote agent of a task that another one is answered for is a failure [remote.other-ids]", async () => {
    const { url } = await fakeRemote((asked, response) => {
      const isSent = asked.rpc.method === "SendMessage";
      sendResult(asked, response, isSent ? { task: task1("WORKING") } : task1("COMPLETED", "not ours", { id: "t-2" }));
    });

    expect((await failureOf(url)).message).toMatch(/answered with another task than ours/);
  });
});

function failing(state: string): object {
  const message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "remote-canary" }] };
  return task1(state, undefined, { status: { state: `TASK_STATE_${state}`, message } });
}

function deepTask(): object {
  let data: object = {};
  for (let depth = 0; depth < 100; depth++) data = { data };
  return task1("COMPLETED", undefined, { artifacts: [{ artifactId: "a", parts: [{ data }] }] });
}

function endless(response: Parameters<Answer>[1]): void {
  response.writeHead(200, { "content-type": "application/json" });
  const write = (): void => {
    if (!response.destroyed) response.write(" ".repeat(1000), () => setImmediate(write));
  };
  write();
}

async function writeBytes(response: Parameters<Answer>[1], bytes: Buffer): Promise<void> {
  for (const byte of bytes) await new Promise((resolve) => response.write(Buffer.of(byte), resolve));
}

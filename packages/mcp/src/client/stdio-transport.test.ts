import childProcess from "node:child_process";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ServerProblem } from "./server-problem.ts";
import { StdioTransport } from "./stdio-transport.ts";
import { FakeChild, kill, kills, line, message, parse, spawn, startTransport } from "../../test/fake-process.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.spyOn(childProcess, "spawn").mockImplementation(spawn as never);
  vi.spyOn(process, "kill").mockImplementation(kill);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  spawn.mockReset();
  kill.mockReset();
});

const stray =
  "wrote lines that are no JSON-RPC messages to its standard output. Let it write them to the standard error stream, and check command and args.";

describe("a process", () => {
  it("is started without a shell, in a group of its own, with PATH, HOME and env alone", async () => {
    vi.stubEnv("PATH", "/bin");
    vi.stubEnv("HOME", "/home/ada");
    vi.stubEnv("SECRET", "s");
    const { transport } = await startTransport({ env: { HOME: "/given", MORE: "1" }, cwd: "/tmp" });
    expect(spawn.mock.calls).toStrictEqual([
      [
        "prog",
        ["-a", "$B"],
        {
          cwd: "/tmp",
          env: { PATH: "/bin", HOME: "/given", MORE: "1" },
          shell: false,
          stdio: "pipe",
          windowsHide: true,
          detached: true,
        },
      ],
    ]);
    expect([transport.pid, transport.stderr]).toEqual([4711, null]);
  });

  it("a process that cannot be started is an error, and there is nothing to end", async () => {
    const child = new FakeChild();
    spawn.mockImplementation(() => {
      queueMicrotask(() => child.emit("error", new Error("ENOENT")));
      return child;
    });
    const transport = new StdioTransport({
      command: "prog",
      args: [],
      env: {},
      cwd: undefined,
      maxMessageBytes: 10,
      parse,
      onStderr: () => {},
      problem: new ServerProblem(),
    });
    await expect(transport.start()).rejects.toThrow("ENOENT");
    await expect(transport.send(message(1))).rejects.toThrow("The process has ended.");
    await transport.close();
    expect([transport.pid, kills()]).toEqual([null, []]);
  });

  it("hands on what it writes to its error stream, whole characters, and the errors of its streams", async () => {
    const { child, said, errors, write } = await startTransport();
    const bytes = Buffer.from("aé");
    child.stderr.write(bytes.subarray(0, 2));
    child.stderr.write(bytes.subarray(2));
    await write();
    for (const emitter of [child, child.stdin, child.stdout, child.stderr]) emitter.emit("error", new Error("EPIPE"));
    expect(said.join("")).toBe("aé");
    expect(errors).toEqual(["EPIPE", "EPIPE", "EPIPE", "EPIPE"]);
  });
});

describe("what the process writes", () => {
  it("is read line by line, in any pieces, without empty lines", async () => {
    const { got, errors, write } = await startTransport();
    const bytes = Buffer.from(line({ ...message(2), method: "é" }));
    await write(line(message(1)), "\n  \n\r\n", bytes.subarray(0, -5), bytes.subarray(-5, -3), bytes.subarray(-3));
    await write(line(message(3)) + line(message(4)), JSON.stringify(message(5)));
    expect(got).toEqual([message(1), { ...message(2), method: "é" }, message(3), message(4)]);
    await write("\n");
    expect(got).toHaveLength(5);
    expect(errors).toEqual([]);
  });

  it("is read on after a notification in the next turn, and after 32 lines", async () => {
    const { child, got } = await startTransport();
    const turn = async () => await new Promise((resolve) => setImmediate(resolve));
    const notice: JSONRPCMessage = { jsonrpc: "2.0", method: "notifications/x" };
    child.stdout.emit("data", Buffer.from(line(notice) + line(message(1))));
    expect(got).toEqual([notice]);
    await turn();
    expect(got.splice(0)).toEqual([notice, message(1)]);
    const messages = Array.from({ length: 65 }, (_, n) => message(n));
    child.stdout.emit("data", Buffer.from(messages.map(line).join("")));
    expect(got).toHaveLength(32);
    await turn();
    expect(got).toHaveLength(64);
    await turn();
    expect(got).toEqual(messages);
  });

  it("waits at the process where more than 256 lines are not read", async () => {
    const { child, got, write } = await startTransport();
    child.stdout.emit("data", Buffer.from(line(message(0)).repeat(256)));
    expect(child.stdout.isPaused()).toBe(false);
    await write();
    child.stdout.emit("data", Buffer.from(line(message(0)).repeat(257)));
    expect(child.stdout.isPaused()).toBe(true);
    await write();
    expect([child.stdout.isPaused(), got.length]).toEqual([false, 513]);
  });

  it("may have lines of maxMessageBytes, and ends the connection beyond", async () => {
    const exact = line({ ...message(1), method: "x".repeat(60) });
    const bytes = exact.length - 1;
    const { child, got, write, onclose, problem, errors, transport } = await startTransport({ maxMessageBytes: bytes });
    await write(exact, exact.slice(0, 20), exact.slice(20));
    expect(got).toHaveLength(2);
    await write(line(message(3)) + "x".repeat(bytes));
    expect(onclose).not.toHaveBeenCalled();
    await write("x", line(message(4)));
    const text = `sent a message of more than ${bytes} bytes. If you trust it, raise maxMessageBytes.`;
    expect([got.length, problem.text, errors]).toEqual([3, text, [`The server ${text}`]]);
    expect(onclose).toHaveBeenCalledOnce();
    expect(kills()).toEqual(["-4711 SIGTERM"]);
    await expect(transport.send(message(1))).rejects.toThrow("The process has ended.");
    child.exit();
    await vi.advanceTimersByTimeAsync(100);
    await transport.close();
    expect(onclose).toHaveBeenCalledOnce();
  });
});

describe("lines that are no messages", () => {
  it("may be 50 before the first message, and are forgotten by it", async () => {
    const { write, problem, errors, onclose } = await startTransport();
    await write("hello\n".repeat(50));
    expect([problem.text, onclose.mock.calls.length]).toEqual([stray, 0]);
    expect(new Set(errors)).toEqual(new Set(["The server wrote a line that is no message to its standard output."]));
    await write(line(message(1)));
    expect(problem.text).toBeUndefined();
    await write("hello\n".repeat(60));
    expect([problem.text, onclose.mock.calls.length]).toEqual([undefined, 0]);
  });

  it.each([
    ["51 lines", "x\n".repeat(51), "x\n".repeat(50)],
    [
      "16 KB",
      `${"x".repeat(999)}\n`.repeat(16) + `${"y".repeat(401)}\n`,
      `${"x".repeat(999)}\n`.repeat(16) + `${"y".repeat(400)}\n`,
    ],
  ])("end the connection before the first message beyond %s", async (_, beyond, within) => {
    const fine = await startTransport();
    await fine.write(within);
    expect(fine.onclose).not.toHaveBeenCalled();
    const { write, onclose, problem } = await startTransport();
    await write(beyond);
    expect([onclose.mock.calls.length, problem.text]).toEqual([1, stray]);
  });

  it("end it later beyond 1,000 in a row", async () => {
    const { write, onclose, problem } = await startTransport();
    for (let round = 0; round < 2; round++) await write(line(message(1)), "x\n".repeat(1000));
    expect(onclose).not.toHaveBeenCalled();
    await write("x\n");
    expect([onclose.mock.calls.length, problem.text]).toEqual([1, stray]);
  });
});

describe("a message to the process", () => {
  it("is a line", async () => {
    const { child, transport } = await startTransport();
    await transport.send(message(1));
    await transport.send(message(2));
    expect(String(child.stdin.read())).toBe(line(message(1)) + line(message(2)));
  });

  it("a message to the process that cannot be written is an error", async () => {
    const { child, transport } = await startTransport();
    child.stdin.destroy();
    await expect(transport.send(message(1))).rejects.toMatchObject({ code: "ERR_STREAM_DESTROYED" });
  });

  it("is refused where the process leaves more than maxMessageBytes unread", async () => {
    const { child, transport, problem, onclose } = await startTransport({ maxMessageBytes: 10 });
    const unread = { value: 10 };
    Object.defineProperty(child.stdin, "writableLength", { get: () => unread.value });
    await transport.send(message(1));
    expect(onclose).not.toHaveBeenCalled();
    unread.value = 11;
    await transport.send(message(2)).catch(() => {});
    expect([onclose.mock.calls.length, problem.text]).toEqual([
      1,
      "leaves more than 10 bytes unread at its standard input.",
    ]);
  });
});

describe("the end of a process", () => {
  it("the end of a process by itself closes the connection once, after its last words", async () => {
    const { child, got, onclose, transport } = await startTransport();
    child.stdout.emit("data", Buffer.from(line(message(0)).repeat(40)));
    child.exit();
    await vi.advanceTimersByTimeAsync(100);
    expect(onclose).toHaveBeenCalledTimes(1);
    await transport.close();
    expect([got.length, onclose.mock.calls.length]).toEqual([40, 1]);
    expect(kills()).toEqual(["-4711 SIGKILL"]);
    expect([child.stdin, child.stdout, child.stderr].map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
  });

  it("is asked for by the end of its input, then SIGTERM, then SIGKILL, each after two seconds", async () => {
    const { child, onclose, transport } = await startTransport();
    const closing = Promise.all([transport.close(), transport.close()]);
    expect([child.stdin.writableEnded, kills()]).toEqual([true, []]);
    const seen: string[][] = [];
    for (const ms of [1999, 1, 1999, 1]) {
      await vi.advanceTimersByTimeAsync(ms);
      seen.push(kills());
    }
    const term = "-4711 SIGTERM";
    expect(seen).toEqual([[], [term], [term], [term, "-4711 SIGKILL"]]);
    expect(onclose).not.toHaveBeenCalled();
    child.exit();
    await vi.advanceTimersByTimeAsync(100);
    await closing;
    expect([onclose.mock.calls.length, kills().length]).toEqual([1, 3]);
    await expect(transport.send(message(1))).rejects.toThrow("The process has ended.");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("waits 100 ms for streams that something else holds open, and for a group that is gone not at all", async () => {
    const { child, onclose, transport } = await startTransport();
    kill.mockImplementation(() => {
      throw new Error("ESRCH");
    });
    const closing = transport.close();
    child.emit("exit", 0);
    await vi.advanceTimersByTimeAsync(99);
    expect(onclose).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await closing;
    expect([onclose.mock.calls.length, kills()]).toEqual([1, ["-4711 SIGKILL"]]);
  });
});

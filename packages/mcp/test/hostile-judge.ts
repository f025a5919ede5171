import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { McpToolServer } from "../src/index.ts";
import type { McpToolServerOptions } from "../src/index.ts";
import { hostileBehaviours } from "./hostile-behaviours.ts";
import type { HostileIo } from "./hostile-behaviours.ts";
import { callContext } from "./start.ts";

const program = fileURLToPath(new URL("hostile-server.ts", import.meta.url));
const nodeArguments = ["--disable-warning=ExperimentalWarning", program];

/**
 * The outcome of a behaviour for a client, and the longest work on its event loop between two turns, in milliseconds
 * of CPU.
 */
export type Judgement = { outcome: unknown; longestTurnMs: number };

/** A program that serves all behaviours over HTTP. */
export async function startHostileHttp(): Promise<{ urlOf: (name: string) => string; close: () => Promise<void> }> {
  const child = spawn(process.execPath, [...nodeArguments, "http"], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  return {
    urlOf: (name) => `http://127.0.0.1:${String(port).trim()}/${encodeURIComponent(name)}`,
    close: async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

/** Makes a client of a server with the behaviour: over stdio without a URL. */
export function connectHostile(name: string, url?: string): McpToolServer {
  const way: Partial<McpToolServerOptions> =
    url === undefined
      ? { transport: "stdio", command: process.execPath, args: [...nodeArguments, name] }
      : { transport: "http", url };
  return new McpToolServer({
    name: "evil",
    transport: "stdio",
    ...way,
    timeoutMs: slow.includes(name) ? 300 : 60_000,
    onElicitation: () => ({ action: "decline" }),
    onSampling: () => ({ text: "no", model: "none" }),
  });
}

/** Behaviours that are ended by the clock. */
const slow = ["no answer", "a byte at a time", "a result that is no object", "an array of 250,000 messages"];

/** Connects, lists the tools and calls the first, and returns the outcome of the first of these steps that fails. */
export async function judge(name: string, server: McpToolServer): Promise<Judgement> {
  const meter = startTurnMeter();
  try {
    const tools = await server.getTools();
    const behaviour = hostileBehaviours[name];
    const tool = tools.find((each) => each.name === "evil__go");
    const isOfList = behaviour?.at === "tools/list" && typeof behaviour.outcome === "function";
    const outcome = isOfList || tool?.execute === undefined ? tools : await tool.execute({}, callContext());
    return { outcome, longestTurnMs: await meter.stop() };
  } catch (error) {
    return { outcome: error, longestTurnMs: await meter.stop() };
  } finally {
    await server.close();
  }
}

/** Describes what is wrong with an outcome, or returns undefined. */
export function mistakeOf(name: string, outcome: unknown): string | undefined {
  const expected = hostileBehaviours[name]?.outcome;
  if (outcome instanceof Error) {
    const { message } = outcome;
    const isRight = expected instanceof RegExp && expected.test(message) && message.includes('The MCP server "evil"');
    return isRight ? undefined : `${name}: failed: ${message.slice(0, 300)}`;
  }
  const isRight = typeof expected === "function" && expected(outcome);
  return isRight ? undefined : `${name}: got ${JSON.stringify(outcome)?.slice(0, 200)}`;
}

const costs = new Map<string, number>();

/** Returns the processor time of `JSON.parse` of the largest message of a behaviour, in milliseconds. It is measured once. */
export function costOfParsing(name: string): number {
  const cost = costs.get(name) ?? measureParsing(name);
  costs.set(name, cost);
  return cost;
}

function measureParsing(name: string): number {
  let largest = "";
  const keep = (text: string) => void (text.length > largest.length && (largest = text));
  const send = (message: object) => keep(JSON.stringify(message));
  const io: HostileIo = { send, write: keep, bytes: keep, reply: (result) => send({ result }), end: () => {} };
  hostileBehaviours[name]?.act(io, { id: 1, method: hostileBehaviours[name].at });
  if (!largest.startsWith("{") && !largest.startsWith("[")) return 0;
  const measured = Array.from({ length: 3 }, () => {
    const before = process.threadCpuUsage();
    JSON.parse(largest);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  });
  return measured.toSorted((one, other) => one - other)[1] ?? 0;
}

/** Measures the processor time of this thread between two turns of the event loop. */
function startTurnMeter(): { stop: () => Promise<number> } {
  let longest = 0;
  let last = process.threadCpuUsage();
  let isOn = true;
  const turn = () => {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, (now.user + now.system - last.user - last.system) / 1000);
    last = now;
    if (isOn) setImmediate(turn);
  };
  setImmediate(turn);
  const stop = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    isOn = false;
    return longest;
  };
  return { stop };
}

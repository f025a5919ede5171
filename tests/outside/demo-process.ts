import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { Visited } from "./visit.ts";

const main = join(import.meta.dirname, "../../apps/demo-server/src/main.ts");

/** The environment without credentials of toolkits: a stranger's request must not send to anybody. */
const withoutToolkits = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:TAVILY|SERPAPI|BRAVE|EXA|GMAIL|WHATSAPP)_/.test(name)),
);

/** The question that the model answers slowly, so that a reader of the stream can see its events come one by one. */
const slowQuestion = "Answer slowly.";

/** The demo server in a process of its own, with an empty folder for its data. */
export type DemoProcess = Visited & { stop: () => Promise<void> };

/** Starts the demo server. Its models are those of a local server; the vendors' own hosts are out of its reach. */
export async function startDemo(): Promise<DemoProcess> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-outside-"));
  const vendor = await FakeVendor.start();
  vendor.respond(({ request }) => {
    // Recorded requests would grow with the visit.
    vendor.exchanges.length = 0;
    const { response_format: format, messages } = request.body as ChatBody;
    const schema = format?.json_schema?.schema;
    const isSlow = messages?.at(-1)?.content === slowQuestion;
    return {
      answer: schema === undefined ? "Hello." : JSON.stringify(valueOf(schema)),
      ...(isSlow && { delivery: { pieceDelayMs: 500 } }),
    };
  });
  const variables = {
    PORT: "0",
    TROUPE_DEMO_DATA: folder,
    TROUPE_DEMO_MODEL: "openai/gpt-6.1-sol",
    TROUPE_DEMO_MODEL_URL: `${vendor.url}/v1`,
    OPENAI_API_KEY: "sk-of-the-server",
    ANTHROPIC_API_KEY: "",
    GOOGLE_API_KEY: "",
    GEMINI_API_KEY: "",
    NODE_USE_ENV_PROXY: "1",
    HTTPS_PROXY: "http://127.0.0.1:9",
  };
  const child = spawn(process.execPath, ["--conditions=@troupe/source", main], {
    env: { ...withoutToolkits, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => output.push(text));
  const printed = () => output.join("");
  const exit = once(child, "exit");
  while (child.exitCode === null && !printed().includes("Ctrl-C stops"))
    await Promise.race([once(child.stdout, "data"), exit]);
  if (child.exitCode !== null) throw new Error(`The demo server did not start:\n${printed()}`);
  const stop = async () => {
    child.kill("SIGTERM");
    if (child.exitCode === null && child.signalCode === null) await exit;
    await vendor.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { url: /http:\S+/.exec(printed())?.[0] ?? "", folder, printed, stop };
}

type ChatBody = {
  response_format?: { json_schema?: { schema: Schema } };
  messages?: { content: unknown }[];
};

type Schema = { type?: string; enum?: unknown[]; properties?: Record<string, Schema> };

/** Returns a value that fits a schema of the demo's structured output. */
function valueOf({ type, enum: words, properties }: Schema): unknown {
  if (words !== undefined) return words[0];
  if (type === "array") return [];
  if (properties === undefined) return type === "string" ? "Rain." : null;
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valueOf(schema)]));
}

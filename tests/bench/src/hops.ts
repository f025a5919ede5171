import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as core from "@troupe/core";
import type * as providersOpenai from "@troupe/providers-openai";
import { startChild, stopChild } from "./child.ts";
import { functionsEntered } from "./functions/entered-functions.ts";

/**
 * The hops of one `agent.run`: an agent without tools asks OpenAI's chat API at a local server, warm, and the second run is
 * measured. A hop is an asynchronous function of ours (an async function, method or generator) that the run enters between
 * `agent.run` and the vendor's socket and back; each counts once. Storage drivers are not on that way and do not count.
 * Functions that only pass a promise on are not async and do not count either. V8's precise coverage tells which functions
 * were entered, so the number is the same on every machine.
 */
interface Hops {
  /** File and function, in the order of the files' loading. */
  readonly hops: readonly string[];
  /** All functions of ours that the run entered, also those that only compute. */
  readonly functions: number;
  readonly files: number;
}

const storageDriver = /^(packages\/core\/src\/storage|packages\/storage-)/;

/** Prints the hops of the checkout at `root`, whose packages must be installed. */
export async function printHops(root: string): Promise<void> {
  const vendor = await startChild("servers/mock-vendor.ts", 1);
  try {
    const { hops, functions, files } = await countHops(root, vendor.url);
    console.log(hops.join("\n"));
    console.log(`\n${hops.length} hops; ${functions} functions of ours in ${files} files`);
  } finally {
    stopChild(vendor);
  }
}

async function countHops(root: string, vendorUrl: string): Promise<Hops> {
  const source = (name: string): string => pathToFileURL(join(root, "packages", name, "src/index.ts")).href;
  const { Agent } = (await import(source("core"))) as typeof core;
  const { openai } = (await import(source("providers-openai"))) as typeof providersOpenai;
  const model = openai("gpt-4o", { apiKey: "none", baseURL: `${vendorUrl}/v1`, api: "chat" });
  const agent = new Agent({ name: "hops", model });
  await agent.run("Hello");

  const entered = await functionsEntered(() => agent.run("Hello"));
  return {
    hops: entered
      .filter(({ file, isAsync }) => isAsync && !storageDriver.test(file))
      .map(({ file, name }) => `${file} ${name}`),
    functions: entered.length,
    files: new Set(entered.map(({ file }) => file)).size,
  };
}

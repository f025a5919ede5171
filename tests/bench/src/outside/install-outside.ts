import { join } from "node:path";
import { installApart } from "./install-apart.ts";
import type { Installation } from "./install-apart.ts";

const main: Installation = {
  name: "outside-peers-1",
  packages: [
    "ai@7.0.173",
    "@ai-sdk/openai-compatible@3.0.92",
    "@openai/agents@0.20.0",
    "openai@7.55.0",
    "langchain@1.5.14",
    "@langchain/core@1.4.0",
    "@langchain/langgraph@1.7.3",
    "@langchain/openai@1.6.0",
    "@mastra/core@1.71.0",
    "zod@4.6.7",
  ],
};

/** Needs an older AI SDK. Without the option, npm 11 did not end within eight minutes. */
const voltAgent: Installation = {
  name: "outside-peers-volt-1",
  packages: ["@voltagent/core@2.10.0", "ai@6.0.326", "@ai-sdk/openai-compatible@2", "zod@4.6.7"],
  options: ["--legacy-peer-deps"],
};

/** Installs the products unless they are installed, and returns the program of each that is measured. */
export function installOutside(): Readonly<Record<string, string>> {
  const fixtures = join(import.meta.dirname, "__fixtures__");
  const [programs, volt] = [installApart(main, fixtures), installApart(voltAgent, fixtures)];
  return {
    "AI SDK": join(programs, "ai-sdk.mjs"),
    "OpenAI Agents": join(programs, "openai-agents.mjs"),
    LangChain: join(programs, "langchain.mjs"),
    Mastra: join(programs, "mastra.mjs"),
    VoltAgent: join(volt, "voltagent.mjs"),
  };
}
